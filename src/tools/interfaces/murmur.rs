//! Murmur's four task tools: its parameters, its JSON, its error codes.
//!
//! A deleted task is still listed, and a refusal starts with a code. Which list a `slug` means is not decided here.
//! Tested in `tests/murmur.rs` and `tests/store.rs`.

use crate::activation::Activation;
use crate::id::TaskId;
use crate::list::TaskList;
use crate::status::Status;
use crate::task::Task;
use crate::tools::catalogue::{Asked, Hints, Interface, Shown, Tool};
use crate::tools::params::{ACTIVATION, Arg, DESCRIPTION, Holds, METADATA, Need, Param, STATUS};
use crate::tools::refusal::{RefusalKind, Refused};
use crate::tools::reply::{ActivationOut, Detail, ids};
use crate::tools::run::{Done, What};
use crate::tools::{notes, run, schema, words};
use serde::Serialize;
use serde_json::{Value, json};

pub(in crate::tools) static INTERFACE: Interface = Interface {
    name: "murmur",
    tools: &[LIST, CREATE, UPDATE, GET],
    tells_effects: false,
    to_keep: "",
    done,
    refused,
};

const LIST: Tool = Tool {
    name: "task_list",
    title: "List the tasks",
    description: "List all tasks with their ids, statuses and dependencies, as a JSON array. \
        A task with an activation is dormant until it is met: do not work on it.",
    params: &[SLUG, WORKSPACE],
    example: "{}",
    output: |_| {
        let listed = schema::array(task_schema(Detail::Full), "All tasks, in order");
        schema::object(&[("tasks", listed, true)])
    },
    verb: run::list,
    ..Tool::LOOK
};

const CREATE: Tool = Tool {
    name: "task_create",
    title: "Create a task",
    hints: Hints::ADDS,
    description: "Add one task to the end of the list. Returns its id. With activate_when the \
        task is dormant until a file that matches pattern is modified, and holds up nothing.",
    params: &[
        SUBJECT
            .about("What to do, short and in the imperative")
            .required(),
        DESCRIPTION,
        Param::new(
            Arg::ActivateWhen,
            "activate_when",
            Holds::Choice(&[Activation::FILES_MODIFIED]),
        )
        .about("What the task sleeps until"),
        Param::new(Arg::Pattern, "pattern", Holds::Text)
            .about("Glob of files, only with activate_when: *.go, docs/**. Empty: any file"),
        ACTIVATION.need(Need::Hidden),
        METADATA,
        SLUG,
        WORKSPACE,
    ],
    example: r#"{"subject": "Fix the bug"}"#,
    output: made_schema,
    verb: run::create,
    ..Tool::LOOK
};

const UPDATE: Tool = Tool {
    name: "task_update",
    title: "Update a task",
    hints: Hints::DESTROYS,
    description: "Change one task by id; give only what changes. Set it to in_progress before you \
        start on it{rule}, and to completed as soon as it is done. A task that is blocked can be neither.",
    rule: [
        " (only one task can be; the other goes back to pending)",
        " (each owner can have one; the other goes back to pending)",
        "",
    ],
    params: &[
        TASK_ID,
        STATUS
            .holds(Holds::Status(words::ALL))
            .about("The new status"),
        SUBJECT.about("The new subject"),
        DESCRIPTION.about("The new description"),
        Param::new(Arg::AddBlocks, "add_blocks", Holds::Ids)
            .about("Tasks that cannot start until this one is completed"),
        Param::new(Arg::AddBlockedBy, "add_blocked_by", Holds::Ids)
            .about("Tasks that must be completed before this one can start")
            .aliases(&["adddependencies"]),
        SLUG,
        WORKSPACE,
    ],
    example: r#"{"task_id": "task_fix_the_bug", "status": "in_progress"}"#,
    output: made_schema,
    verb: run::update,
    ..Tool::LOOK
};

const GET: Tool = Tool {
    name: "task_get",
    title: "Show a task",
    description: "Show one task by id: its description, status and dependencies.",
    params: &[TASK_ID, SLUG, WORKSPACE],
    example: r#"{"task_id": "task_fix_the_bug"}"#,
    output: task_schema,
    verb: run::get_also_deleted,
    ..Tool::LOOK
};

const TASK_ID: Param = Param::new(Arg::Id, "task_id", Holds::Id)
    .about("The id of the task")
    .aliases(&["id"])
    .required();
const SUBJECT: Param = Param::new(Arg::Subject, "subject", Holds::Text)
    .aliases(&["content", "title", "step", "task", "text", "name"]);
const SLUG: Param = Param::new(Arg::Slug, "slug", Holds::Text)
    .about("Whose list: empty for your own, a name, or /w/workspace/u/account/slug");
const WORKSPACE: Param =
    Param::new(Arg::Workspace, "workspace", Holds::Text).about("Another workspace than your own");

fn task_schema(_: Detail) -> Value {
    let text = schema::string;
    let names: Vec<&str> = words::ALL
        .iter()
        .copied()
        .map(words::protocol_name)
        .collect();
    let ids = || schema::array(text("A task id"), "In list order");
    schema::object(&[
        ("taskId", text("Always there"), true),
        ("subject", text("Always there"), true),
        ("status", schema::string_enum(&names, "Always there"), true),
        ("description", text("More about it"), false),
        ("blocks", ids(), false),
        ("blockedBy", ids(), false),
        ("activation", schema::files_modified("A glob"), false),
    ])
}

/// The data of a create or an update.
fn made_schema(_: Detail) -> Value {
    let notes = schema::array(schema::string("A note"), "What was not to be expected");
    let id = schema::string("The id of the task");
    schema::object(&[("task_id", id, true), ("notes", notes, false)])
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
            status: words::protocol_name(status),
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

/// What a create or an update gives.
#[derive(Serialize)]
struct MadeOut<'a> {
    task_id: &'a str,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    notes: &'a [String],
}

fn done(_: &Asked<'_>, list: &TaskList, done: &Done) -> Shown {
    let notes = &done.notes;
    match &done.what {
        What::Created(id) => {
            let task_id = id.as_str();
            as_json(&MadeOut { task_id, notes })
        }
        What::Updated(id) | What::Deleted(id) => {
            let mut text = format!("updated task {id}");
            notes::append(&mut text, notes);
            let task_id = id;
            (text, json!(MadeOut { task_id, notes }).into())
        }
        What::Found(id) => {
            let mut retired = list.retired();
            let retired = retired.find(|retired| retired.task.id == *id);
            let live = list.get(id).map(|task| TaskOut::alone(list, task));
            let deleted = || Some(TaskOut::new(&retired?.task, Status::Deleted));
            as_json(&live.or_else(deleted))
        }
        // No row here has a verb that does another thing.
        _ => {
            let deleted = list.retired().rev().filter(|retired| retired.deleted);
            let tasks: Vec<TaskOut<'_>> = (list.tasks().map(|task| TaskOut::listed(list, task)))
                .chain(deleted.map(|retired| TaskOut::new(&retired.task, Status::Deleted)))
                .collect();
            let text = serde_json::to_string(&tasks).unwrap_or_default();
            (text, json!({"tasks": tasks}).into())
        }
    }
}

/// A reply whose text is its data as JSON.
fn as_json(out: &impl Serialize) -> Shown {
    let text = serde_json::to_string(out).unwrap_or_default();
    (text, json!(out).into())
}

fn refused(_: &Asked<'_>, refused: &Refused) -> Shown {
    let (code, message) = (code(refused.refusal.kind), &refused.message);
    let data = json!({"error": {"code": code, "message": message}});
    (format!("{code}: {message}"), data.into())
}

/// Murmur's codes, which are those of gRPC.
fn code(kind: RefusalKind) -> &'static str {
    match kind {
        RefusalKind::UnknownTool
        | RefusalKind::UnknownTask
        | RefusalKind::OtherList
        | RefusalKind::NoList => "NOT_FOUND",
        RefusalKind::InvalidArguments | RefusalKind::Refused => "INVALID_ARGUMENT",
        RefusalKind::Unauthenticated => "UNAUTHENTICATED",
        RefusalKind::Outdated | RefusalKind::Conflict => "ABORTED",
        RefusalKind::Corrupt => "DATA_LOSS",
        RefusalKind::Unavailable => "UNAVAILABLE",
    }
}
