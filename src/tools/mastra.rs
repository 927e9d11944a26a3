//! Mastra's four task tools: its parameters, its texts, its result objects.

use super::input::Input;
use super::{Refusal, Reply, ToolSpec, notes, schema};
use crate::change::Changes;
use crate::error::{Error, Ids, KnownIds, Quote};
use crate::list::TaskList;
use crate::task::{Status, Task, TaskDraft, TaskPatch};
use crate::text::OneLine;
use serde_json::{Value, json};
use std::fmt::Write;

const STATUSES: [&str; 3] = ["pending", "in_progress", "completed"];
/// An update may delete too, though Mastra's schema has no word for it.
const UPDATES: [&str; 4] = ["pending", "in_progress", "completed", "deleted"];

pub(super) fn specs() -> Vec<ToolSpec> {
    let id = || schema::string("Stable task id, as returned by the task tools. Keep it unchanged.");
    let content = || schema::string("What to do, in the imperative: \"Fix the login bug\"");
    let status = || schema::string_enum(&STATUSES, "Current status");
    let active_form =
        || schema::string("Present continuous, shown while it runs: \"Fixing the login bug\"");
    let item = schema::object(&[
        ("id", id(), false),
        ("content", content(), true),
        ("status", status(), true),
        ("activeForm", active_form(), false),
    ]);
    let tasks = schema::array(item, "The complete new task list, in order");
    vec![
        ToolSpec {
            name: "task_write",
            description: "Create the task list, or replace it after replanning. Pass the FULL list each time: \
                a task that is left out is removed. Use it for work of three or more steps. \
                Keep ids unchanged; a task without id keeps the id it had if its content is the same. \
                Only one task can be in_progress. To change one task use task_update or task_complete.",
            input_schema: schema::object(&[("tasks", tasks, true)]),
        },
        ToolSpec {
            name: "task_update",
            description: "Change one task by id; give only what changes. Set it to in_progress BEFORE \
                starting work on it: the task that was in progress goes back to pending.",
            input_schema: schema::object(&[
                ("id", id(), true),
                ("content", content(), false),
                ("status", status(), false),
                ("activeForm", active_form(), false),
            ]),
        },
        ToolSpec {
            name: "task_complete",
            description: "Mark one task completed by id, as soon as it is done.",
            input_schema: schema::object(&[("id", id(), true)]),
        },
        ToolSpec {
            name: "task_check",
            description: "Show what is completed and what is not. Call it before you finish: \
                while tasks are incomplete, go on with them.",
            input_schema: schema::object(&[]),
        },
    ]
}

pub(super) fn call(list: &mut TaskList, name: &str, args: &Value) -> Reply {
    let done = match name {
        "task_write" => write(list, args),
        "task_update" => update(list, args),
        "task_complete" => complete(list, args),
        "task_check" => return check(list),
        _ => Err(Refusal::NoSuchTool),
    };
    match done {
        Ok((changes, repairs)) => {
            let mut text = overview(list);
            let notes = notes(list, &changes).into_iter().chain(repairs);
            for (i, note) in notes.enumerate() {
                text.push_str(if i == 0 { "\n\n" } else { "\n" });
                text.push_str("Note: ");
                text.push_str(&note);
            }
            reply(list, text, false, changes)
        }
        Err(refusal) => reply(
            list,
            refused(list, name, &refusal),
            true,
            Changes::default(),
        ),
    }
}

type Done = Result<(Changes, Vec<String>), Refusal>;

fn write(list: &mut TaskList, args: &Value) -> Done {
    let mut input = Input::new(args);
    let drafts = input.objects("tasks", |input, item| {
        let mut draft = TaskDraft::new(input.text(&item, "content").unwrap_or_default());
        if let Some(id) = input.id(&item, "id") {
            draft = draft.id(id);
        }
        if let Some(status) = input.status(&item, "status", &STATUSES) {
            draft = draft.status(status);
        }
        if let Some(active_form) = input.text(&item, "activeForm") {
            draft = draft.active_form(active_form);
        }
        draft
    });
    let (drafts, repairs) = input.finish(drafts).map_err(Refusal::Input)?;
    Ok((list.write(drafts)?, repairs))
}

fn update(list: &mut TaskList, args: &Value) -> Done {
    let mut input = Input::new(args);
    let top = input.top();
    let id = input.required_id(&top, "id");
    let mut patch = TaskPatch::new();
    if let Some(content) = input.text(&top, "content") {
        patch = patch.subject(content);
    }
    if let Some(status) = input.status(&top, "status", &UPDATES) {
        patch = patch.status(status);
    }
    if let Some(active_form) = input.text(&top, "activeForm") {
        patch = patch.active_form(active_form);
    }
    if patch.is_empty() {
        input.nothing_to_do("give at least one of content, status, activeForm");
    }
    let ((id, patch), repairs) = input.finish((id, patch)).map_err(Refusal::Input)?;
    Ok((list.update(id.unwrap_or_default(), patch)?, repairs))
}

fn complete(list: &mut TaskList, args: &Value) -> Done {
    let mut input = Input::new(args);
    let id = input.required_id(&input.top(), "id");
    let (id, repairs) = input.finish(id).map_err(Refusal::Input)?;
    Ok((list.complete(id.unwrap_or_default())?, repairs))
}

fn check(list: &TaskList) -> Reply {
    let incomplete: Vec<&Task> = list.open_tasks().collect();
    let text = check_text(list, &incomplete);
    let mut reply = reply(list, text, false, Changes::default());
    add_summary(&mut reply, list);
    reply
}

/// The answer where there is no list to be had.
pub(super) fn failure(name: &str, meaning: &str) -> Reply {
    let list = TaskList::new();
    let mut reply = reply(&list, meaning.to_owned(), true, Changes::default());
    if name == "task_check" {
        add_summary(&mut reply, &list);
    }
    reply
}

/// The answer to a write that was made from another version of the list.
pub(super) fn outdated(list: &TaskList, base: u64, revision: u64) -> Reply {
    let text = format!(
        "The list has changed: it is at revision {revision}, and baseRevision is {base}. Nothing was \
         written. Write again from the list as it is now.\n\n{}",
        overview(list).replacen("Tasks updated", "Tasks", 1)
    );
    reply(list, text, true, Changes::default())
}

fn add_summary(reply: &mut Reply, list: &TaskList) {
    let summary = list.summary();
    reply.data["summary"] = json!({
        "total": summary.total,
        "completed": summary.completed,
        "inProgress": summary.in_progress,
        "pending": summary.pending,
        "incomplete": summary.incomplete,
        "hasTasks": summary.has_tasks,
        "allCompleted": summary.all_completed,
    });
    reply.data["incompleteTasks"] = list.open_tasks().map(task_data).collect();
}

fn reply(list: &TaskList, text: String, is_error: bool, changes: Changes) -> Reply {
    let tasks: Vec<Value> = list.tasks().map(task_data).collect();
    let data = json!({"content": text, "tasks": tasks, "isError": is_error});
    Reply {
        text,
        data,
        is_error,
        changes,
    }
}

fn task_data(task: &Task) -> Value {
    json!({
        "id": task.id.as_str(),
        "content": &*task.subject,
        "status": task.status.as_str(),
        "activeForm": task.active_label(),
    })
}

fn task_line(text: &mut String, task: &Task) {
    let subject = OneLine(&task.subject);
    let _ = write!(text, "\n- {}: {subject} ({})", task.id, task.status);
}

/// What a change leaves the list at.
fn overview(list: &TaskList) -> String {
    let summary = list.summary();
    let mut text = format!(
        "Tasks updated: [{}/{} completed]",
        summary.completed, summary.total
    );
    if let Some(task) = list.in_progress().next() {
        let label = OneLine(task.active_label());
        let _ = write!(text, "\nCurrently: {label} ({})", task.id);
    }
    if summary.has_tasks {
        text.push_str("\nTask IDs:");
        list.tasks().for_each(|task| task_line(&mut text, task));
    }
    text
}

fn check_text(list: &TaskList, incomplete: &[&Task]) -> String {
    let summary = list.summary();
    if !summary.has_tasks {
        return "No tasks found. Consider using task_write to create a task list for complex work."
            .into();
    }
    let mut text = format!(
        "Task Status: [{completed}/{total} completed]\n- Completed: {completed}\n- In Progress: {}\n\
         - Pending: {}\n\nAll tasks completed: {}",
        summary.in_progress,
        summary.pending,
        if summary.all_completed { "YES" } else { "NO" },
        completed = summary.completed,
        total = summary.total,
    );
    if !incomplete.is_empty() {
        text.push_str("\n\nIncomplete tasks:");
    }
    for (title, status) in [
        ("In Progress", Status::InProgress),
        ("Pending", Status::Pending),
    ] {
        let mut tasks = incomplete
            .iter()
            .filter(|task| task.status == status)
            .peekable();
        if tasks.peek().is_some() {
            let _ = write!(text, "\n\n{title}:");
        }
        for task in tasks {
            let _ = write!(text, "\n- {}: {}", task.id, OneLine(&task.subject));
        }
    }
    for (i, task) in list.dormant().enumerate() {
        text.push_str(if i == 0 {
            "\n\nDormant (do not work on these):"
        } else {
            ""
        });
        let _ = write!(text, "\n- {}: {}", task.id, OneLine(&task.subject));
    }
    if !incomplete.is_empty() {
        text.push_str("\n\nContinue working on these tasks before ending.");
    }
    text
}

fn refused(list: &TaskList, name: &str, refusal: &Refusal) -> String {
    match refusal {
        Refusal::NoSuchTool => super::no_such_tool(name, &specs()),
        Refusal::Input(problems) => problems.to_string(),
        Refusal::List(Error::UnknownTask { id, known }) => {
            let mut text = format!("Task not found: {}\n\n", Quote(id));
            if known.total == 0 {
                text.push_str("No tasks are currently tracked.");
            } else {
                text.push_str("Available task IDs:");
                list.tasks()
                    .take(KnownIds::MOST)
                    .for_each(|task| task_line(&mut text, task));
                if known.total > KnownIds::MOST {
                    let _ = write!(text, "\n- and {} more", known.total - KnownIds::MOST);
                }
            }
            text
        }
        Refusal::List(Error::TooManyInProgress { ids, .. }) => format!(
            "Only one task can be in_progress at a time.\n\n\
             This call sets {} tasks to in_progress: {}. Keep one of them, and set the others to pending.",
            ids.len(),
            Ids(ids)
        ),
        Refusal::List(Error::MissingSubject { item }) => format!(
            "Nothing was changed.\n- tasks[{item}].content: missing; \
             a new task needs a short imperative text"
        ),
        Refusal::List(error) => error.to_string(),
    }
}
