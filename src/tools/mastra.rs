//! Mastra's form of tools: its parameters, its texts and its result objects, for its own four
//! tools and, with more fields, for the full set.

use super::data::ListData;
use super::input::{Input, Object, Prepared};
use super::{Detail, Kind, Refusal, Reply, ToolSpec, Toolset, full, notes, schema};
use crate::change::{Changes, Effects, Facts};
use crate::error::{Error, Ids, KnownIds, Quote};
use crate::id::TaskId;
use crate::list::{Acting, TaskList};
use crate::policy::{InProgress, Policy};
use crate::render::suffix;
use crate::state::State;
use crate::task::{Status, Task, TaskDraft, TaskPatch};
use crate::text::OneLine;
use serde_json::Value;
use std::fmt::Write;

pub(super) const STATUSES: [&str; 3] = ["pending", "in_progress", "completed"];
/// An update may delete too, though Mastra's schema has no word for it.
const UPDATES: [&str; 4] = ["pending", "in_progress", "completed", "deleted"];

/// The name, schema and need of the parameters that a task is given by.
pub(super) type Properties = Vec<(&'static str, Value, bool)>;

pub(super) fn properties(statuses: &[&str], required: bool) -> Properties {
    vec![
        (
            "content",
            schema::string("What to do, in the imperative: \"Fix the login bug\""),
            required,
        ),
        ("status", schema::string_enum(statuses, "Status"), required),
        (
            "activeForm",
            schema::string("Present continuous, shown while it runs: \"Fixing the login bug\""),
            false,
        ),
    ]
}

pub(super) fn id() -> Value {
    schema::string("Stable task id, as returned by the task tools. Keep it unchanged.")
}

/// How many tasks may be in progress, for a description.
fn in_progress_rule(policy: &Policy) -> &'static str {
    match policy.in_progress {
        InProgress::One => " Only one task can be in_progress.",
        InProgress::PerOwner => " Each owner can have one task in_progress.",
        InProgress::Unlimited => "",
    }
}

pub(super) fn spec(
    name: &'static str,
    description: String,
    properties: &Properties,
    output: Value,
) -> ToolSpec {
    ToolSpec::new(name, description, schema::object(properties), output)
}

/// The result objects of a toolset.
pub(super) struct Outputs {
    detail: Detail,
    pub(super) task: Properties,
    /// Counts of a summary beyond Mastra's.
    more_counts: &'static [&'static str],
}

impl Outputs {
    pub(super) fn new(tools: &Toolset, task: Properties) -> Self {
        let more_counts: &[&str] = match tools.kind {
            Kind::Full => &["dormant", "blocked", "ready"],
            _ => &[],
        };
        Outputs {
            detail: tools.detail,
            task,
            more_counts,
        }
    }

    /// The result object of a tool: Mastra's three members, and more.
    pub(super) fn result(&self, more: Properties) -> Value {
        self.members(self.detail == Detail::Changed, more)
    }

    fn check(&self) -> Value {
        let incomplete = schema::array(
            schema::object(&self.task),
            "Those in progress, then those pending",
        );
        self.members(true, vec![("incompleteTasks", incomplete, true)])
    }

    fn members(&self, counts: bool, more: Properties) -> Value {
        let (what, removed) = match self.detail {
            Detail::Full => ("All tasks, in order", None),
            Detail::Changed => (
                "The tasks that changed or were asked for, in order",
                Some(("removed", ids("Tasks that are gone"), false)),
            ),
        };
        let tasks = schema::array(schema::object(&self.task), what);
        let mut members = vec![
            ("content", schema::string("The answer as text"), true),
            ("tasks", tasks, true),
            ("isError", schema::boolean(), true),
        ];
        members.extend(counts.then(|| ("summary", self.summary(), true)));
        members.extend(removed);
        members.extend(more);
        schema::object(&members)
    }

    fn summary(&self) -> Value {
        let count = |name| (name, schema::integer("A number of tasks"), true);
        let mut summary: Properties = ["total", "completed", "inProgress", "pending", "incomplete"]
            .map(count)
            .into();
        summary.extend(["hasTasks", "allCompleted"].map(|name| (name, schema::boolean(), true)));
        summary.extend(self.more_counts.iter().map(|&name| count(name)));
        if !self.more_counts.is_empty() {
            summary.push(("canFinish", schema::boolean(), true));
        }
        schema::object(&summary)
    }
}

pub(super) fn ids(description: &str) -> Value {
    schema::array(schema::string("A task id"), description)
}

/// A task of a result object: Mastra's four members.
pub(super) fn output_task() -> Properties {
    let text = |name| (name, schema::string("Always there"), true);
    vec![
        text("id"),
        text("content"),
        (
            "status",
            schema::string_enum(&STATUSES, "Always there"),
            true,
        ),
        text("activeForm"),
    ]
}

/// The four tools, with more properties of a task where `item` and `update` have them.
pub(super) fn specs(
    policy: &Policy,
    item: Properties,
    update: Properties,
    outputs: &Outputs,
) -> Vec<ToolSpec> {
    let with_id =
        |required, properties: Properties| [vec![("id", id(), required)], properties].concat();
    let item = schema::object(&with_id(false, item));
    let tasks = schema::array(item, "The complete new task list, in order");
    let rule = in_progress_rule(policy);
    let starting = match policy.in_progress {
        InProgress::One => ": the task that was in progress goes back to pending",
        InProgress::PerOwner => ": the owner's task that was in progress goes back to pending",
        InProgress::Unlimited => "",
    };
    vec![
        spec(
            "task_write",
            format!(
                "Create the task list, or replace it after replanning. Pass the FULL list each time: \
                 a task that is left out is removed. Use it for work of three or more steps. \
                 Keep ids unchanged; a task without id keeps the id it had if its content is the same.{rule} \
                 To change one task use task_update or task_complete."
            ),
            &vec![("tasks", tasks, true)],
            outputs.result(Vec::new()),
        ),
        spec(
            "task_update",
            format!(
                "Change one task by id; give only what changes. Set it to in_progress BEFORE \
                 starting work on it{starting}."
            ),
            &with_id(true, update),
            outputs.result(Vec::new()),
        ),
        spec(
            "task_complete",
            "Mark one task completed by id, as soon as it is done.".into(),
            &with_id(true, Vec::new()),
            outputs.result(Vec::new()),
        ),
        spec(
            "task_check",
            "Show what is completed and what is not. Call it before you finish: \
             while tasks are incomplete, go on with them."
                .into(),
            &Vec::new(),
            outputs.check(),
        ),
    ]
}

/// Mastra's own four tools.
pub(super) fn own_specs(tools: &Toolset) -> Vec<ToolSpec> {
    let (item, update) = (properties(&STATUSES, true), properties(&STATUSES, false));
    specs(
        &tools.policy,
        item,
        update,
        &Outputs::new(tools, output_task()),
    )
}

/// What a call is carried out with.
pub(super) struct Form<'a> {
    /// Whether all fields are read and shown, or Mastra's own.
    pub(super) full: bool,
    pub(super) actor: Option<&'a str>,
    pub(super) tools: &'a Toolset,
}

/// What a call did: its changes, what it was understood to be, and what it is about.
pub(super) struct Made {
    pub(super) changes: Changes,
    pub(super) repairs: Vec<String>,
    /// What the counts are headed by.
    pub(super) heading: &'static str,
    /// A first line of its own.
    pub(super) title: Option<String>,
    /// Members of the reply beyond Mastra's.
    pub(super) more: Vec<(&'static str, Value)>,
    /// The task that was asked for.
    pub(super) about: Option<TaskId>,
    /// Whether the list was asked for.
    pub(super) all: bool,
}

impl Made {
    pub(super) fn new((changes, repairs): (Changes, Vec<String>)) -> Self {
        Made {
            changes,
            repairs,
            heading: "Tasks updated",
            title: None,
            more: Vec::new(),
            about: None,
            all: false,
        }
    }

    /// What a call did that only looks.
    pub(super) fn look(repairs: Vec<String>) -> Self {
        Made {
            heading: "Tasks",
            ..Made::new((Changes::default(), repairs))
        }
    }
}

pub(super) type Done = Result<Made, Refusal>;

impl Form<'_> {
    pub(super) fn call(&self, list: &mut TaskList, name: &str, args: &Prepared<'_>) -> Reply {
        let done = match name {
            "task_write" => self.write(list, args),
            "task_update" => self.update(list, args),
            "task_complete" => self.complete(list, args),
            "task_check" => match Input::new(args).finish(()) {
                Ok(_) => return self.check(list),
                Err(problems) => Err(Refusal::Input(problems)),
            },
            _ if self.full => full::call(self, list, name, args),
            _ => Err(Refusal::NoSuchTool),
        };
        match done {
            Ok(made) => {
                let shown = match self.tools.detail {
                    Detail::Changed if !made.all => Some(touched(list, &made)),
                    _ => None,
                };
                let mut text = made.title.map_or(String::new(), |title| title + "\n");
                text.push_str(&self.counts(list, made.heading));
                match &shown {
                    None => self.task_lines(&mut text, "Task IDs:", list, list.tasks()),
                    Some(tasks) => self.changed_lines(&mut text, list, tasks, &made.changes),
                }
                if self.full {
                    ready_line(&mut text, list, &made.changes);
                }
                let notes = notes(list, &made.changes, made.repairs);
                for (i, note) in notes.iter().enumerate() {
                    text.push_str(if i == 0 { "\n\n" } else { "\n" });
                    text.push_str("Note: ");
                    text.push_str(note);
                }
                let shown = shown.map(|tasks| tasks.iter().map(|task| task.id.clone()).collect());
                let mut reply = self.reply(list, shown, text, false, made.changes);
                for (name, value) in made.more {
                    reply.data.set(name, value);
                }
                reply
            }
            Err(refusal) => {
                let text = self.refused(list, name, &refusal);
                let shown = (self.tools.detail == Detail::Changed).then(Vec::new);
                self.reply(list, shown, text, true, Changes::default())
            }
        }
    }

    pub(super) fn acting<'l>(&self, list: &'l mut TaskList) -> Acting<'l> {
        list.acting_as(self.actor.unwrap_or_default())
    }

    fn write(&self, list: &mut TaskList, args: &Prepared<'_>) -> Done {
        let mut input = Input::new(args);
        let drafts = input.objects("tasks", |input, item| self.draft(input, &item));
        let (drafts, repairs) = input.finish(drafts).map_err(Refusal::Input)?;
        let at = |(i, draft): (usize, Result<_, Error>)| draft.map_err(|error| error.at_item(i));
        let drafts = drafts.into_iter().enumerate().map(at);
        let drafts: Vec<TaskDraft> = drafts.collect::<Result<_, _>>()?;
        Ok(Made::new((self.acting(list).write(drafts)?, repairs)))
    }

    /// A task of a write or a create.
    pub(super) fn draft(
        &self,
        input: &mut Input<'_>,
        item: &Object<'_>,
    ) -> Result<TaskDraft, Error> {
        let mut draft = TaskDraft::new(input.text(item, "content").unwrap_or_default());
        if let Some(id) = input.text(item, "id") {
            draft = draft.id(id);
        }
        if let Some(status) = input.status(item, "status", &STATUSES) {
            draft = draft.status(status);
        }
        if let Some(active_form) = input.text(item, "activeForm") {
            draft = draft.active_form(active_form);
        }
        if let Some(metadata) = input.map(item, "metadata") {
            draft = draft.merge_metadata(metadata.clone());
        }
        match self.full {
            true => full::draft(draft, input, item),
            false => Ok(draft),
        }
    }

    fn update(&self, list: &mut TaskList, args: &Prepared<'_>) -> Done {
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
        if self.full {
            patch = full::patch(patch, &mut input, &top)?;
        }
        if patch.is_empty() {
            let more = if self.full { ", …" } else { "" };
            input.nothing_to_do(&format!(
                "give at least one of content, status, activeForm{more}"
            ));
        }
        let ((id, patch), repairs) = input.finish((id, patch)).map_err(Refusal::Input)?;
        let changes = self.acting(list).update(id.unwrap_or_default(), patch)?;
        Ok(Made::new((changes, repairs)))
    }

    fn complete(&self, list: &mut TaskList, args: &Prepared<'_>) -> Done {
        let mut input = Input::new(args);
        let id = input.required_id(&input.top(), "id");
        let (id, repairs) = input.finish(id).map_err(Refusal::Input)?;
        Ok(Made::new((
            self.acting(list).complete(id.unwrap_or_default())?,
            repairs,
        )))
    }

    fn check(&self, list: &TaskList) -> Reply {
        let incomplete: Vec<&Task> = list.open_tasks().collect();
        let text = self.check_text(list, &incomplete);
        let mut data = self.data(list, text.clone(), false);
        data.shown = (self.tools.detail == Detail::Changed).then(Vec::new);
        data.has_summary = true;
        data.has_incomplete = true;
        Reply {
            text,
            data: data.into(),
            is_error: false,
            changes: Changes::default(),
        }
    }

    /// The answer where there is no list to be had.
    pub(super) fn failure(&self, name: &str, meaning: &str) -> Reply {
        let mut data = self.data(&TaskList::new(), meaning.to_owned(), true);
        data.has_summary |= name == "task_check";
        data.has_incomplete = name == "task_check";
        Reply {
            text: meaning.to_owned(),
            data: data.into(),
            is_error: true,
            changes: Changes::default(),
        }
    }

    /// The answer to a write that was made from another version of the list.
    pub(super) fn outdated(&self, list: &TaskList, base: u64, revision: u64) -> Reply {
        let mut text = format!(
            "The list has changed: it is at revision {revision}, and baseRevision is {base}. Nothing was \
             written. Write again from the list as it is now.\n\n{}",
            self.counts(list, "Tasks")
        );
        self.task_lines(&mut text, "Task IDs:", list, list.tasks());
        self.reply(list, None, text, true, Changes::default())
    }

    /// A reply that shows these tasks, or all.
    fn reply(
        &self,
        list: &TaskList,
        shown: Option<Vec<TaskId>>,
        text: String,
        is_error: bool,
        changes: Changes,
    ) -> Reply {
        let mut data = self.data(list, text.clone(), is_error);
        data.shown = shown;
        let removed = changes.facts.removed.iter();
        if self.tools.detail == Detail::Changed {
            data.removed = removed.map(|task| task.id.clone()).collect();
        }
        Reply {
            text,
            data: data.into(),
            is_error,
            changes,
        }
    }

    fn data(&self, list: &TaskList, content: String, is_error: bool) -> ListData {
        ListData {
            list: list.clone(),
            full: self.full,
            content,
            is_error,
            shown: None,
            has_summary: self.tools.detail == Detail::Changed,
            has_incomplete: false,
            removed: Vec::new(),
        }
    }

    fn task_line(&self, text: &mut String, list: &TaskList, task: &Task) {
        text.extend(["\n- ", task.id.as_str(), ": "]);
        let _ = write!(text, "{}", OneLine(&task.subject));
        text.extend([" (", task.status.as_str(), ")"]);
        if self.full {
            text.push_str(&suffix(list, task));
        }
    }

    fn task_lines<'l>(
        &self,
        text: &mut String,
        title: &str,
        list: &TaskList,
        tasks: impl IntoIterator<Item = &'l Task>,
    ) {
        for (i, task) in tasks.into_iter().enumerate() {
            if i == 0 {
                text.push('\n');
                text.push_str(title);
            }
            self.task_line(text, list, task);
        }
    }

    /// What a call changed, in lines.
    fn changed_lines(
        &self,
        text: &mut String,
        list: &TaskList,
        tasks: &[&Task],
        changes: &Changes,
    ) {
        let title = if changes.is_empty() {
            "Task IDs:"
        } else {
            "Changed:"
        };
        self.task_lines(text, title, list, tasks.iter().copied());
        let removed = changes.facts.removed.iter();
        let removed: Vec<TaskId> = removed.map(|task| task.id.clone()).collect();
        if !removed.is_empty() {
            let _ = write!(text, "\nRemoved: {}", Ids(&removed));
        }
        if changes.facts.order.is_some() {
            text.push_str("\nThe order is another now.");
        }
    }

    /// How far the list is, and what is in progress.
    fn counts(&self, list: &TaskList, heading: &str) -> String {
        let summary = list.summary();
        let mut text = format!(
            "{heading}: [{}/{} completed]",
            summary.completed, summary.total
        );
        if let Some(task) = list.in_progress().next() {
            let label = OneLine(task.active_label());
            let _ = write!(text, "\nCurrently: {label} ({})", task.id);
        }
        text
    }

    fn check_text(&self, list: &TaskList, incomplete: &[&Task]) -> String {
        let summary = list.summary();
        if !summary.has_tasks {
            return "No tasks found. Consider using task_write to create a task list for complex work.".into();
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
        let line = |text: &mut String, task: &Task| {
            let _ = write!(text, "\n- {}: {}", task.id, OneLine(&task.subject));
            if self.full {
                text.push_str(&suffix(list, task));
            }
        };
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
            tasks.for_each(|task| line(&mut text, task));
        }
        for (i, task) in list.dormant().enumerate() {
            text.push_str(if i == 0 {
                "\n\nDormant (do not work on these):"
            } else {
                ""
            });
            line(&mut text, task);
        }
        if !incomplete.is_empty() {
            text.push_str("\n\nContinue working on these tasks before ending.");
        }
        text
    }

    fn refused(&self, list: &TaskList, name: &str, refusal: &Refusal) -> String {
        match refusal {
            Refusal::NoSuchTool => super::no_such_tool(name, &self.tools.specs()),
            Refusal::Input(problems) => problems.to_string(),
            Refusal::List(Error::UnknownTask { id, known }) => {
                let mut text = format!("Task not found: {}\n\n", Quote(id));
                if known.total == 0 {
                    text.push_str("No tasks are currently tracked.");
                } else {
                    text.push_str("Available task IDs:");
                    let tasks = list.tasks().take(KnownIds::MOST);
                    tasks.for_each(|task| self.task_line(&mut text, list, task));
                    if known.total > KnownIds::MOST {
                        let _ = write!(text, "\n- and {} more", known.total - KnownIds::MOST);
                    }
                }
                text
            }
            Refusal::List(Error::TooManyInProgress {
                ids,
                per_owner: false,
                ..
            }) => format!(
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
}

/// What can be started since a call.
fn ready_line(text: &mut String, list: &TaskList, changes: &Changes) {
    let effects = &changes.effects;
    let ready: Vec<TaskId> = (effects.unblocked.iter().chain(&effects.woken))
        .filter(|id| list.state(id) == Some(State::Ready))
        .cloned()
        .collect();
    if !ready.is_empty() {
        let _ = write!(text, "\nNow ready: {}", Ids(&ready));
    }
}

/// The tasks that a call changed, set free or was asked for, in list order.
fn touched<'l>(list: &'l TaskList, made: &Made) -> Vec<&'l Task> {
    let Facts {
        added,
        revived,
        edited,
        edges_added,
        edges_removed,
        ..
    } = &made.changes.facts;
    let Effects {
        demoted: _,
        unblocked,
        now_blocked,
        woken,
        fallen_asleep,
    } = &made.changes.effects;
    let tasks = added.iter().chain(revived);
    let tasks = tasks.chain(edited.iter().map(|edited| &edited.after));
    let edges = edges_added.iter().chain(edges_removed);
    let ids = tasks.map(|task| &task.id);
    let ids = ids.chain(edges.flat_map(|edge| [&edge.blocked, &edge.blocker]));
    let ids = ids.chain(unblocked).chain(now_blocked);
    let ids = ids.chain(woken).chain(fallen_asleep).chain(&made.about);
    list.in_order(ids)
}
