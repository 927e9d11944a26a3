//! Holds each call, in the order of the commits, against the reference model and against the crate itself
//! on one thread.

use crate::agent::{Answer, EVIDENCE, RETIRED, Report, host_edit, limits, policy, toolset};
use crate::calls::Call;
use crate::logged::Entry;
use crate::model::{Changes, Fault, Fields, Given, Item, List, Model, Op, Patch, answers, observe};
use crate::random::hash;
use crate::sloppy::unguarded;
use crate::{Options, Outcome};
use agent_tasklist::{Status, TaskList};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::Path;

/// Revisions that are kept for reports that come late.
const KEPT: usize = 1000;

/// Name, life and number of a call.
pub type Who = (String, u64, u64);

#[derive(Default)]
pub struct Counts {
    pub calls: u64,
    pub accepted: u64,
    pub unchanged: u64,
    pub refused: u64,
    pub bad: u64,
    pub sloppy: u64,
    pub conflicts: u64,
    /// Commits of which the agent was killed before it could tell.
    pub unacknowledged: u64,
    /// Calls compared with the model.
    pub compared: u64,
    /// Lists whose every answer was compared.
    pub answered: u64,
    /// Reports on a revision that was no longer kept.
    pub late: u64,
    pub tasks: usize,
    pub tools: BTreeMap<String, [u64; 3]>,
}

/// The list at one revision.
struct Moment {
    list: TaskList,
    model: List,
}

/// What a call must have done.
struct Verdict {
    answer: Answer,
    after: Moment,
    /// Of the text of the reply, where the crate says it without a store.
    text: Option<u64>,
}

/// The stored list, or the hash of it.
enum Stored<'a> {
    Text(&'a str),
    Hash(u64),
}

/// A life that has ended, whether it was killed, and the revision at its end.
struct End {
    name: String,
    life: u64,
    killed: bool,
    revision: u64,
}

pub struct Checker {
    seed: u64,
    answers_every: u64,
    revision: u64,
    moments: VecDeque<Moment>,
    /// Reports of commits that are to come in the log.
    reported: HashMap<Who, Report>,
    /// Commits whose report is to come.
    awaited: HashMap<Who, (u64, Option<u64>)>,
    /// Reports on revisions that are to come.
    early: BTreeMap<u64, Vec<(Who, Report)>>,
    ends: Vec<End>,
    last_number: HashMap<(String, u64), u64>,
    pub counts: Counts,
    /// Of all that was checked, in order.
    pub digest: u64,
    log: Option<BufWriter<File>>,
}

impl Checker {
    pub fn new(options: &Options) -> Outcome<Checker> {
        let log = options.log.as_ref().map(File::create).transpose()?;
        let start = Moment {
            list: TaskList::new(),
            model: List::default(),
        };
        Ok(Checker {
            seed: options.seed,
            answers_every: options.answers_every,
            revision: 0,
            moments: VecDeque::from([start]),
            reported: HashMap::new(),
            awaited: HashMap::new(),
            early: BTreeMap::new(),
            ends: Vec::new(),
            last_number: HashMap::new(),
            counts: Counts::default(),
            digest: 0,
            log: log.map(BufWriter::new),
        })
    }

    /// The revision up to which all is checked.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// What waits to be checked.
    pub fn waiting(&self) -> usize {
        self.reported.len() + self.early.values().map(Vec::len).sum::<usize>()
    }

    /// The list as it was last checked.
    pub fn list(&self) -> &TaskList {
        &self.moments[self.moments.len() - 1].list
    }

    fn moment(&self, revision: u64) -> Option<&Moment> {
        let back = usize::try_from(self.revision.checked_sub(revision)?).ok()?;
        let at = self.moments.len().checked_sub(back + 1)?;
        self.moments.get(at)
    }

    /// Checks the next commit of the log.
    pub fn commit(&mut self, entry: &Entry) -> Outcome<()> {
        let said: Value = serde_json::from_str(&entry.call)?;
        let number = |name: &str| said[name].as_u64().unwrap_or_default();
        let name = said["agent"].as_str().unwrap_or_default().to_owned();
        let who = (name, number("life"), number("number"));
        let call = Call::from_value(&said["call"]);
        self.step(&who, &call, entry.revision, Stored::Text(&entry.list))?;
        for (who, report) in self.early.remove(&self.revision).unwrap_or_default() {
            self.decided(&who, &report)?;
        }
        Ok(())
    }

    fn step(&mut self, who: &Who, call: &Call, revision: u64, stored: Stored<'_>) -> Outcome<()> {
        let at = |what: String| self.violation(who, call, revision, &what);
        if revision != self.revision + 1 {
            return Err(at(format!("revision {} came before", self.revision)));
        }
        let another =
            |(other, report): &(&Who, &Report)| report.revision == revision && *other != who;
        if let Some((other, _)) = self.reported.iter().find(another) {
            return Err(at(format!(
                "was acknowledged to {other:?}, whose commit it is not"
            )));
        }
        let before = &self.moments[self.moments.len() - 1];
        let verdict = judge(before, call, &who.0, self.revision).map_err(&at)?;
        if verdict.answer != Answer::Committed {
            let answer = verdict.answer;
            return Err(at(format!("was committed, but is to be {answer:?}")));
        }
        let after = &verdict.after;
        let json = after.list.to_json();
        match stored {
            Stored::Text(text) if text != json => {
                return Err(at(format!("stored is\n{text}\ninstead of\n{json}")));
            }
            Stored::Hash(found) if found != hash(json.as_bytes()) => {
                return Err(at(format!("another list was stored than\n{json}")));
            }
            _ => {}
        }
        let mut loaded = TaskList::from_json(&json).map_err(|error| at(error.to_string()))?;
        loaded.set_policy(policy(&who.0));
        if loaded != after.list || loaded.to_json() != json {
            return Err(at(format!("the list is not what it loads as:\n{json}")));
        }
        let index =
            |list: &TaskList| -> Vec<_> { list.tasks().map(|task| list.state(&task.id)).collect() };
        if index(&loaded) != index(&after.list) || loaded.summary() != after.list.summary() {
            return Err(at(format!("the index is not its rebuild:\n{json}")));
        }
        if !loaded.violations().is_empty() {
            return Err(at(format!("there are {:?}\n{json}", loaded.violations())));
        }
        let seen = observe(&loaded);
        if seen != after.model {
            return Err(at(difference(&seen, &after.model)));
        }
        if revision.is_multiple_of(self.answers_every) {
            let expected = after.model.answers();
            for list in [&loaded, &after.list] {
                let given = answers(list);
                if given != expected {
                    return Err(at(format!("answers {given:?}\ninstead of {expected:?}")));
                }
            }
            self.counts.answered += 1;
        }

        self.counts.tasks = self.counts.tasks.max(loaded.len());
        self.note(
            who,
            call,
            Answer::Committed,
            revision,
            hash(json.as_bytes()),
        )?;
        let text = verdict.text;
        self.moments.push_back(verdict.after);
        if self.moments.len() > KEPT {
            self.moments.pop_front();
        }
        self.revision = revision;
        match self.reported.remove(who) {
            Some(report) => self.acknowledged(who, &report, revision, text),
            None => {
                self.awaited.insert(who.clone(), (revision, text));
                Ok(())
            }
        }
    }

    /// Takes what an agent says of a call that it made.
    pub fn report(&mut self, who: Who, report: Report) -> Outcome<()> {
        let last = self.last_number.entry((who.0.clone(), who.1)).or_default();
        if report.number != *last + 1 {
            return Err(format!("{} skipped a call after {last}", who.0).into());
        }
        *last = report.number;
        self.counts.conflicts += report.conflicts;
        match report.answer {
            Answer::Committed => match self.awaited.remove(&who) {
                Some((revision, text)) => self.acknowledged(&who, &report, revision, text),
                None if report.revision <= self.revision => Err(self.violation(
                    &who,
                    &report.call,
                    report.revision,
                    "was acknowledged, and is not in the log under that revision",
                )),
                None => {
                    self.reported.insert(who, report);
                    Ok(())
                }
            },
            _ if report.revision > self.revision => {
                let early = self.early.entry(report.revision).or_default();
                early.push((who, report));
                Ok(())
            }
            _ => self.decided(&who, &report),
        }
    }

    /// What the agent was told of a commit is what was committed.
    fn acknowledged(
        &self,
        who: &Who,
        report: &Report,
        revision: u64,
        text: Option<u64>,
    ) -> Outcome<()> {
        let wrong = match text {
            _ if report.revision != revision => format!("told revision {}", report.revision),
            Some(text) if text != report.text => "told another text".to_owned(),
            _ => return Ok(()),
        };
        Err(self.violation(who, &report.call, revision, &wrong))
    }

    /// A call that changed nothing, on the list that it was decided on.
    fn decided(&mut self, who: &Who, report: &Report) -> Outcome<()> {
        let at = |what: String| self.violation(who, &report.call, report.revision, &what);
        let Some(before) = self.moment(report.revision) else {
            self.counts.late += 1;
            return self.note(
                who,
                &report.call,
                report.answer,
                report.revision,
                report.text,
            );
        };
        let verdict = judge(before, &report.call, &who.0, report.revision).map_err(&at)?;
        if verdict.answer != report.answer {
            let (is, should) = (report.answer, verdict.answer);
            return Err(at(format!("was {is:?}, and is to be {should:?}")));
        }
        if verdict.text.is_some_and(|text| text != report.text) {
            return Err(at("told another text".to_owned()));
        }
        self.note(
            who,
            &report.call,
            report.answer,
            report.revision,
            report.text,
        )
    }

    /// An agent has ended, after all its reports.
    pub fn ended(&mut self, name: &str, life: u64, killed: bool, revision: u64) -> Outcome<()> {
        self.ends.push(End {
            name: name.to_owned(),
            life,
            killed,
            revision,
        });
        self.settle()
    }

    /// Looks at the lives whose commits are all checked.
    pub fn settle(&mut self) -> Outcome<()> {
        let (over, open) = std::mem::take(&mut self.ends)
            .into_iter()
            .partition(|end| end.revision <= self.revision);
        self.ends = open;
        let over: Vec<End> = over;
        for end in over {
            let untold = self.awaited.len();
            self.awaited
                .retain(|who, _| who.0 != end.name || who.1 != end.life);
            let untold = untold - self.awaited.len();
            if untold > usize::from(end.killed) {
                return Err(format!("{} did not tell of {untold} commits", end.name).into());
            }
            self.counts.unacknowledged += untold as u64;
            self.last_number.remove(&(end.name, end.life));
        }
        Ok(())
    }

    /// At the end nothing is left over.
    pub fn finish(&mut self) -> Outcome<()> {
        self.settle()?;
        if let Some(log) = &mut self.log {
            log.flush()?;
        }
        let left = (self.reported.len(), self.awaited.len(), self.early.len());
        match left {
            (0, 0, 0) => Ok(()),
            _ => Err(format!("left over: {left:?}").into()),
        }
    }

    fn note(
        &mut self,
        who: &Who,
        call: &Call,
        answer: Answer,
        revision: u64,
        found: u64,
    ) -> Outcome<()> {
        let counts = &mut self.counts;
        counts.calls += 1;
        counts.compared += 1;
        counts.bad += u64::from(call.bad);
        counts.sloppy += u64::from(call.sent.is_some());
        let (total, at) = match answer {
            Answer::Committed => (&mut counts.accepted, 0),
            Answer::Unchanged => (&mut counts.unchanged, 1),
            Answer::Refused => (&mut counts.refused, 2),
        };
        *total += 1;
        match counts.tools.get_mut(&call.tool) {
            Some(tool) => tool[at] += 1,
            None => {
                let mut tool = [0; 3];
                tool[at] = 1;
                counts.tools.insert(call.tool.clone(), tool);
            }
        }
        let line = json!([revision, at, who.0, who.1, who.2, found, call.to_value()]).to_string();
        self.digest = hash(line.as_bytes()) ^ self.digest.rotate_left(5);
        if let Some(log) = &mut self.log {
            writeln!(log, "{line}")?;
        }
        Ok(())
    }

    fn violation(
        &self,
        who: &Who,
        call: &Call,
        revision: u64,
        what: &str,
    ) -> Box<dyn std::error::Error> {
        let (name, life, number) = who;
        let before = self.moment(revision.min(self.revision));
        let before = before.map_or("not kept".to_owned(), |before| before.list.to_json());
        format!(
            "VIOLATION, seed {}, revision {revision}, call {number} of {name} (life {life}): {what}\n\
             the call: {}\nthe list before it: {before}",
            self.seed,
            call.to_value()
        )
        .into()
    }
}

/// Checks a log that was written with `--log`.
pub fn check_log(file: &Path, options: &Options) -> Outcome<()> {
    let mut checker = Checker::new(options)?;
    for line in BufReader::new(File::open(file)?).lines() {
        let line: Value = serde_json::from_str(&line?)?;
        let number = |at: usize| line[at].as_u64().unwrap_or_default();
        let name = line[2].as_str().unwrap_or_default().to_owned();
        let who = (name, number(3), number(4));
        let call = Call::from_value(&line[6]);
        let (revision, found) = (number(0), number(5));
        let answer = match number(1) {
            0 => {
                checker.step(&who, &call, revision, Stored::Hash(found))?;
                checker.awaited.clear();
                continue;
            }
            1 => Answer::Unchanged,
            _ => Answer::Refused,
        };
        let report = Report {
            number: who.2,
            answer,
            revision,
            conflicts: 0,
            text: found,
            call,
        };
        checker.decided(&who, &report)?;
    }
    println!(
        "{} calls checked again, digest {:016x}",
        checker.counts.calls, checker.digest
    );
    Ok(())
}

/// The first thing that differs.
fn difference(found: &List, expected: &List) -> String {
    let (ids, meant) = (found.ids(), expected.ids());
    if ids != meant {
        return format!("the tasks are {ids:?} instead of {meant:?}");
    }
    for (task, meant) in found.tasks.iter().zip(&expected.tasks) {
        if task != meant {
            return format!("there is {task:?}\ninstead of {meant:?}");
        }
    }
    format!("there is {found:?}\ninstead of {expected:?}")
}

/// What a call must do on a list, as the model and the crate on one thread agree.
fn judge(before: &Moment, call: &Call, name: &str, revision: u64) -> Result<Verdict, String> {
    if let Some(base) = call.args.get("baseRevision").and_then(Value::as_u64)
        && base != revision
    {
        return Ok(Verdict {
            answer: Answer::Refused,
            after: Moment {
                list: before.list.clone(),
                model: before.model.clone(),
            },
            text: None,
        });
    }
    let mut list = before.list.clone();
    list.set_policy(policy(name));
    list.set_policy(list.policy().with_limits(limits()));
    let (given, text) = match call.is_host() {
        true => match host_edit(&mut list, call) {
            Ok(changes) => (Ok(changes), String::new()),
            Err(error) => (Err(Some(error.clone())), error.to_string()),
        },
        false => {
            let reply = toolset(name).call(&mut list, &call.tool, unguarded(call.sent()));
            match reply.is_error() {
                true => (Err(None), reply.text),
                false => (Ok(reply.changes), reply.text),
            }
        }
    };
    let mut model = Model {
        list: before.model.clone(),
        retired_cap: RETIRED,
        evidence_cap: EVIDENCE,
        policy: policy(name),
    };
    let expected = match meaning(call, name) {
        Meaning::Bad => Err(None),
        Meaning::Look(Some(id)) if model.list.get(id.trim()).is_none() => Err(None),
        Meaning::Look(_) => Ok(None),
        Meaning::Edit(op) => model.apply(&op).map(Some).map_err(Some),
    };
    let answer = match (given, expected) {
        (Ok(changes), Ok(None)) if changes.is_empty() => Answer::Unchanged,
        (Ok(changes), Ok(Some(done))) => {
            let given = Changes::from(&changes);
            if given != done.changes {
                return Err(format!("gives {given:?}\ninstead of {:?}", done.changes));
            }
            if done.gave.is_some_and(|id| !text.contains(&id)) {
                return Err(format!("the text does not name the task: {text}"));
            }
            match changes.is_empty() {
                true => Answer::Unchanged,
                false => Answer::Committed,
            }
        }
        (Err(error), expected) => {
            let faults = match expected {
                Err(None) => None,
                Err(Some(faults)) => Some(faults),
                Ok(Some(done)) if !done.or_refused.is_empty() => Some(done.or_refused),
                Ok(_) => return Err(format!("was refused: {text}")),
            };
            let fits = |fault: &Fault| match &error {
                Some(error) => fault.admits(error),
                None => tells(&text, fault),
            };
            if let Some(faults) = faults.filter(|faults| !faults.iter().any(fits)) {
                return Err(format!("was refused: {text}\ninstead of {faults:?}"));
            }
            if list != before.list {
                return Err("was refused, and changed the list".to_owned());
            }
            model.list = before.model.clone();
            Answer::Refused
        }
        (Ok(changes), expected) => {
            return Err(format!("gives {changes:?}\ninstead of {expected:?}"));
        }
    };
    Ok(Verdict {
        answer,
        after: Moment {
            list,
            model: model.list,
        },
        text: Some(hash(text.as_bytes())),
    })
}

/// Whether a text says what is wrong.
fn tells(text: &str, fault: &Fault) -> bool {
    let part = match fault {
        Fault::UnknownTask { id, .. } => format!("Task not found: {id}"),
        Fault::NotRetired { id, .. } => format!("No retired task has id {id}"),
        Fault::InvalidId { id } => format!("Invalid task id {id:?}"),
        Fault::IdTaken { id, .. } => format!("Task id {id} is taken by"),
        Fault::MissingSubject { item } => format!("tasks[{item}].content: missing"),
        Fault::StatusNotAllowed { .. } => "allowed: ".to_owned(),
        Fault::SelfDependency { id } => format!("Task {id} cannot depend on itself"),
        Fault::Cycle { .. } => "Dependency cycle: ".to_owned(),
        Fault::TooManyInProgress { .. } => "can be in_progress at a time".to_owned(),
        Fault::Dropped { .. } => "leaves out unfinished tasks".to_owned(),
        Fault::OwnedByOther { id, owner } => format!("Task {id} belongs to {owner}"),
        Fault::Completed { id } => format!("Task {id} is completed already"),
        Fault::BlankOwner => "must not be blank".to_owned(),
        Fault::StartedForOther { id } => format!("Task {id} belongs to"),
        Fault::RetiredBlocker { task, blocker } => {
            format!("Task {task} cannot wait for {blocker}")
        }
        Fault::Blocked { id, status, .. } => format!("Cannot set {id} to {status}: it is blocked"),
        Fault::Dormant { id, .. } => format!("Cannot start {id}: it is dormant"),
        Fault::InvalidPath { .. } => "Invalid path".to_owned(),
    };
    text.contains(&part)
}

/// What a call asks of the model.
enum Meaning {
    Bad,
    /// At one task, or at all.
    Look(Option<String>),
    Edit(Box<Op>),
}

fn meaning(call: &Call, name: &str) -> Meaning {
    if call.bad {
        return Meaning::Bad;
    }
    let none = Map::new();
    let args = call.args.as_object().unwrap_or(&none);
    let text = |key: &str| args.get(key).and_then(Value::as_str).map(str::to_owned);
    let id = || text("id").unwrap_or_default();
    let op = match call.tool.as_str() {
        "task_check" | "task_list" => return Meaning::Look(None),
        "task_get" => return Meaning::Look(Some(id())),
        "host_files" => {
            let paths = strings(args, "paths").unwrap_or_default();
            return Meaning::Edit(Box::new(Op::FilesModified(paths)));
        }
        "host_run" => return Meaning::Edit(Box::new(Op::BeginRun(id()))),
        "host_restore" => return Meaning::Edit(Box::new(Op::Restore(id()))),
        "host_release" => {
            return Meaning::Edit(Box::new(Op::Release(text("owner").unwrap_or_default())));
        }
        "task_claim" => {
            return Meaning::Edit(Box::new(match text("id") {
                Some(id) => Op::ClaimTask(id, name.to_owned()),
                None => Op::Claim(name.to_owned()),
            }));
        }
        "task_release" => return Meaning::Edit(Box::new(Op::Release(name.to_owned()))),
        "task_complete" => Op::Complete(id()),
        "task_delete" => Op::Delete(id()),
        "task_create" => Op::Create(item(args)),
        "task_update" => Op::Update(id(), patch(args)),
        "task_write" => {
            let items = args.get("tasks").and_then(Value::as_array);
            let items = items.into_iter().flatten().filter_map(Value::as_object);
            Op::Write(items.map(item).collect())
        }
        _ => return Meaning::Bad,
    };
    Meaning::Edit(Box::new(Op::As(name.to_owned(), Box::new(op))))
}

fn strings(args: &Map<String, Value>, name: &str) -> Option<Vec<String>> {
    let items = args.get(name)?.as_array()?;
    Some(
        items
            .iter()
            .filter_map(|item| item.as_str().map(str::to_owned))
            .collect(),
    )
}

fn fields(args: &Map<String, Value>) -> Fields {
    let text = |name: &str| match args.get(name).and_then(Value::as_str) {
        Some(text) => Given::Set(text.to_owned()),
        None => Given::Kept,
    };
    let status = match args.get("status").and_then(Value::as_str) {
        Some("pending") => Some(Status::Pending),
        Some("in_progress") => Some(Status::InProgress),
        Some("completed") => Some(Status::Completed),
        Some("deleted") => Some(Status::Deleted),
        _ => None,
    };
    let activation = args.get("activation").and_then(Value::as_object);
    let mut fields = Fields {
        subject: args
            .get("content")
            .and_then(Value::as_str)
            .map(str::to_owned),
        status,
        description: text("description"),
        active_form: text("activeForm"),
        owner: text("owner"),
        activation: match activation.and_then(|members| strings(members, "filesModified")) {
            Some(patterns) => Given::Set(patterns),
            None => Given::Kept,
        },
        metadata: Given::Kept,
        more_metadata: Map::new(),
        blocked_by: strings(args, "blockedBy"),
        blocks: strings(args, "blocks"),
    };
    for name in strings(args, "clear").unwrap_or_default() {
        match name.as_str() {
            "description" => fields.description = Given::Cleared,
            "activeForm" => fields.active_form = Given::Cleared,
            "owner" => fields.owner = Given::Cleared,
            "activation" => fields.activation = Given::Cleared,
            "metadata" => fields.metadata = Given::Cleared,
            "blockedBy" => fields.blocked_by = Some(Vec::new()),
            _ => fields.blocks = Some(Vec::new()),
        }
    }
    fields
}

/// A task of a write or a create. Its metadata goes into that of the task that it is.
fn item(args: &Map<String, Value>) -> Item {
    let mut fields = fields(args);
    let more = args.get("metadata").and_then(Value::as_object);
    fields.more_metadata = more.cloned().unwrap_or_default();
    Item {
        id: args.get("id").and_then(Value::as_str).map(str::to_owned),
        fields,
    }
}

fn patch(args: &Map<String, Value>) -> Patch {
    let ids = |name: &str| strings(args, name).unwrap_or_default();
    Patch {
        fields: fields(args),
        add_blocked_by: ids("addBlockedBy"),
        remove_blocked_by: ids("removeBlockedBy"),
        add_blocks: ids("addBlocks"),
        remove_blocks: ids("removeBlocks"),
    }
}
