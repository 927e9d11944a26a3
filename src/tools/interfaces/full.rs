//! The full set: Mastra's tools with all fields, and tools for single tasks and for several owners.
//!
//! The rows that Mastra has too are its own with more parameters and the longer replies. Tested in
//! `tests/owners.rs`, `tests/detail.rs` and `tests/lenient.rs`.

use super::form::{Form, ids};
use super::mastra;
use crate::task::Field;
use crate::tools::catalogue::{Hints, Interface, Tool};
use crate::tools::params::{
    ACTIVATION, ACTIVE_FORM, Arg, BASE_REVISION, BLOCKED_BY, BLOCKS, CONTENT, DESCRIPTION, Holds,
    ID, MERGE, METADATA, OWNER, Param, STATE, STATUS,
};
use crate::tools::{run, schema, words};

pub(in crate::tools) static INTERFACE: Interface = Interface {
    name: "full",
    tools: &[
        WRITE, UPDATE, COMPLETE, CHECK, CREATE, DELETE, LIST, GET, CLAIM, RELEASE,
    ],
    tells_effects: true,
    to_keep: "To keep them, send them too, or add single tasks with task_create or with merge: true.",
    done: |asked, list, done| FORM.done(asked, list, done),
    refused: |asked, refused| {
        let (text, data) = FORM.refused(asked, refused);
        (text, data.into())
    },
};

const FORM: Form = Form { full: true };

const WRITE: Tool = Tool {
    params: &[mastra::tasks(&WRITTEN), MERGE, BASE_REVISION],
    output: |detail| FORM.result(detail, Vec::new()),
    ..mastra::WRITE
};

// A whole list says each status, so that none is kept by accident; a new task may leave it out.
const WRITTEN: [Param; 11] = task(STATUS.required());
const CREATED: [Param; 11] = task(STATUS);

/// The parameters of a new task.
#[rustfmt::skip]
const fn task(status: Param) -> [Param; 11] {
    [
        ID, CONTENT.required(), status, ACTIVE_FORM, DESCRIPTION, BLOCKED_BY, BLOCKS, ACTIVATION, OWNER, STATE,
        METADATA,
    ]
}

const UPDATE: Tool = Tool {
    params: &[
        ID.required(),
        CONTENT,
        STATUS.holds(Holds::Status(words::ALL)),
        ACTIVE_FORM,
        DESCRIPTION,
        BLOCKED_BY,
        BLOCKS,
        ACTIVATION,
        OWNER,
        Param::new(Arg::AddBlockedBy, "addBlockedBy", Holds::Ids)
            .about("Tasks to add to blockedBy")
            .aliases(&["adddependencies"]),
        Param::new(Arg::RemoveBlockedBy, "removeBlockedBy", Holds::Ids)
            .about("Tasks to remove from blockedBy")
            .aliases(&["removedependencies"]),
        Param::new(Arg::AddBlocks, "addBlocks", Holds::Ids).about("Tasks to add to blocks"),
        Param::new(Arg::RemoveBlocks, "removeBlocks", Holds::Ids)
            .about("Tasks to remove from blocks"),
        Param::new(Arg::Clear, "clear", Holds::Fields(&FIELDS)).about("Fields to empty"),
    ],
    output: |detail| FORM.result(detail, Vec::new()),
    ..mastra::UPDATE
};

const COMPLETE: Tool = Tool {
    output: |detail| FORM.result(detail, Vec::new()),
    ..mastra::COMPLETE
};

const CHECK: Tool = Tool {
    output: |detail| FORM.check_result(detail),
    ..mastra::CHECK
};

const CREATE: Tool = Tool {
    name: "task_create",
    title: "Create a task",
    hints: Hints::ADDS,
    description: "Add one task to the end of the list. Returns its id.",
    params: &CREATED,
    example: r#"{"content": "Run the tests", "blockedBy": ["task_fix_the_bug"]}"#,
    output: |detail| FORM.result(detail, vec![("id", schema::string("A task id"), true)]),
    verb: run::create,
    ..PLAIN
};

const DELETE: Tool = Tool {
    name: "task_delete",
    title: "Delete a task",
    hints: Hints::DESTROYS,
    description: "Remove one task by id, with its dependencies. For work that is not to be done any more.",
    params: &[ID.required()],
    example: r#"{"id": "task_fix_the_bug"}"#,
    verb: run::delete,
    ..PLAIN
};

const LIST: Tool = Tool {
    name: "task_list",
    title: "List the tasks",
    description: "List all tasks with ids, statuses, dependencies and owners.",
    verb: run::list,
    ..PLAIN
};

const GET: Tool = Tool {
    name: "task_get",
    title: "Show a task",
    description: "Show all there is about one task by id, and why it waits.",
    params: &[ID.required()],
    example: r#"{"id": "task_fix_the_bug"}"#,
    output: |detail| FORM.result(detail, vec![("id", schema::string("A task id"), true)]),
    verb: run::get,
    ..PLAIN
};

const CLAIM: Tool = Tool {
    name: "task_claim",
    title: "Claim a task",
    hints: Hints::CHANGES,
    description: "Get a task to work on: what you have in progress, else the next ready one, which is then \
        yours and in_progress. With id: that task.",
    params: &[ID, OWNER.about("For whom, if it is not you")],
    example: r#"{"owner": "worker-1"}"#,
    example_acting: Some("{}"),
    output: |detail| {
        FORM.result(
            detail,
            vec![("claimed", schema::string("A task id"), false)],
        )
    },
    verb: run::claim,
    ..PLAIN
};

const RELEASE: Tool = Tool {
    name: "task_release",
    title: "Release tasks",
    hints: Hints::CHANGES,
    description: "Give up your unfinished tasks: they go back to pending for others to claim.",
    params: &[OWNER.about("For whom, if it is not you")],
    example: r#"{"owner": "worker-1"}"#,
    example_acting: Some("{}"),
    output: |detail| FORM.result(detail, vec![("released", ids("In list order"), true)]),
    verb: run::release,
    ..PLAIN
};

/// What most rows of this file have in common.
const PLAIN: Tool = Tool {
    output: |detail| FORM.result(detail, Vec::new()),
    ..Tool::LOOK
};

/// The optional fields of a task, by the names that `clear` takes.
const FIELDS: [(&str, Field); 7] = [
    ("description", Field::Description),
    ("activeForm", Field::ActiveForm),
    ("owner", Field::Owner),
    ("activation", Field::Activation),
    ("metadata", Field::Metadata),
    ("blockedBy", Field::BlockedBy),
    ("blocks", Field::Blocks),
];
