//! Mastra's four task tools, as `@mastra/core` 1.71.0 has them.
//!
//! The rows, with the parameters that Mastra's schemas have; replies are in the shared form. A task that is refused
//! without memory has an empty summary, as it was recorded. Held to recordings in `tests/conformance.rs`.

use super::form::Form;
use crate::tools::catalogue::{Asked, Hints, Interface, Shown, Tool};
use crate::tools::params::{
    ACTIVE_FORM, Arg, BASE_REVISION, CONTENT, Holds, ID, MERGE, METADATA, Need, Param, Params,
    STATUS,
};
use crate::tools::refusal::Refused;
use crate::tools::reply::Detail;
use crate::tools::{run, words};

pub(in crate::tools) static INTERFACE: Interface = Interface {
    name: "mastra",
    tools: &[WRITE, UPDATE, COMPLETE, CHECK],
    tells_effects: true,
    to_keep: "To keep them, send the full list.",
    done: |asked, list, done| FORM.done(asked, list, done),
    refused,
};

const FORM: Form = Form { full: false };

pub(super) const WRITE: Tool = Tool {
    name: "task_write",
    title: "Write the task list",
    hints: Hints::DESTROYS,
    description: "Create the task list, or replace it after replanning. Pass the FULL list each time: \
        a task that is left out is removed. Use it for work of three or more steps. \
        Keep ids unchanged; a task without id keeps the id it had if its content is the same.{rule} \
        To change one task use task_update or task_complete.",
    rule: [
        " Only one task can be in_progress.",
        " Each owner can have one task in_progress.",
        "",
    ],
    params: &[
        tasks(&[
            ID,
            CONTENT.required(),
            STATUS.required(),
            ACTIVE_FORM,
            METADATA,
        ]),
        // Its schema has no such word. Where a model sends it all the same, it means what it says.
        MERGE.need(Need::Hidden),
        BASE_REVISION,
    ],
    example: r#"{"tasks": [{"content": "Fix the bug", "status": "pending", "activeForm": "Fixing the bug"}]}"#,
    output: |detail| FORM.result(detail, Vec::new()),
    verb: run::write,
    ..Tool::LOOK
};

pub(super) const UPDATE: Tool = Tool {
    name: "task_update",
    title: "Update a task",
    hints: Hints::DESTROYS,
    description: "Change one task by id; give only what changes. Set it to in_progress BEFORE \
        starting work on it{rule}.",
    rule: [
        ": the task that was in progress goes back to pending",
        ": the owner's task that was in progress goes back to pending",
        "",
    ],
    // It deletes too, with a status that Mastra's schema has no word for.
    params: &[ID.required(), CONTENT, STATUS, ACTIVE_FORM],
    example: r#"{"id": "task_fix_the_bug", "status": "in_progress"}"#,
    output: |detail| FORM.result(detail, Vec::new()),
    verb: run::update,
    ..Tool::LOOK
};

pub(super) const COMPLETE: Tool = Tool {
    name: "task_complete",
    title: "Complete a task",
    hints: Hints::CHANGES,
    description: "Mark one task completed by id, as soon as it is done.",
    params: &[ID.required()],
    example: r#"{"id": "task_fix_the_bug"}"#,
    output: |detail| FORM.result(detail, Vec::new()),
    verb: run::complete,
    ..Tool::LOOK
};

pub(super) const CHECK: Tool = Tool {
    name: "task_check",
    title: "Check the task list",
    description: "Show what is completed and what is not. Call it before you finish: \
        while tasks are incomplete, go on with them.",
    output: |detail| FORM.check_result(detail),
    verb: run::check,
    ..Tool::LOOK
};

pub(super) const fn tasks(item: Params) -> Param {
    Param::new(Arg::Tasks, "tasks", Holds::Tasks(item))
        .aliases(words::WHOLE_LIST)
        .about("The complete new task list, in order")
        .required()
}

fn refused(asked: &Asked<'_>, refused: &Refused) -> Shown {
    let (text, mut data) = FORM.refused(asked, refused);
    let is_check = asked.tool.is_some_and(|tool| tool.name == CHECK.name);
    // The summary has no canFinish and says that there are no tasks, so that it stops nobody.
    if is_check && asked.list.is_none() && asked.detail == Detail::Full {
        data.has_summary = true;
        data.has_incomplete = true;
    }
    (text, data.into())
}
