//! The form of replies that Mastra's set and the full one share: their texts, their data and its schemas.
//!
//! The full set shows more of a task and what became ready, and that is all the difference. What the tools take is
//! not here. Held to recordings of Mastra in `tests/conformance.rs`; the full form is tested in `tests/owners.rs` and
//! `tests/detail.rs`.

use crate::change::Changes;
use crate::error::Error;
use crate::graph::State;
use crate::id::Ids;
use crate::id::TaskId;
use crate::list::TaskList;
use crate::render::suffix;
use crate::status::Status;
use crate::task::Task;
use crate::text::OneLine;
use crate::text::Quote;
use crate::tools::catalogue::{Asked, Shown, Tool};
use crate::tools::params::{self, Arg};
use crate::tools::refusal::{RefusalKind, Refused};
use crate::tools::reply::{Detail, ListData, ReplyData, open_to};
use crate::tools::run::{Done, What};
use crate::tools::{notes, schema, words};
use serde_json::{Value, json};
use std::fmt::Write;

/// The name, schema and need of the members of an object.
type Properties = Vec<(&'static str, Value, bool)>;

pub(super) fn ids(description: &str) -> Value {
    schema::array(schema::string("A task id"), description)
}

/// How replies are shown.
pub(super) struct Form {
    /// Whether all fields of a task are shown, or Mastra's four.
    pub(super) full: bool,
}

/// What a reply says beside the list.
#[derive(Default)]
struct Told<'a> {
    /// What the counts are headed by.
    heading: &'static str,
    /// A first line of its own.
    title: Option<String>,
    /// Members of the data beyond Mastra's.
    more: Option<(&'static str, Value)>,
    /// The task that was asked for.
    about: Option<&'a TaskId>,
}

impl Form {
    /// The schema of the data: Mastra's three members, and more.
    pub(super) fn result(&self, detail: Detail, more: Properties) -> Value {
        self.members(detail, detail == Detail::Changed, more)
    }

    pub(super) fn check_result(&self, detail: Detail) -> Value {
        let incomplete = schema::array(self.task(), "Those in progress, then those pending");
        self.members(detail, true, vec![("incompleteTasks", incomplete, true)])
    }

    fn members(&self, detail: Detail, counts: bool, more: Properties) -> Value {
        let (what, removed) = match detail {
            Detail::Full => ("All tasks, in order", None),
            Detail::Changed => (
                "The tasks that changed or were asked for, in order",
                Some(("removed", ids("Tasks that are gone"), false)),
            ),
        };
        let mut members = vec![
            ("content", schema::string("The answer as text"), true),
            ("tasks", schema::array(self.task(), what), true),
            (
                "isError",
                schema::boolean("Whether the call was refused"),
                true,
            ),
        ];
        members.extend(counts.then(|| ("summary", self.summary(), true)));
        members.extend(removed);
        members.extend(more);
        schema::object(&members)
    }

    fn task(&self) -> Value {
        let always = |name| (name, schema::string("Always there"), true);
        let status = schema::string_enum(&words::names(words::LIVE), "Always there");
        let mut task = vec![
            always("id"),
            always("content"),
            ("status", status, true),
            always("activeForm"),
        ];
        if self.full {
            let waiting = [State::Blocked, State::Dormant].map(State::as_str);
            let why = "Why it cannot be started, if so";
            let more = [
                ("description", schema::string("More about it")),
                ("blockedBy", ids("In list order")),
                ("blocks", ids("In list order")),
                (
                    "activation",
                    schema::files_modified("A glob: *.go, docs/**"),
                ),
                ("owner", schema::string("Who works on it")),
                ("state", schema::string_enum(&waiting, why)),
            ];
            task.extend(more.map(|(name, schema)| (name, schema, false)));
        }
        schema::object(&task)
    }

    fn summary(&self) -> Value {
        let count = |name| (name, schema::integer("A number of tasks"), true);
        let truth = |name| (name, schema::boolean("A fact of the list"), true);
        let counts = ["total", "completed", "inProgress", "pending", "incomplete"];
        let mut summary: Properties = counts.map(count).into();
        summary.extend(["hasTasks", "allCompleted"].map(truth));
        if self.full {
            summary.extend(["dormant", "blocked", "ready"].map(count));
            summary.push(truth("canFinish"));
        }
        schema::object(&summary)
    }

    /// The reply to a call that was carried out.
    pub(super) fn done(&self, asked: &Asked<'_>, list: &TaskList, done: &Done) -> Shown {
        if let What::Checked = done.what {
            return self.checked(asked, list);
        }
        let detail = asked.detail;
        let told = told(list, &done.what);
        // A list that was asked for is shown whatever the detail.
        let whole = detail == Detail::Full || matches!(done.what, What::Listed);
        let shown = (!whole).then(|| touched(list, done, told.about));
        let mut text = told.title.map_or(String::new(), |title| title + "\n");
        text.push_str(&self.counts(asked, list, told.heading));
        match &shown {
            None => self.lines(&mut text, "\nTask IDs:", list, list.tasks(), true),
            Some(tasks) => self.changed(&mut text, list, tasks, &done.changes),
        }
        // Mastra's own form has no dependencies, and no words for them.
        if self.full {
            ready_line(&mut text, list, &done.changes);
        }
        notes::append(&mut text, &done.notes);
        let mut data = self.data(asked, list, text.clone());
        data.shown = shown.map(|tasks| tasks.iter().map(|task| task.id.clone()).collect());
        if detail == Detail::Changed {
            data.has_summary = true;
            let removed = done.changes.facts.removed.iter();
            data.removed = removed.map(|task| task.id.clone()).collect();
        }
        let mut data = ReplyData::from(data);
        if let Some((name, value)) = told.more {
            data.set(name, value);
        }
        (text, data)
    }

    fn checked(&self, asked: &Asked<'_>, list: &TaskList) -> Shown {
        let text = self.check_text(asked, list);
        let mut data = self.data(asked, list, text.clone());
        data.shown = (asked.detail == Detail::Changed).then(Vec::new);
        data.has_summary = true;
        data.has_incomplete = true;
        (text, data.into())
    }

    /// The reply to a refused call, which has the list as it still is.
    pub(super) fn refused(&self, asked: &Asked<'_>, refused: &Refused) -> (String, ListData) {
        let empty = TaskList::new();
        let list = asked.list.unwrap_or(&empty);
        // The one refusal that is answered with the list: the model is to write again from it.
        let is_outdated = refused.refusal.kind == RefusalKind::Outdated;
        let mut text = self.refused_text(asked, list, refused);
        if is_outdated {
            let _ = write!(text, "\n\n{}", self.counts(asked, list, "Tasks"));
            self.lines(&mut text, "\nTask IDs:", list, list.tasks(), true);
        }
        let mut data = self.data(asked, list, text.clone());
        data.is_error = true;
        // Who writes from an old list needs the whole new one.
        data.shown = (asked.detail == Detail::Changed && !is_outdated).then(Vec::new);
        (text, data)
    }

    fn data(&self, asked: &Asked<'_>, list: &TaskList, content: String) -> ListData {
        ListData {
            list: list.clone(),
            actor: asked.actor.cloned(),
            full: self.full,
            content,
            is_error: false,
            shown: None,
            has_summary: false,
            has_incomplete: false,
            removed: Vec::new(),
        }
    }

    /// A line for each task, below a title if there is any.
    fn lines<'l>(
        &self,
        text: &mut String,
        title: &str,
        list: &TaskList,
        tasks: impl IntoIterator<Item = &'l Task>,
        with_status: bool,
    ) {
        for (i, task) in tasks.into_iter().enumerate() {
            let title = if i == 0 { title } else { "" };
            text.extend([title, "\n- ", task.id.as_str(), ": "]);
            let _ = write!(text, "{}", OneLine(&task.subject));
            if with_status {
                text.extend([" (", task.status.as_str(), ")"]);
            }
            if self.full {
                text.push_str(&suffix(list, task));
            }
        }
    }

    /// What a call changed, in lines.
    fn changed(&self, text: &mut String, list: &TaskList, tasks: &[&Task], changes: &Changes) {
        let title = match changes.is_empty() {
            true => "\nTask IDs:",
            false => "\nChanged:",
        };
        self.lines(text, title, list, tasks.iter().copied(), true);
        let removed = changes.facts.removed.iter();
        let removed: Vec<TaskId> = removed.map(|task| task.id.clone()).collect();
        if !removed.is_empty() {
            let _ = write!(text, "\nRemoved: {}", Ids(&removed));
        }
        if changes.facts.order.is_some() {
            text.push_str("\nThe order changed.");
        }
    }

    /// How far the list is, and what the one who asks has in progress.
    fn counts(&self, asked: &Asked<'_>, list: &TaskList, heading: &str) -> String {
        let summary = list.summary();
        let mut text = format!(
            "{heading}: [{}/{} completed{}]",
            summary.completed,
            summary.total,
            self.dormant(list)
        );
        let is_own = |task: &&Task| match (asked.actor, &task.owner) {
            (Some(actor), Some(owner)) => owner == actor,
            _ => true,
        };
        if let Some(task) = list.in_state(State::InProgress).find(is_own) {
            let label = OneLine(task.active_label());
            let _ = write!(text, "\nCurrently: {label} ({})", task.id);
        }
        text
    }

    /// How many tasks of the total are not to be done now.
    fn dormant(&self, list: &TaskList) -> String {
        match list.summary().dormant {
            0 => String::new(),
            dormant => format!(", {dormant} dormant"),
        }
    }

    fn check_text(&self, asked: &Asked<'_>, list: &TaskList) -> String {
        let summary = list.summary();
        if !summary.has_tasks {
            return "No tasks found. Consider using task_write to create a task list for complex work.".into();
        }
        let mut text = format!(
            "Task Status: [{completed}/{total} completed{}]\n- Completed: {completed}\n- In Progress: {}\n\
             - Pending: {}\n\nAll tasks completed: {}",
            self.dormant(list),
            summary.in_progress,
            summary.pending,
            if summary.all_completed { "YES" } else { "NO" },
            completed = summary.completed,
            total = summary.total,
        );
        let left: Vec<&Task> = open_to(list, asked.actor).collect();
        if !left.is_empty() {
            text.push_str("\n\nIncomplete tasks:");
        }
        let open = |status| {
            left.iter()
                .copied()
                .filter(move |task| task.status == status)
        };
        let (running, waiting) = (open(Status::InProgress), open(Status::Pending));
        self.lines(&mut text, "\n\nIn Progress:", list, running, false);
        self.lines(&mut text, "\n\nPending:", list, waiting, false);
        // Both are in the order of the finish gate.
        let mut own = left.iter().peekable();
        let others = list
            .open_tasks()
            .filter(|task| own.next_if(|own| own.id == task.id).is_none());
        let others: Vec<&Task> = others.collect();
        let has_others = !others.is_empty();
        let title = "\n\nHeld by others, or waiting for other tasks (do not work on these now):";
        self.lines(&mut text, title, list, others, true);
        let title = "\n\nDormant (do not work on these):";
        self.lines(&mut text, title, list, list.in_state(State::Dormant), false);
        match (left.is_empty(), has_others) {
            (false, _) => text.push_str("\n\nContinue working on these tasks before ending."),
            (true, true) => text.push_str("\n\nNothing is left for you to do: you may stop."),
            (true, false) => {}
        }
        text
    }

    /// The text of a refusal: in Mastra's words where it has some, else as it is.
    fn refused_text(&self, asked: &Asked<'_>, list: &TaskList, refused: &Refused) -> String {
        // A write would have given the ids other texts.
        let writes = |tool: &Tool| params::of(tool.params, Arg::Tasks).is_some();
        let stays = !asked.tool.is_some_and(writes);
        match &refused.refusal.error {
            Some(Error::UnknownTask { id, known }) => {
                let mut text = format!("Task not found: {}\n\n", Quote(id));
                if known.total == 0 {
                    return text + "No tasks are currently tracked.";
                }
                text.push_str("Available task IDs:");
                // They are those of the list that the call would have made, which may not be there yet.
                for id in &known.ids {
                    match list.get(id).filter(|_| stays) {
                        Some(task) => self.lines(&mut text, "", list, [task], true),
                        None => text.extend(["\n- ", id.as_str()]),
                    }
                }
                if known.total > known.ids.len() {
                    let _ = write!(text, "\n- and {} more", known.total - known.ids.len());
                }
                text
            }
            Some(Error::TooManyInProgress { ids, per_owner, .. }) if !per_owner => format!(
                "Only one task can be in_progress at a time.\n\n\
                 This call sets {} tasks to in_progress: {}. Keep one of them, and set the others to pending.",
                ids.len(),
                Ids(ids)
            ),
            // Mastra refuses this with its schema, so there is no recorded text, and the path helps more.
            Some(Error::MissingSubject { item }) => format!(
                "Nothing was changed.\n- tasks[{item}].content: missing; \
                 a new task needs a short imperative text"
            ),
            _ => refused.message.clone(),
        }
    }
}

fn told<'a>(list: &TaskList, what: &'a What) -> Told<'a> {
    let mut told = Told {
        heading: "Tasks updated",
        ..Told::default()
    };
    match what {
        What::Written | What::Updated(_) | What::Checked => {}
        What::Listed => told.heading = "Tasks",
        What::Created(id) => {
            told.title = Some(format!("Created {id}"));
            told.more = Some(("id", json!(id)));
        }
        What::Deleted(id) => told.title = Some(format!("Deleted {id}")),
        What::Found(id) => {
            told.heading = "Tasks";
            let description = description(list, id);
            told.title = (list.explain(id)).map(|why| format!("{why}{description}"));
            told.more = Some(("id", json!(id)));
            told.about = Some(id);
        }
        What::Claimed(id) => {
            told.title = Some(match id {
                Some(id) => format!("You have {id}{}", description(list, id)),
                None => "There is no task to claim: none is ready that is yours or nobody's".into(),
            });
            told.more = id.as_ref().map(|id| ("claimed", json!(id)));
            told.about = id.as_ref();
        }
        What::Released(ids) => {
            told.title = Some(match ids.is_empty() {
                true => "There is no task to release".into(),
                false => format!("Released: {}", Ids(ids)),
            });
            told.more = Some(("released", json!(ids)));
        }
    }
    told
}

/// What there is about a task beside its text, on lines of its own. Whoever starts on it must not have to ask.
fn description(list: &TaskList, id: &TaskId) -> String {
    let text = list.get(id).and_then(|task| task.description.as_deref());
    text.map_or(String::new(), |text| format!("\n{text}"))
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
fn touched<'l>(list: &'l TaskList, done: &Done, about: Option<&TaskId>) -> Vec<&'l Task> {
    let ids = done.changes.touched().chain(about);
    list.in_order(ids)
}
