//! A long conversation whose old messages are dropped, and a model that still works off its list.
//!
//! The model is a script, without a network: it knows nothing but the messages that are still there, and
//! takes the list to be what the signals among them say. The window holds so few that all else is forgotten.
//!
//! ```text
//! cargo run --example loop
//! ```

use agent_tasklist::TaskList;
use agent_tasklist::render::{Mode, progress};
use agent_tasklist::store::{ListKey, MemoryStore, StoreError, block_on};
use agent_tasklist::tools::{Detail, ListTools, TaskSignals, Toolset};
use serde_json::{Value, json};
use std::io::{self, Write};

/// How many messages the model's window holds.
const WINDOW: usize = 6;
/// How many turns the model has.
const TURNS: usize = 100;

/// The tools and the signal, registered with the loop as one.
type Signals = TaskSignals<MemoryStore>;

#[derive(Debug)]
enum Message {
    Signal(Mode, String),
    /// A call, or its result.
    Other,
}

/// How a conversation went.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    /// Calls of the model.
    pub(crate) turns: usize,
    /// Signals with the whole list.
    pub(crate) snapshots: usize,
    /// Signals with what changed.
    pub(crate) deltas: usize,
    /// Messages that the model no longer saw at the end.
    pub(crate) dropped: usize,
    /// The list at the end.
    pub(crate) list: TaskList,
}

/// Runs the conversation until the model has nothing left to do.
pub(crate) async fn converse(
    signals: &mut Signals,
    out: &mut impl Write,
) -> Result<Outcome, StoreError> {
    let mut outcome = Outcome::default();
    let mut messages: Vec<Message> = Vec::new();
    while outcome.turns < TURNS {
        let is_snapshot = |message: &Message| matches!(message, Message::Signal(Mode::Snapshot, _));
        let base_in_window = messages.iter().any(is_snapshot);
        if let Some(signal) = signals.next(base_in_window).await? {
            match signal.mode {
                Mode::Snapshot => outcome.snapshots += 1,
                _ => outcome.deltas += 1,
            }
            let _ = writeln!(out, "{}\n", signal.text);
            messages.push(Message::Signal(signal.mode, signal.text));
        }
        let Some((tool, args)) = model(&messages) else {
            break;
        };
        outcome.turns += 1;
        let reply = signals.tools().call(tool, &args).await;
        let _ = writeln!(out, "{}. {tool} {args}\n{}\n", outcome.turns, reply.text);
        messages.extend([Message::Other, Message::Other]);
        let forgotten = messages.len().saturating_sub(WINDOW);
        outcome.dropped += forgotten;
        messages.drain(..forgotten);
    }
    let stored = signals.tools().load().await?;
    outcome.list = stored.map(|stored| stored.list).unwrap_or_default();
    Ok(outcome)
}

/// What the model does next, from what it still sees; `None` when it is done.
fn model(messages: &[Message]) -> Option<(&'static str, Value)> {
    let Some(tasks) = known(messages) else {
        // Nothing of a list: it plans.
        let tasks: Vec<Value> = (1..=12)
            .map(|n| {
                let before: Vec<String> = (n > 1).then(|| format!("step-{}", n - 1)).into_iter().collect();
                json!({"id": format!("step-{n}"), "content": format!("Step {n}"), "status": "pending", "blockedBy": before})
            })
            .collect();
        return Some(("task_write", json!({"tasks": tasks})));
    };
    let with = |status: &str| {
        let is = |task: &&Known| task.status == status && !task.text.contains(" (blocked by ");
        tasks.iter().find(is).map(|task| &task.id)
    };
    match (with("in_progress"), with("pending")) {
        (Some(id), _) => Some(("task_complete", json!({"id": id}))),
        (None, Some(id)) => Some(("task_update", json!({"id": id, "status": "in_progress"}))),
        (None, None) => None,
    }
}

#[derive(Debug)]
struct Known {
    id: String,
    status: String,
    text: String,
}

/// The list as the signals say it is; `None` where there is no snapshot among them.
fn known(messages: &[Message]) -> Option<Vec<Known>> {
    let mut tasks: Option<Vec<Known>> = None;
    for message in messages {
        let Message::Signal(mode, text) = message else {
            continue;
        };
        if *mode == Mode::Snapshot {
            tasks = Some(Vec::new());
        }
        let Some(tasks) = tasks.as_mut() else {
            continue;
        };
        for line in text.lines() {
            let (Some(id), Some(status)) = (between(line, "{id: ", "}"), between(line, " [", "]"))
            else {
                continue;
            };
            let text = line.to_owned();
            match tasks.iter_mut().find(|task| task.id == id) {
                Some(task) => (task.status, task.text) = (status, text),
                None => tasks.push(Known { id, status, text }),
            }
        }
    }
    tasks
}

fn between(text: &str, before: &str, after: &str) -> Option<String> {
    let (_, rest) = text.split_once(before)?;
    Some(rest.split_once(after)?.0.to_owned())
}

/// The tools and the signal over a list in memory.
pub(crate) fn signals() -> Result<Signals, agent_tasklist::Error> {
    let tools = Toolset::full().with_detail(Detail::Changed);
    let tools = ListTools::new(MemoryStore::new(), ListKey::new("thread-1")?, tools);
    Ok(TaskSignals::new(tools))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let outcome = block_on(converse(&mut signals()?, &mut io::stdout()))?;
    println!(
        "{} turns, {} messages forgotten, {} snapshots and {} deltas: {}",
        outcome.turns,
        outcome.dropped,
        outcome.snapshots,
        outcome.deltas,
        progress(&outcome.list, None)
    );
    Ok(())
}
