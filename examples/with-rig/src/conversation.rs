//! A conversation in which the model makes the usual mistakes, and corrects each from the text of the
//! tool result alone: every id it uses is read from what rig sent it.

use crate::agent;
use crate::scripted::{Answer, Call, ScriptedModel, Sent, Turn};
use agent_tasklist::store::Store;
use agent_tasklist::tools::ListTools;
use rig::agent::PromptResponse;
use rig::completion::PromptError;
use serde_json::{Value, json};
use std::fmt::Write;

/// What the user asks for.
pub const PROMPT: &str =
    "Release version 2: fix the login bug, run the tests, write the notes, publish.";

const TESTS: &str = "Run the tests";
const PUBLISH: &str = "Publish the release";

/// Has an agent of `model` work on [`PROMPT`] with the tools over `list`, until it gives an answer.
pub async fn run<S: Store + Clone + 'static>(
    model: &ScriptedModel,
    list: &ListTools<S>,
) -> Result<PromptResponse, PromptError> {
    agent(model.model(), list)
        .prompt(PROMPT)
        .max_turns(20)
        .await
}

/// What the model does, turn by turn.
pub fn script() -> Vec<Turn> {
    vec![
        // The list as JSON in a string, and a status of another vocabulary.
        turn(|_| {
            let tasks = json!([
                {"content": "Fix the login bug", "status": "todo"},
                {"content": TESTS, "status": "todo"},
                {"content": "Write the notes", "status": "todo"},
                {"content": PUBLISH, "status": "todo"},
            ]);
            call("task_write", json!({"tasks": tasks.to_string()}))
        }),
        turn(|sent| {
            sent.result_with("[0/4 completed]")?;
            call("task_claim", json!({}))
        }),
        // An id of its own making.
        turn(|sent| {
            sent.result_with("You have ")?;
            call("task_complete", json!({"id": "task_1"}))
        }),
        turn(|sent| {
            let known = sent.result_with("Task not found")?;
            let running = ids(known, |line| line.contains("(in_progress)"));
            call("task_complete", json!({"id": only(&running)?}))
        }),
        // A dependency the wrong way round, and so the right one makes a cycle.
        turn(|sent| {
            let known = sent.result_with("[1/4 completed]")?;
            let (tests, publish) = (titled(known, TESTS)?, titled(known, PUBLISH)?);
            call("task_update", json!({"id": tests, "addBlockedBy": publish}))
        }),
        turn(|sent| publish_after_tests(sent.result_with("(blocked by ")?)),
        turn(|sent| {
            let refused = sent.result_with("Dependency cycle: ")?;
            let cycle = between(refused, "Dependency cycle: ", ". ")?;
            let path: Vec<&str> = cycle.split(" → ").collect();
            let asked = sent.last_arguments()?;
            let wrong = (path.windows(2))
                .find(|edge| asked["id"] != edge[1])
                .ok_or("the cycle has no dependency but the one asked for")?;
            call(
                "task_update",
                json!({"id": wrong[1], "removeBlockedBy": [wrong[0]]}),
            )
        }),
        turn(|sent| publish_after_tests(sent.result_with("Tasks updated")?)),
        // A blocked task, and a status in another spelling.
        turn(|sent| {
            let publish = titled(sent.result_with("(blocked by ")?, PUBLISH)?;
            call(
                "task_update",
                json!({"id": publish, "status": "in-progress"}),
            )
        }),
        turn(|sent| {
            let refused = sent.result_with("Cannot set ")?;
            let blocker = between(refused, "it is blocked by ", ". ")?;
            call("task_complete", json!({"id": blocker}))
        }),
        turn(|sent| {
            sent.result_with("[2/4 completed]")?;
            call("task_check", json!({}))
        }),
        // Arguments that end too early.
        turn(|sent| {
            let open = incomplete(sent.result_with("All tasks completed: NO")?);
            let whole = json!({"id": open.first().ok_or("no task is open")?}).to_string();
            let cut_off = &whole[..whole.len() - 2];
            Ok(Answer::Call(vec![Call::raw("task_complete", cut_off)]))
        }),
        turn(|sent| {
            sent.result_with("not valid JSON")?;
            let open = incomplete(sent.last_result_with("All tasks completed: NO")?);
            let complete = |id: &&str| Call::new("task_complete", json!({"id": id}));
            Ok(Answer::Call(open.iter().map(complete).collect()))
        }),
        turn(|sent| {
            let refused =
                (sent.results().into_iter()).find(|text| !text.starts_with("Tasks updated"));
            refused.map_or(Ok(()), |text| Err(text.to_owned()))?;
            call("task_check", json!({}))
        }),
        turn(|sent| {
            let check = sent.result_with("All tasks completed: YES")?;
            let count = between(check, "[", " completed]")?;
            Ok(Answer::Say(format!(
                "Version 2 is out: {count} tasks done."
            )))
        }),
    ]
}

fn turn(answer: impl FnOnce(&Sent) -> Result<Answer, String> + Send + 'static) -> Turn {
    Box::new(answer)
}

fn call(name: &str, arguments: Value) -> Result<Answer, String> {
    Ok(Answer::Call(vec![Call::new(name, arguments)]))
}

fn publish_after_tests(known: &str) -> Result<Answer, String> {
    let (tests, publish) = (titled(known, TESTS)?, titled(known, PUBLISH)?);
    call(
        "task_update",
        json!({"id": publish, "addBlockedBy": [tests]}),
    )
}

/// The ids of the lines `- id: subject …` that are wanted.
fn ids(text: &str, wanted: impl Fn(&str) -> bool) -> Vec<&str> {
    let lines = text.lines().filter_map(|line| line.strip_prefix("- "));
    let lines = lines.filter(|line| wanted(line));
    lines
        .filter_map(|line| Some(line.split_once(": ")?.0))
        .collect()
}

/// The id of the task with a subject.
fn titled<'a>(text: &'a str, subject: &str) -> Result<&'a str, String> {
    only(&ids(text, |line| line.contains(&format!(": {subject} ("))))
}

/// The ids of what task_check calls incomplete.
fn incomplete(check: &str) -> Vec<&str> {
    match check.split_once("Incomplete tasks:") {
        Some((_, tasks)) => ids(tasks, |_| true),
        None => Vec::new(),
    }
}

fn only<'a>(ids: &[&'a str]) -> Result<&'a str, String> {
    match ids {
        [id] => Ok(id),
        _ => Err(format!("one id is wanted: {ids:?}")),
    }
}

fn between<'a>(text: &'a str, before: &str, after: &str) -> Result<&'a str, String> {
    let part = text
        .split_once(before)
        .and_then(|(_, rest)| rest.split_once(after));
    let part = part.map(|(part, _)| part);
    part.ok_or_else(|| format!("nothing between {before:?} and {after:?} in {text:?}"))
}

/// What was said, for people: each call of a turn, and the result that the next request brought.
pub fn transcript(played: &[(Sent, Answer)]) -> String {
    let mut text = format!("User: {PROMPT}\n");
    for (i, (_, answer)) in played.iter().enumerate() {
        let turn = i + 1;
        let calls = match answer {
            Answer::Say(said) => {
                let _ = writeln!(text, "\n{turn}. {said}");
                continue;
            }
            Answer::Call(calls) => calls,
        };
        let results = played
            .get(turn)
            .map_or(Vec::new(), |(sent, _)| sent.results());
        for (i, call) in calls.iter().enumerate() {
            let _ = writeln!(text, "\n{turn}. {} {}", call.name, call.arguments);
            for line in results.get(i).into_iter().flat_map(|text| text.lines()) {
                let _ = writeln!(text, "{}", format!("   | {line}").trim_end());
            }
        }
    }
    text
}
