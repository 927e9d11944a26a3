//! Murmur's four task tools: its parameters, its JSON, its error codes.

use super::data::{ActivationOut, ids};
use super::input::{Input, Object, Prepared};
use super::{Refusal, Reply, ToolSpec, Toolset, no_such_tool, notes, schema};
use crate::activation::Activation;
use crate::change::Changes;
use crate::error::Error;
use crate::id::TaskId;
use crate::list::TaskList;
use crate::policy::{InProgress, Policy};
use crate::task::{Status, Task, TaskDraft, TaskPatch};
use serde::Serialize;
use serde_json::json;
use std::fmt::Write;

const STATUSES: [&str; 4] = ["pending", "in_progress", "completed", "deleted"];

pub(super) fn specs(policy: &Policy) -> Vec<ToolSpec> {
    let text = schema::string;
    let task_id = || text("The id of the task");
    let ids = |description| schema::array(text("A task id"), description);
    let target = [
        (
            "slug",
            text("Whose list: empty for your own, a name, or /w/workspace/u/account/slug"),
            false,
        ),
        ("workspace", text("Another workspace than your own"), false),
    ];
    let with_target = |properties: &[_]| schema::object(&[properties, &target[..]].concat());
    let conditions = [Activation::FILES_MODIFIED];
    let one = match policy.in_progress {
        InProgress::One => " (only one task can be; the other goes back to pending)",
        InProgress::PerOwner => " (each owner can have one; the other goes back to pending)",
        InProgress::Unlimited => "",
    };
    let ids_out = || schema::array(text("A task id"), "In list order");
    let words = [
        "TASK_STATUS_PENDING",
        "TASK_STATUS_IN_PROGRESS",
        "TASK_STATUS_COMPLETED",
        "TASK_STATUS_DELETED",
    ];
    let task = [
        ("taskId", text("Always there"), true),
        ("subject", text("Always there"), true),
        ("status", schema::string_enum(&words, "Always there"), true),
        ("description", text("More about it"), false),
        ("blocks", ids_out(), false),
        ("blockedBy", ids_out(), false),
        (
            "activation",
            schema::object(&[(
                "filesModified",
                schema::array(text("A glob"), "Any of these"),
                true,
            )]),
            false,
        ),
    ];
    let listed = schema::array(schema::object(&task), "All tasks, in order");
    let notes = schema::array(text("A note"), "What was not to be expected");
    let made = [("task_id", task_id(), true), ("notes", notes, false)];
    vec![
        ToolSpec::new(
            "task_list",
            "List all tasks with their ids, statuses and dependencies, as a JSON array. \
                A task with an activation is dormant until it is met: do not work on it.".into(),
            with_target(&[]),
            schema::object(&[("tasks", listed, true)]),
        ),
        ToolSpec::new(
            "task_create",
            "Add one task to the end of the list. Returns its id. With activate_when the \
                task is dormant until a file that matches pattern is modified, and holds up nothing.".into(),
            with_target(&[
                (
                    "subject",
                    text("What to do, short and in the imperative"),
                    true,
                ),
                ("description", text("More about it"), false),
                (
                    "activate_when",
                    schema::string_enum(&conditions, "What the task sleeps until"),
                    false,
                ),
                (
                    "pattern",
                    text("Glob of files, only with activate_when: *.go, docs/**. Empty: any file"),
                    false,
                ),
            ]),
            schema::object(&made),
        ),
        ToolSpec::new(
            "task_update",
            format!(
                "Change one task by id; give only what changes. Set it to in_progress before you \
                 start on it{one}, and to completed as soon as it is done. A task that is blocked can be neither."
            ),
            with_target(&[
                ("task_id", task_id(), true),
                (
                    "status",
                    schema::string_enum(&STATUSES, "The new status"),
                    false,
                ),
                ("subject", text("The new subject"), false),
                ("description", text("The new description"), false),
                (
                    "add_blocks",
                    ids("Tasks that cannot start until this one is completed"),
                    false,
                ),
                (
                    "add_blocked_by",
                    ids("Tasks that must be completed before this one can start"),
                    false,
                ),
            ]),
            schema::object(&made),
        ),
        ToolSpec::new(
            "task_get",
            "Show one task by id: its description, status and dependencies.".into(),
            with_target(&[("task_id", task_id(), true)]),
            schema::object(&task),
        ),
    ]
}

/// A task in Murmur's form.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct TaskOut<'a> {
    task_id: &'a str,
    subject: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'a str>,
    status: &'static str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    blocks: Vec<&'a TaskId>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    blocked_by: Vec<&'a TaskId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    activation: Option<ActivationOut<'a>>,
}

impl<'a> TaskOut<'a> {
    fn new(task: &'a Task, status: Status) -> Self {
        TaskOut {
            task_id: task.id.as_str(),
            subject: &task.subject,
            description: task.description.as_deref(),
            status: match status {
                Status::Pending => "TASK_STATUS_PENDING",
                Status::InProgress => "TASK_STATUS_IN_PROGRESS",
                Status::Completed => "TASK_STATUS_COMPLETED",
                Status::Deleted => "TASK_STATUS_DELETED",
            },
            blocks: Vec::new(),
            blocked_by: Vec::new(),
            activation: ActivationOut::of(task),
        }
    }

    /// A task of a listing, which tells each dependency once: at the task that waits.
    fn listed(list: &'a TaskList, task: &'a Task) -> Self {
        TaskOut {
            blocked_by: ids(list.blocked_by(&task.id)),
            ..TaskOut::new(task, task.status)
        }
    }

    fn alone(list: &'a TaskList, task: &'a Task) -> Self {
        TaskOut {
            blocks: ids(list.blocks(&task.id)),
            ..TaskOut::listed(list, task)
        }
    }
}

pub(super) fn call(tools: &Toolset, list: &mut TaskList, name: &str, args: &Prepared<'_>) -> Reply {
    let actor = tools.actor.as_deref().unwrap_or_default();
    let input = Input::new(args);
    let top = input.top();
    let done = match name {
        "task_list" => all(list, input),
        "task_create" => create(list, actor, input, &top),
        "task_update" => update(list, actor, input, &top),
        "task_get" => get(list, input, &top),
        _ => Err(Refusal::NoSuchTool),
    };
    done.unwrap_or_else(|refusal| refused(&no_such_tool(name, &tools.specs()), &refusal))
}

type Done = Result<Reply, Refusal>;

/// Whose list a call is about: its slug and its workspace, empty for the caller's own.
pub(super) fn target<'a>(args: &'a Prepared<'_>) -> Result<[&'a str; 2], Box<Reply>> {
    let mut input = Input::new(args);
    let top = input.top();
    let target = ["slug", "workspace"].map(|name| input.text(&top, name).unwrap_or_default());
    match input.finish(target) {
        Ok((target, _)) => Ok(target),
        Err(problems) => Err(Box::new(refused("", &Refusal::Input(problems)))),
    }
}

/// The answer where another list than the caller's own is meant and cannot be reached.
pub(super) fn out_of_reach(slug: &str) -> Reply {
    let slug = crate::error::Quote(slug).to_string();
    let meaning = format!(
        "No agent {slug:?} can be reached from here. Leave slug and workspace out for your own list."
    );
    failure("NOT_FOUND", &meaning)
}

/// A reply whose text is its data as JSON.
fn json_reply(out: &impl Serialize, changes: Changes) -> Reply {
    Reply {
        text: serde_json::to_string(out).unwrap_or_default(),
        data: serde_json::to_value(out).unwrap_or_default().into(),
        is_error: false,
        changes,
    }
}

fn all(list: &TaskList, input: Input<'_>) -> Done {
    input.finish(()).map_err(Refusal::Input)?;
    let deleted = list.retired().rev().filter(|retired| retired.deleted);
    let tasks: Vec<TaskOut<'_>> = (list.tasks().map(|task| TaskOut::listed(list, task)))
        .chain(deleted.map(|retired| TaskOut::new(&retired.task, Status::Deleted)))
        .collect();
    Ok(Reply {
        text: serde_json::to_string(&tasks).unwrap_or_default(),
        data: json!({"tasks": tasks}).into(),
        is_error: false,
        changes: Changes::default(),
    })
}

fn get(list: &TaskList, mut input: Input<'_>, top: &Object<'_>) -> Done {
    let id = input.required_id(top, "task_id");
    let (id, _) = input.finish(id).map_err(Refusal::Input)?;
    let id = id.unwrap_or_default();
    let deleted = || {
        list.retired()
            .find(|retired| retired.deleted && retired.task.id == *id.trim())
    };
    let out = match (list.get(id), deleted()) {
        (Some(task), _) => TaskOut::alone(list, task),
        (None, Some(retired)) => TaskOut::new(&retired.task, Status::Deleted),
        (None, None) => return Err(Refusal::List(list.unknown_task(id))),
    };
    Ok(json_reply(&out, Changes::default()))
}

fn create(list: &mut TaskList, actor: &str, mut input: Input<'_>, top: &Object<'_>) -> Done {
    let subject = input.required_text(top, "subject");
    let mut draft = TaskDraft::new(subject.unwrap_or_default());
    if let Some(description) = input.text(top, "description") {
        draft = draft.description(description);
    }
    if let Some(activation) = input.activate_when(top)? {
        draft = draft.activation(activation);
    }
    if let Some(metadata) = input.map(top, "metadata") {
        draft = draft.merge_metadata(metadata.clone());
    }
    let (draft, repairs) = input.finish(draft).map_err(Refusal::Input)?;
    let created = list.acting_as(actor).create(draft)?;
    let notes = notes(list, &created.changes, repairs);
    Ok(json_reply(
        &CreatedOut {
            task_id: &created.id,
            notes,
        },
        created.changes,
    ))
}

#[derive(Serialize)]
struct CreatedOut<'a> {
    task_id: &'a TaskId,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
}

fn update(list: &mut TaskList, actor: &str, mut input: Input<'_>, top: &Object<'_>) -> Done {
    let id = input.required_id(top, "task_id");
    let mut patch = TaskPatch::new();
    if let Some(status) = input.status(top, "status", &STATUSES) {
        patch = patch.status(status);
    }
    if let Some(subject) = input.text(top, "subject") {
        patch = patch.subject(subject);
    }
    if let Some(description) = input.text(top, "description") {
        patch = patch.description(description);
    }
    patch = patch
        .add_blocks(input.ids(top, "add_blocks"))
        .add_blocked_by(input.ids(top, "add_blocked_by"));
    if patch.is_empty() {
        input.nothing_to_do(
            "give at least one of status, subject, description, add_blocks, add_blocked_by",
        );
    }
    let ((id, patch), repairs) = input.finish((id, patch)).map_err(Refusal::Input)?;
    let id = id.unwrap_or_default();
    let changes = list.acting_as(actor).update(id, patch)?;
    let notes = notes(list, &changes, repairs);
    let mut text = format!("updated task {}", id.trim());
    for (i, note) in notes.iter().enumerate() {
        let _ = write!(text, "{}Note: {note}", if i == 0 { "\n\n" } else { "\n" });
    }
    let mut data = json!({"task_id": id.trim()});
    if !notes.is_empty() {
        data["notes"] = notes.into();
    }
    Ok(Reply {
        text,
        data: data.into(),
        is_error: false,
        changes,
    })
}

fn refused(no_such_tool: &str, refusal: &Refusal) -> Reply {
    let (code, meaning) = match refusal {
        Refusal::NoSuchTool => ("NOT_FOUND", no_such_tool.to_owned()),
        Refusal::List(error @ (Error::UnknownTask { .. } | Error::NotRetired { .. })) => {
            ("NOT_FOUND", error.to_string())
        }
        Refusal::List(error) => ("INVALID_ARGUMENT", error.to_string()),
        Refusal::Input(problems) => ("INVALID_ARGUMENT", problems.to_string()),
    };
    failure(code, &meaning)
}

pub(super) fn failure(code: &str, meaning: &str) -> Reply {
    Reply {
        text: format!("{code}: {meaning}"),
        data: json!({"error": {"code": code, "message": meaning}}).into(),
        is_error: true,
        changes: Changes::default(),
    }
}
