//! The full set: Mastra's tools with all fields, and tools for single tasks and for several owners.

use super::input::{Input, Object, Prepared};
use super::mastra::{
    Done, Form, Made, Outputs, STATUSES, id, ids, output_task, properties, spec, specs,
};
use super::{Refusal, ToolSpec, Toolset, schema};
use crate::error::{Error, Ids};
use crate::id::TaskId;
use crate::list::TaskList;
use crate::task::{Field, TaskDraft, TaskPatch};
use serde_json::Value;

const UPDATES: [&str; 4] = ["pending", "in_progress", "completed", "deleted"];

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

pub(super) fn all_specs(tools: &Toolset) -> Vec<ToolSpec> {
    let activation = schema::object(&[(
        "filesModified",
        schema::array(schema::string("A glob: *.go, docs/**"), "Any of these"),
        true,
    )]);
    let fields = || {
        vec![
            ("description", schema::string("More about it"), false),
            (
                "blockedBy",
                ids("Tasks that must be completed before this one"),
                false,
            ),
            (
                "blocks",
                ids("Tasks that cannot start before this one is completed"),
                false,
            ),
            ("activation", activation.clone(), false),
            ("owner", schema::string("Who works on it"), false),
        ]
    };
    let edges = vec![
        ("addBlockedBy", ids("More of blockedBy"), false),
        ("removeBlockedBy", ids("Less of blockedBy"), false),
        ("addBlocks", ids("More of blocks"), false),
        ("removeBlocks", ids("Less of blocks"), false),
        (
            "clear",
            schema::array(
                schema::string_enum(&FIELDS.map(|(name, _)| name), "A field"),
                "Fields to empty",
            ),
            false,
        ),
    ];
    let item = [properties(&STATUSES, true), fields()].concat();
    let update = [properties(&UPDATES, false), fields(), edges].concat();
    let mut new = [properties(&STATUSES, false), fields()].concat();
    new[0].2 = true;
    let by_id = |required| vec![("id", id(), required)];
    let owner = || ("owner", schema::string("For whom, if it is not you"), false);
    let ids_out = || ids("In list order");
    let task = [
        output_task(),
        vec![
            ("description", schema::string("More about it"), false),
            ("blockedBy", ids_out(), false),
            ("blocks", ids_out(), false),
            ("activation", activation.clone(), false),
            ("owner", schema::string("Who works on it"), false),
            (
                "state",
                schema::string_enum(&["blocked", "dormant"], "Why it cannot be started, if so"),
                false,
            ),
        ],
    ]
    .concat();
    let outputs = Outputs::new(tools, task);
    let result = |more| outputs.result(more);
    let one = |name, required| result(vec![(name, schema::string("A task id"), required)]);
    let mut all = specs(&tools.policy, item, update, &outputs);
    all.extend([
        spec(
            "task_create",
            "Add one task to the end of the list. Returns its id.".into(),
            &[by_id(false), new].concat(),
            one("id", true),
        ),
        spec(
            "task_delete",
            "Remove one task by id, with its dependencies. For work that is not to be done any more.".into(),
            &by_id(true),
            result(Vec::new()),
        ),
        spec(
            "task_list",
            "List all tasks with ids, statuses, dependencies and owners.".into(),
            &Vec::new(),
            result(Vec::new()),
        ),
        spec(
            "task_get",
            "Show all there is about one task by id, and why it waits.".into(),
            &by_id(true),
            one("id", true),
        ),
        spec(
            "task_claim",
            "Get a task to work on: what you have in progress, else the next ready one, which is then \
             yours and in_progress. With id: that task."
                .into(),
            &[by_id(false), vec![owner()]].concat(),
            one("claimed", false),
        ),
        spec(
            "task_release",
            "Give up your unfinished tasks: they go back to pending for others to claim.".into(),
            &vec![owner()],
            result(vec![("released", ids_out(), true)]),
        ),
    ]);
    all
}

macro_rules! read_fields {
    ($target:expr, $input:expr, $object:expr) => {{
        let mut target = $target;
        if let Some(description) = $input.text($object, "description") {
            target = target.description(description);
        }
        if let Some(owner) = $input.text($object, "owner") {
            target = target.owner(owner);
        }
        if let Some(ids) = $input.ids_if_given($object, "blockedBy") {
            target = target.blocked_by(ids);
        }
        if let Some(ids) = $input.ids_if_given($object, "blocks") {
            target = target.blocks(ids);
        }
        if let Some(activation) = $input.activation($object, "activation")? {
            target = target.activation(activation);
        }
        target
    }};
}

/// Reads the fields of a task of a write or a create that Mastra's do not have.
pub(super) fn draft(
    draft: TaskDraft,
    input: &mut Input<'_>,
    item: &Object<'_>,
) -> Result<TaskDraft, Error> {
    Ok(read_fields!(draft, input, item))
}

/// Reads the fields of an update that Mastra's do not have.
pub(super) fn patch(
    patch: TaskPatch,
    input: &mut Input<'_>,
    top: &Object<'_>,
) -> Result<TaskPatch, Error> {
    let mut patch = read_fields!(patch, input, top)
        .add_blocked_by(input.ids(top, "addBlockedBy"))
        .remove_blocked_by(input.ids(top, "removeBlockedBy"))
        .add_blocks(input.ids(top, "addBlocks"))
        .remove_blocks(input.ids(top, "removeBlocks"));
    for field in input.choices(top, "clear", &FIELDS) {
        patch = patch.clear(field);
    }
    Ok(patch)
}

pub(super) fn call(form: &Form<'_>, list: &mut TaskList, name: &str, args: &Prepared<'_>) -> Done {
    match name {
        "task_create" => create(form, list, args),
        "task_delete" => delete(form, list, args),
        "task_list" => show(args),
        "task_get" => get(list, args),
        "task_claim" => claim(form, list, args),
        "task_release" => release(form, list, args),
        _ => Err(Refusal::NoSuchTool),
    }
}

fn create(form: &Form<'_>, list: &mut TaskList, args: &Prepared<'_>) -> Done {
    let mut input = Input::new(args);
    let top = input.top();
    input.required_text(&top, "content");
    let draft = form.draft(&mut input, &top);
    let (draft, repairs) = input.finish(draft).map_err(Refusal::Input)?;
    let created = form.acting(list).create(draft?)?;
    Ok(Made {
        title: Some(format!("Created {}", created.id)),
        more: vec![("id", created.id.as_str().into())],
        ..Made::new((created.changes, repairs))
    })
}

fn delete(form: &Form<'_>, list: &mut TaskList, args: &Prepared<'_>) -> Done {
    let mut input = Input::new(args);
    let id = input.required_id(&input.top(), "id");
    let (id, repairs) = input.finish(id).map_err(Refusal::Input)?;
    let id = id.unwrap_or_default();
    let changes = form.acting(list).delete(id)?;
    Ok(Made {
        title: Some(format!("Deleted {}", id.trim())),
        ..Made::new((changes, repairs))
    })
}

fn show(args: &Prepared<'_>) -> Done {
    let ((), repairs) = Input::new(args).finish(()).map_err(Refusal::Input)?;
    Ok(Made {
        all: true,
        ..Made::look(repairs)
    })
}

fn get(list: &TaskList, args: &Prepared<'_>) -> Done {
    let mut input = Input::new(args);
    let id = input.required_id(&input.top(), "id");
    let (id, repairs) = input.finish(id).map_err(Refusal::Input)?;
    let why = list.explain(id.unwrap_or_default())?;
    let task = list.get(&why.id);
    let description = task.and_then(|task| task.description.as_deref());
    let description = description.map_or(String::new(), |text| format!("\n{text}"));
    Ok(Made {
        title: Some(format!("{why}{description}")),
        more: vec![("id", why.id.as_str().into())],
        about: Some(why.id),
        ..Made::look(repairs)
    })
}

/// For whom a claim or a release is: the actor, or where the call does not say who acts, the owner it names.
fn owner<'a>(form: &Form<'a>, input: &mut Input<'_>, top: &Object<'a>) -> Option<&'a str> {
    match (form.actor, input.text(top, "owner")) {
        (Some(actor), None) => Some(actor),
        (Some(actor), Some(owner)) if owner.trim() == actor.trim() => Some(actor),
        (Some(actor), Some(_)) => {
            input.wrong("owner", &format!("you are {actor:?}; leave owner out"));
            None
        }
        (None, Some(owner)) => Some(owner),
        (None, None) => {
            input.wrong("owner", "missing; the name of the one who works is wanted");
            None
        }
    }
}

fn claim(form: &Form<'_>, list: &mut TaskList, args: &Prepared<'_>) -> Done {
    let mut input = Input::new(args);
    let top = input.top();
    let read = (input.text(&top, "id"), owner(form, &mut input, &top));
    let ((id, owner), repairs) = input.finish(read).map_err(Refusal::Input)?;
    let owner = owner.unwrap_or_default();
    let (claimed, changes) = match id {
        Some(id) => {
            let changes = list.claim_task(id, owner)?;
            (list.get(id).map(|task| task.id.clone()), changes)
        }
        None => {
            let claimed = list.claim(owner)?;
            (claimed.id, claimed.changes)
        }
    };
    let title = match &claimed {
        Some(id) => format!("You have {id}"),
        None => "There is no task to claim: none is ready that is yours or nobody's".into(),
    };
    let id_out = claimed.as_ref().map(|id| ("claimed", id.as_str().into()));
    Ok(Made {
        title: Some(title),
        more: id_out.into_iter().collect(),
        about: claimed,
        ..Made::new((changes, repairs))
    })
}

fn release(form: &Form<'_>, list: &mut TaskList, args: &Prepared<'_>) -> Done {
    let mut input = Input::new(args);
    let top = input.top();
    let owner = owner(form, &mut input, &top);
    let (owner, repairs) = input.finish(owner).map_err(Refusal::Input)?;
    let changes = list.release(owner.unwrap_or_default())?;
    let edited = changes.facts.edited.iter();
    let released: Vec<TaskId> = edited.map(|edited| edited.after.id.clone()).collect();
    let ids: Vec<Value> = released.iter().map(|id| id.as_str().into()).collect();
    Ok(Made {
        title: Some(match released.is_empty() {
            true => "There is no task to release".into(),
            false => format!("Released: {}", Ids(&released)),
        }),
        more: vec![("released", ids.into())],
        ..Made::new((changes, repairs))
    })
}
