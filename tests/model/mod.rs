//! The reference model: the list as its definition (DESIGN, section 3) says it, in plain vectors and linear scans,
//! without caches, and written from the definition alone, without a look at how the crate does it. Where the two
//! disagree, the definition says which one is wrong.
//!
//! # What it models
//!
//! A `Model` is the value of a list (`List`: tasks in order, edges, retired tasks, the run with its files) and what the
//! host allows (`Policy`, and the caps on retired tasks and files). `Model::apply` makes a call (`Op`: every call of
//! `TaskList` and `Acting` that changes a list) and gives what the crate must answer: `Done` with the `Changes`, or the
//! `Fault`s that it may be refused with. `List::answers` is every answer that follows from a list. The sizes of texts
//! (`tests/limits.rs`), the stored form (`tests/stored.rs`), the tools, the stores and what is rendered are not modelled.
//!
//! # In which order a call is judged
//!
//! 1. `meant`: blank texts count as not given, ids are trimmed.
//! 2. `plan_…`, one for each call: which tasks the call stands for, and the list as it asks for it. A call whose items
//!    have no subject, a bad id or a status that is not allowed ends here; unknown ids, self edges and dropped work are
//!    noted in `Plan::faults` and go on.
//! 3. `judge`: cycles, too many in progress, blocked or dormant tasks started or completed. The tasks that yield
//!    are put back, and the `Changes` are read from the lists before and after.
//! 4. `faults_of_actor`: whether somebody who acts changed another's unfinished task.
//!
//! The definition does not say which of several faults of a call is told. So a refusal has all that were found by the
//! step that ends the call, and any one of them will do.
//!
//! # Where a rule is
//!
//! | section 3 | here |
//! | --- | --- |
//! | One door | `Model::apply`, `difference` |
//! | Order | `plan_write`, `plan_create`; `Facts::order` in `difference` |
//! | Replace-all: explicit ids, and ids given twice | `explicit_stands`, `duplicate` in `plan_write` |
//! | Replace-all: steps 1 to 5 | `match_items`, with `pair_unique` and `pair_equal` |
//! | Replace-all: fields kept, cleared, set; the active form | `edited`, `rewritten`, `made` |
//! | Replace-all: blockers kept, tasks left out | `kept_edges` and `unfinished` in `plan_write` |
//! | Rebind | `rebound` |
//! | Create | `plan_create` |
//! | Generated ids | `generate_id`, `slug` |
//! | Ids; Text | `valid_id`; `given` |
//! | Dependencies | `faults_of_edges`, `shortest_cycle`; the sets and steps of an update in `plan_update` |
//! | Starting and completing | `groups`, `judge` |
//! | Policy | `group`, `judge`, `violations`; what a write leaves out in `plan_write` |
//! | Activation | `Run::meets`, `matches`, `is_dormant`, `plan_run`, `plan_evidence` |
//! | Finishing | `List::state`, `List::answers` |
//! | Delete and restore | `plan_delete`, `plan_restore`, `retire` |
//! | Owners | `plan_claim`, `plan_claim_task`, `plan_release`, `faults_of_actor` |
//! | Limits | the two caps: `retire`, `plan_evidence` |
//!
//! # How it is compared
//!
//! `tests/state_machine.rs` makes up calls, makes each on a `TaskList` and on a `Model`, and compares: a success with
//! the whole `Changes`, a refusal with the faults by `Fault::admits` (variant and data) and the stored JSON before and
//! after; then, whatever the call did, the value (`observe`), all answers (`answers`) and the violations. `From`, at the
//! end of this file, turns the crate's values into the model's. Ids in a made-up call may be stand-ins (`#3`, `~0`),
//! which are looked up when the call's turn comes. `examples/soak` holds the tools against the same model.
//!
//! # How to add a rule
//!
//! 1. Add what a call can now say to `Op`, `Fields` or `Patch`, and what a list holds to `Task` or `List`. The compiler
//!    then names the places that must know of it, `observe` and `From` among them.
//! 2. State the rule in its `plan_…` or in `judge`, in the words of the definition, not by the crate's way to it. A
//!    refusal is a variant of `Fault`, with its row in `Fault::admits`.
//! 3. Let `tests/state_machine.rs` make it up (`fields`, `any_op`, `policy`) and make the call (`with_fields!`, `call`).
//! 4. Break the rule in the crate for a moment: `cargo test --test state_machine` must fail. Put the rule into the table
//!    above.

use agent_tasklist as real;
use real::policy::{Dependencies, Dropped, Excess, InProgress};
use real::{Policy, State, Status};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

// ---------------------------------------------------------------------------
// What a call says

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum Given<T> {
    #[default]
    Kept,
    Cleared,
    Set(T),
}

#[derive(Clone, Default, PartialEq)]
pub(crate) struct Fields {
    pub subject: Option<String>,
    pub status: Option<Status>,
    pub description: Given<String>,
    pub active_form: Given<String>,
    pub owner: Given<String>,
    /// The patterns of the files that it sleeps until.
    pub activation: Given<Vec<String>>,
    pub metadata: Given<Map<String, Value>>,
    /// Goes into the metadata member by member. Empty where nothing does.
    pub more_metadata: Map<String, Value>,
    pub blocked_by: Option<Vec<String>>,
    pub blocks: Option<Vec<String>>,
}

/// An item of a write, or the draft of a create.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Item {
    pub id: Option<String>,
    pub fields: Fields,
}

#[derive(Clone, Default, PartialEq)]
pub(crate) struct Patch {
    pub fields: Fields,
    pub add_blocked_by: Vec<String>,
    pub remove_blocked_by: Vec<String>,
    pub add_blocks: Vec<String>,
    pub remove_blocks: Vec<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Op {
    Write(Vec<Item>),
    Create(Item),
    Update(String, Patch),
    Complete(String),
    Delete(String),
    Restore(String),
    BeginRun(String),
    FilesModified(Vec<String>),
    Claim(String),
    /// The task, then who claims it.
    ClaimTask(String, String),
    Release(String),
    /// A write, create, update, complete, delete or restore on behalf of an owner.
    As(String, Box<Op>),
}

impl Op {
    /// The call, whoever makes it.
    pub(crate) fn bare(&self) -> &Op {
        match self {
            Op::As(_, op) => op.bare(),
            op => op,
        }
    }

    /// Whose behalf the call is on: a name, which is blank where the host does not know it.
    pub(crate) fn actor(&self) -> Option<&str> {
        let name = match self {
            Op::As(name, _) | Op::Claim(name) | Op::ClaimTask(_, name) => name,
            _ => return None,
        };
        Some(name.trim())
    }
}

/// Shows what is given only.
impl fmt::Debug for Fields {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let none = Fields::default();
        let mut shown = f.debug_struct("Fields");
        macro_rules! show {
            ($($field:ident)*) => {$(
                if self.$field != none.$field {
                    shown.field(stringify!($field), &self.$field);
                }
            )*};
        }
        show!(subject status description active_form owner activation metadata);
        show!(more_metadata blocked_by blocks);
        shown.finish()
    }
}

/// Shows what is given only.
impl fmt::Debug for Patch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_tuple("Patch");
        shown.field(&self.fields);
        for (name, ids) in [
            ("add_blocked_by", &self.add_blocked_by),
            ("remove_blocked_by", &self.remove_blocked_by),
            ("add_blocks", &self.add_blocks),
            ("remove_blocks", &self.remove_blocks),
        ] {
            if !ids.is_empty() {
                shown.field(&(name, ids));
            }
        }
        shown.finish()
    }
}

/// The text, unless it is blank.
fn given(text: &str) -> Option<String> {
    (!text.chars().all(char::is_whitespace)).then(|| text.to_owned())
}

/// Trimmed ids without the blank ones.
fn given_ids(ids: &[String]) -> Vec<String> {
    ids.iter().filter_map(|id| given(id.trim())).collect()
}

/// Each pattern once, blank ones as the empty one. For patterns in their stored form.
fn meant_patterns(patterns: &[String]) -> Vec<String> {
    let mut meant: Vec<String> = vec![];
    for pattern in patterns {
        let pattern = given(pattern).unwrap_or_default();
        if !meant.contains(&pattern) {
            meant.push(pattern);
        }
    }
    meant
}

impl Given<String> {
    fn trimmed(&self) -> Self {
        match self {
            Given::Set(text) => Given::Set(text.trim().to_owned()),
            other => other.clone(),
        }
    }

    fn meant(&self) -> Self {
        match self {
            Given::Set(text) => given(text).map_or(Given::Kept, Given::Set),
            other => other.clone(),
        }
    }
}

impl Fields {
    /// These fields with blanks read as not given.
    fn meant(&self) -> Self {
        Fields {
            subject: self.subject.as_deref().and_then(given),
            status: self.status,
            description: self.description.meant(),
            active_form: self.active_form.meant(),
            // "Names of owners are trimmed wherever they enter."
            owner: self.owner.trimmed().meant(),
            activation: match &self.activation {
                Given::Set(patterns) => Given::Set(meant_patterns(patterns)),
                other => other.clone(),
            },
            metadata: self.metadata.clone(),
            more_metadata: self.more_metadata.clone(),
            blocked_by: self.blocked_by.as_deref().map(given_ids),
            blocks: self.blocks.as_deref().map(given_ids),
        }
    }
}

impl Item {
    fn meant(&self) -> Self {
        Item {
            id: self.id.as_deref().and_then(|id| given(id.trim())),
            fields: self.fields.meant(),
        }
    }
}

impl Patch {
    fn meant(&self) -> Self {
        Patch {
            fields: self.fields.meant(),
            add_blocked_by: given_ids(&self.add_blocked_by),
            remove_blocked_by: given_ids(&self.remove_blocked_by),
            add_blocks: given_ids(&self.add_blocks),
            remove_blocks: given_ids(&self.remove_blocks),
        }
    }
}

// ---------------------------------------------------------------------------
// The list

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Task {
    pub id: String,
    pub subject: String,
    pub description: Option<String>,
    pub active_form: Option<String>,
    pub owner: Option<String>,
    pub activation: Option<Vec<String>>,
    pub metadata: Option<Map<String, Value>>,
    pub status: Status,
    /// Whether it ever was in progress or completed.
    pub started: bool,
}

pub(crate) fn starts(status: Status) -> bool {
    status == Status::InProgress || status == Status::Completed
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Retired {
    pub task: Task,
    pub deleted: bool,
}

/// Pairs of a blocked task and its blocker.
pub(crate) type Pairs = BTreeSet<(String, String)>;

/// The run and its evidence.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Run {
    pub id: Option<String>,
    pub files: BTreeSet<String>,
    /// Whether the files became too many. None is kept then.
    pub incomplete: bool,
}

impl Run {
    /// Whether a file that matches one of the patterns was modified, as far as is known.
    fn meets(&self, patterns: &[String]) -> bool {
        let met = |pattern: &String| self.files.iter().any(|path| matches(pattern, path));
        self.incomplete || patterns.iter().any(met)
    }
}

/// Whether a path matches a pattern of literals, `*`, `?` and `**`.
fn matches(pattern: &str, path: &str) -> bool {
    let from_root = pattern.strip_prefix('/').unwrap_or(pattern);
    if pattern.is_empty() {
        true
    } else if !pattern.contains('/') {
        path.split('/').any(|name| glob(pattern, name))
    } else if let Some(folder) = from_root.strip_suffix('/') {
        (path.match_indices('/')).any(|(at, _)| glob(folder, &path[..at]))
    } else {
        glob(from_root, path)
    }
}

/// The pattern must start at the start of a segment.
fn glob(pattern: &str, text: &str) -> bool {
    match pattern.strip_prefix("**/") {
        Some(rest) => {
            let mut deeper = text.match_indices('/');
            glob(rest, text) || deeper.any(|(at, _)| glob(rest, &text[at + 1..]))
        }
        None => glob_inside(pattern, text),
    }
}

fn glob_inside(pattern: &str, text: &str) -> bool {
    let mut tails = (text.char_indices().map(|(at, _)| at)).chain([text.len()]);
    if let Some(rest) = pattern.strip_prefix("**") {
        tails.any(|at| glob_inside(rest, &text[at..]))
    } else if let Some(rest) = pattern.strip_prefix('*') {
        tails.any(|at| !text[..at].contains('/') && glob_inside(rest, &text[at..]))
    } else if let Some(c) = pattern.chars().next() {
        let is_one = |first: char| first == c || c == '?' && first != '/' && first.is_ascii();
        let rest = &pattern[c.len_utf8()..];
        let next = if c == '/' { glob } else { glob_inside };
        text.chars()
            .next()
            .is_some_and(|first| is_one(first) && next(rest, &text[first.len_utf8()..]))
    } else {
        text.is_empty()
    }
}

/// The path as it is kept, empty where nothing is left.
/// `None` for one that goes up, or is absolute.
fn normal_path(path: &str) -> Option<String> {
    if path.starts_with('/') {
        return None;
    }
    let segments = path.split('/').filter(|s| !s.is_empty() && *s != ".");
    let segments: Vec<&str> = segments.collect();
    (!segments.contains(&"..")).then(|| segments.join("/"))
}

/// The value of a list.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct List {
    pub tasks: Vec<Task>,
    pub edges: Pairs,
    /// Most recently retired first, those of one call in list order.
    pub retired: Vec<Retired>,
    pub run: Run,
}

/// A list with what its host allows.
#[derive(Clone, Debug)]
pub(crate) struct Model {
    pub list: List,
    pub retired_cap: usize,
    pub evidence_cap: usize,
    pub policy: Policy,
}

/// The tasks that may have only one in progress among them, by their owner where it is for each.
/// None where any number may be.
fn group(policy: &Policy, task: &Task) -> Option<Option<String>> {
    match policy.in_progress {
        InProgress::One => Some(None),
        InProgress::PerOwner => Some(task.owner.clone()),
        InProgress::Unlimited => None,
        other => panic!("a policy that the model does not know: {other:?}"),
    }
}

/// Each group with a task in progress, in the order of the first such task, with all of them.
fn groups(policy: &Policy, list: &List) -> Vec<(Option<String>, Vec<String>)> {
    let mut groups: Vec<(Option<String>, Vec<String>)> = vec![];
    for task in (list.tasks.iter()).filter(|task| task.status == Status::InProgress) {
        let Some(key) = group(policy, task) else {
            continue;
        };
        match groups.iter_mut().find(|(other, _)| *other == key) {
            Some((_, ids)) => ids.push(task.id.clone()),
            None => groups.push((key, vec![task.id.clone()])),
        }
    }
    groups
}

#[derive(Debug, PartialEq)]
pub(crate) enum Violation {
    TooManyInProgress {
        ids: Vec<String>,
        owner: Option<String>,
    },
    Blocked {
        id: String,
        open_blockers: Vec<String>,
    },
}

#[derive(Debug, PartialEq)]
pub(crate) struct OfTask {
    pub id: String,
    pub state: State,
    pub open_blockers: Vec<String>,
    pub waits_for: Vec<String>,
    pub blocked_by: Vec<String>,
    pub blocks: Vec<String>,
}

/// Every answer that follows from a list.
#[derive(Debug, PartialEq)]
pub(crate) struct Answers {
    pub of_tasks: Vec<OfTask>,
    /// The states of the retired tasks.
    pub of_retired: Vec<Option<State>>,
    pub run: Option<String>,
    pub dormant: Vec<String>,
    pub ready: Vec<String>,
    pub in_progress: Vec<String>,
    pub open: Vec<String>,
    pub can_finish: bool,
    pub summary: Summary,
}

#[derive(Debug, PartialEq)]
pub(crate) struct Summary {
    pub total: usize,
    pub completed: usize,
    pub in_progress: usize,
    pub pending: usize,
    pub incomplete: usize,
    pub dormant: usize,
    pub blocked: usize,
    pub ready: usize,
    pub has_tasks: bool,
    pub all_completed: bool,
    pub can_finish: bool,
}

impl List {
    pub(crate) fn get(&self, id: &str) -> Option<&Task> {
        self.tasks.iter().find(|task| task.id == id)
    }

    pub(crate) fn get_retired(&self, id: &str) -> Option<&Task> {
        let mut tasks = self.retired.iter().map(|retired| &retired.task);
        tasks.find(|task| task.id == id)
    }

    pub(crate) fn ids(&self) -> Vec<String> {
        self.ids_where(|_| true)
    }

    fn ids_where(&self, keep: impl Fn(&Task) -> bool) -> Vec<String> {
        let kept = self.tasks.iter().filter(|task| keep(task));
        kept.map(|task| task.id.clone()).collect()
    }

    fn has_edge(&self, blocked: &str, blocker: &str) -> bool {
        self.edges.contains(&(blocked.into(), blocker.into()))
    }

    fn is_dormant(&self, task: &Task) -> bool {
        let unmet = (task.activation.as_ref()).is_some_and(|patterns| !self.run.meets(patterns));
        task.status == Status::Pending && !task.started && unmet
    }

    fn is_open(&self, task: &Task) -> bool {
        task.status != Status::Completed && !self.is_dormant(task)
    }

    fn open_blockers(&self, id: &str) -> Vec<String> {
        let blockers = self.edges.iter().filter(|(blocked, _)| blocked == id);
        let blockers: Vec<&String> = blockers.map(|(_, blocker)| blocker).collect();
        self.ids_where(|task| blockers.contains(&&task.id) && self.is_open(task))
    }

    fn state(&self, task: &Task) -> State {
        match task.status {
            Status::InProgress => State::InProgress,
            Status::Completed => State::Completed,
            _ if self.is_dormant(task) => State::Dormant,
            _ if self.open_blockers(&task.id).is_empty() => State::Ready,
            _ => State::Blocked,
        }
    }

    fn state_of(&self, id: &str) -> Option<State> {
        self.get(id).map(|task| self.state(task))
    }

    pub(crate) fn answers(&self) -> Answers {
        let in_state = |state| self.ids_where(|task| self.state(task) == state);
        let with_status = |status| self.ids_where(|task| task.status == status);
        let in_progress = with_status(Status::InProgress);
        let pending =
            self.ids_where(|task| task.status == Status::Pending && !self.is_dormant(task));
        let waits_for = |task: &Task| match self.is_dormant(task) {
            true => task.activation.clone().unwrap_or_default(),
            false => vec![],
        };
        let open = [in_progress.clone(), pending.clone()].concat();
        Answers {
            of_tasks: (self.tasks.iter())
                .map(|task| OfTask {
                    id: task.id.clone(),
                    state: self.state(task),
                    open_blockers: self.open_blockers(&task.id),
                    waits_for: waits_for(task),
                    blocked_by: self.ids_where(|other| self.has_edge(&task.id, &other.id)),
                    blocks: self.ids_where(|other| self.has_edge(&other.id, &task.id)),
                })
                .collect(),
            of_retired: (self.retired.iter())
                .map(|retired| retired.deleted.then_some(State::Deleted))
                .collect(),
            run: self.run.id.clone(),
            dormant: in_state(State::Dormant),
            can_finish: open.is_empty(),
            summary: Summary {
                total: self.tasks.len(),
                completed: with_status(Status::Completed).len(),
                in_progress: in_progress.len(),
                pending: pending.len(),
                incomplete: open.len(),
                dormant: in_state(State::Dormant).len(),
                blocked: in_state(State::Blocked).len(),
                ready: in_state(State::Ready).len(),
                has_tasks: !self.tasks.is_empty(),
                all_completed: !self.tasks.is_empty() && open.is_empty(),
                can_finish: open.is_empty(),
            },
            ready: in_state(State::Ready),
            in_progress,
            open,
        }
    }
}

// ---------------------------------------------------------------------------
// What a call answers

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Demotion {
    Yielded(String),
    Blocked(Vec<String>),
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Notes {
    /// The id given, the id that the work had before.
    pub rebound: Vec<(String, String)>,
    /// The id given twice, the id generated.
    pub duplicate_ids: Vec<(String, String)>,
    pub unfinished_removed: Vec<String>,
    pub unfinished_kept: Vec<String>,
    pub advised: Vec<String>,
    /// Dependencies that were asked for and are met by what is done and gone.
    pub already_met: Pairs,
    pub for_others: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Facts {
    pub removed: Vec<Task>,
    pub added: Vec<Task>,
    pub revived: Vec<Task>,
    pub edited: Vec<(Task, Task)>,
    pub edges_removed: Pairs,
    pub edges_added: Pairs,
    pub order: Option<Vec<String>>,
    pub run_began: Option<String>,
    pub files_added: Vec<String>,
    pub evidence_lost: bool,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Changes {
    pub facts: Facts,
    pub demoted: Vec<(String, Demotion)>,
    pub unblocked: Vec<String>,
    pub now_blocked: Vec<String>,
    pub woken: Vec<String>,
    pub fallen_asleep: Vec<String>,
    pub notes: Notes,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Done {
    pub changes: Changes,
    /// The id that a create or a claim gave.
    pub gave: Option<String>,
    /// Errors that would be as good, for edges added and removed by the same call.
    pub or_refused: Vec<Fault>,
}

/// An error that a call may be refused with.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Fault {
    UnknownTask {
        id: String,
        known: Vec<String>,
    },
    NotRetired {
        id: String,
        known: Vec<String>,
    },
    InvalidId {
        id: String,
    },
    IdTaken {
        id: String,
        subject: String,
        retired: bool,
    },
    MissingSubject {
        item: usize,
    },
    StatusNotAllowed {
        item: usize,
        status: Status,
    },
    SelfDependency {
        id: String,
    },
    /// Any shortest cycle of these edges.
    Cycle {
        edges: Pairs,
        completed: Vec<String>,
    },
    TooManyInProgress {
        ids: Vec<String>,
        limit: usize,
        per_owner: bool,
    },
    Dropped {
        ids: Vec<String>,
    },
    OwnedByOther {
        id: String,
        owner: String,
    },
    Completed {
        id: String,
    },
    BlankOwner,
    StartedForOther {
        id: String,
    },
    RetiredBlocker {
        task: String,
        blocker: String,
    },
    Blocked {
        id: String,
        status: Status,
        open_blockers: Vec<String>,
    },
    Dormant {
        id: String,
        patterns: Vec<String>,
    },
    /// A path that goes up, or else an absolute one.
    InvalidPath {
        path: String,
    },
}

impl Fault {
    /// Whether the crate's error is this one, with the right data.
    pub(crate) fn admits(&self, error: &real::Error) -> bool {
        use real::Error;
        use real::error::{Problem, TextKind};
        match (self, error) {
            (
                Fault::UnknownTask { id, known },
                Error::UnknownTask {
                    id: found,
                    known: told,
                },
            )
            | (
                Fault::NotRetired { id, known },
                Error::NotRetired {
                    id: found,
                    known: told,
                },
            ) => {
                let first = known.iter().take(50).cloned().collect::<Vec<_>>();
                **found == **id && told.total == known.len() && strings(&told.ids) == first
            }
            (Fault::InvalidId { id }, Error::Invalid { invalid, .. }) => {
                invalid.kind == TextKind::TaskId && *invalid.text == **id
            }
            (
                Fault::IdTaken {
                    id,
                    subject,
                    retired,
                },
                Error::IdTaken {
                    id: found,
                    subject: holder,
                    retired: gone,
                },
            ) => found == id.as_str() && **holder == **subject && gone == retired,
            (Fault::MissingSubject { item }, Error::MissingSubject { item: found }) => {
                item == found
            }
            (
                Fault::StatusNotAllowed { item, status },
                Error::StatusNotAllowed {
                    item: found,
                    status: asked,
                },
            ) => item == found && status == asked,
            (Fault::SelfDependency { id }, Error::SelfDependency { id: found }) => {
                found == id.as_str()
            }
            (
                Fault::Cycle { edges, completed },
                Error::Cycle {
                    path,
                    completed: told,
                },
            ) => {
                let path = strings(path);
                let told = strings(told);
                let round = &path[1..];
                let done = round.iter().filter(|id| completed.contains(id));
                path.first() == path.last()
                    && Some(round.len()) == shortest_cycle(edges)
                    && (path.windows(2))
                        .all(|step| edges.contains(&(step[1].clone(), step[0].clone())))
                    && done.clone().count() == told.len()
                    && done.collect::<BTreeSet<_>>() == told.iter().collect()
            }
            (
                Fault::TooManyInProgress {
                    ids,
                    limit,
                    per_owner,
                },
                Error::TooManyInProgress {
                    ids: found,
                    limit: most,
                    per_owner: each,
                },
            ) => strings(found) == *ids && most == limit && each == per_owner,
            (Fault::Dropped { ids }, Error::Dropped { ids: found }) => strings(found) == *ids,
            (
                Fault::OwnedByOther { id, owner },
                Error::OwnedByOther {
                    id: found,
                    owner: other,
                },
            ) => found == id.as_str() && **other == **owner,
            (Fault::Completed { id }, Error::Completed { id: found }) => found == id.as_str(),
            (Fault::StartedForOther { id }, Error::StartedForOther { id: found, .. }) => {
                found == id.as_str()
            }
            (
                Fault::RetiredBlocker { task, blocker },
                Error::RetiredBlocker {
                    task: waits,
                    blocker: gone,
                    ..
                },
            ) => waits == task.as_str() && gone == blocker.as_str(),
            (Fault::BlankOwner, Error::Invalid { invalid, .. }) => {
                (invalid.kind, &invalid.problem) == (TextKind::Owner, &Problem::Blank)
            }
            (
                Fault::Blocked {
                    id,
                    status,
                    open_blockers,
                },
                Error::OpenBlockers {
                    id: found,
                    status: asked,
                    open_blockers: told,
                },
            ) => found == id.as_str() && asked == status && strings(told) == *open_blockers,
            (
                Fault::Dormant { id, patterns },
                Error::Dormant {
                    id: found,
                    patterns: told,
                },
            ) => found == id.as_str() && told.iter().map(|told| &**told).eq(patterns),
            (Fault::InvalidPath { path }, Error::Invalid { invalid, .. }) => {
                let problem = match path.split('/').any(|segment| segment == "..") {
                    true => Problem::ParentFolder,
                    false => Problem::OutsideRoot,
                };
                *invalid.text == **path && invalid.problem == problem
            }
            _ => false,
        }
    }
}

/// How many edges the shortest cycle has.
fn shortest_cycle(edges: &Pairs) -> Option<usize> {
    let back_to = |start: &String| {
        let mut reached = BTreeSet::from([start]);
        for steps in 1..=edges.len() {
            reached = (edges.iter())
                .filter(|(blocked, _)| reached.contains(blocked))
                .map(|(_, blocker)| blocker)
                .collect();
            if reached.contains(start) {
                return Some(steps);
            }
            if reached.is_empty() {
                break;
            }
        }
        None
    };
    edges.iter().filter_map(|(start, _)| back_to(start)).min()
}

// ---------------------------------------------------------------------------
// What a call makes of the fields of a task
//
// The crate has a struct of fields and puts one over the other, field by field. Here a task is a form, and a call says
// which lines of it are struck out and which are entered, so that a slip in one is not repeated in the other.

/// What stands on the lines that have something on them. A line is a field, in the metadata a member of it.
#[derive(Default)]
struct Form(BTreeMap<(&'static str, String), Value>);

impl Form {
    fn strike(&mut self, field: &str) {
        self.0.retain(|(of, _), _| *of != field);
    }

    /// Null and an object without members enter nothing.
    fn enter(&mut self, field: &'static str, value: impl Into<Value>) {
        match value.into() {
            Value::Null => {}
            Value::Object(members) => (self.0)
                .extend((members.into_iter()).map(|(member, value)| ((field, member), value))),
            value => drop(self.0.insert((field, String::new()), value)),
        }
    }

    fn text(&self, field: &'static str) -> Option<String> {
        Some(self.0.get(&(field, String::new()))?.as_str()?.to_owned())
    }

    fn texts(&self, field: &'static str) -> Option<Vec<String>> {
        let texts = self.0.get(&(field, String::new()))?.as_array()?.iter();
        Some(
            texts
                .filter_map(|text| Some(text.as_str()?.to_owned()))
                .collect(),
        )
    }

    fn members(&self, field: &str) -> Option<Map<String, Value>> {
        let members = self.0.iter().filter(|((of, _), _)| *of == field);
        let members: Map<_, _> = members.map(|((_, m), v)| (m.clone(), v.clone())).collect();
        (!members.is_empty()).then_some(members)
    }
}

impl Fields {
    /// What the call says of the fields that it does not leave out. Null where it clears.
    fn said(&self) -> Vec<(&'static str, Value)> {
        fn of<T: Clone + Into<Value>>(given: &Given<T>) -> Option<Value> {
            match given {
                Given::Kept => None,
                Given::Cleared => Some(Value::Null),
                Given::Set(value) => Some(value.clone().into()),
            }
        }
        let said = [
            ("subject", self.subject.clone().map(Value::from)),
            ("description", of(&self.description)),
            ("active form", of(&self.active_form)),
            ("owner", of(&self.owner)),
            ("activation", of(&self.activation)),
            ("metadata", of(&self.metadata)),
        ];
        let said = said.into_iter();
        said.filter_map(|(field, said)| Some((field, said?)))
            .collect()
    }
}

/// What a call with these fields makes of a task that it stands for.
fn edited(task: &Task, fields: &Fields) -> Task {
    let mut form = Form::default();
    form.enter("subject", task.subject.clone());
    form.enter("description", task.description.clone());
    form.enter("active form", task.active_form.clone());
    form.enter("owner", task.owner.clone());
    form.enter("activation", task.activation.clone());
    form.enter("metadata", task.metadata.clone());

    // "A matched task keeps every field that its item leaves out": only the lines of what is said change.
    // "Null clears", and what is set stands alone.
    for (field, said) in fields.said() {
        form.strike(field);
        form.enter(field, said);
    }
    // "Metadata merges key by key", after a set whichever was said first.
    form.enter("metadata", fields.more_metadata.clone());
    // "A missing status keeps the matched task's."
    let status = fields.status.or(Some(task.status));
    // "Ever started or completed (one stored bit)": no call takes it back.
    let ever = [Some(Status::InProgress), Some(Status::Completed)].contains(&status);

    Task {
        id: task.id.clone(),
        subject: form.text("subject").unwrap_or_default(),
        description: form.text("description"),
        active_form: form.text("active form"),
        owner: form.text("owner"),
        activation: form.texts("activation"),
        metadata: form.members("metadata"),
        status: status.unwrap_or(Status::Pending),
        started: task.started || ever,
    }
}

/// The same for a write: "`active_form` is never kept by a write across a subject that changed after folding".
fn rewritten(task: &Task, fields: &Fields) -> Task {
    let written = edited(task, fields);
    let other_work = folded(&written.subject) != folded(&task.subject);
    let kept = fields.active_form == Given::Kept;
    Task {
        active_form: written.active_form.filter(|_| !(other_work && kept)),
        ..written
    }
}

/// A new task: what is left out is empty, "else pending".
fn made(id: &str, fields: &Fields) -> Task {
    let nothing = Task {
        id: id.to_owned(),
        subject: String::new(),
        description: None,
        active_form: None,
        owner: None,
        activation: None,
        metadata: None,
        status: Status::Pending,
        started: false,
    };
    edited(&nothing, fields)
}

// ---------------------------------------------------------------------------
// The operations

/// A success, or every error that the call may be refused with.
pub(crate) type Outcome = Result<Done, Vec<Fault>>;

/// The list as a call asks for it, still to be judged.
#[derive(Default)]
struct Plan {
    next: List,
    /// Said by the call to be in progress.
    named: Vec<String>,
    /// Their status counts as changed whatever it was.
    fresh: Vec<String>,
    /// Those that were ever started before the call, new work under an old id aside.
    had_started: Vec<String>,
    /// Edges that the call added or removed on the way.
    touched: Pairs,
    notes: Notes,
    faults: Vec<Fault>,
}

/// Whether it is another's, who has not finished it.
fn belongs_to_another(task: &Task, actor: &str) -> bool {
    task.status != Status::Completed && task.owner.as_deref().is_some_and(|owner| owner != actor)
}

/// What an item of a write stands for.
#[derive(Clone, Default)]
struct Stand {
    /// None until it is generated.
    id: Option<String>,
    /// The task whose fields it keeps.
    keeps: Option<Task>,
    /// Whether that task is live, so that its edges and its status are kept too.
    survives: bool,
}

impl Stand {
    fn live(task: &Task) -> Self {
        Stand {
            id: Some(task.id.clone()),
            keeps: Some(task.clone()),
            survives: true,
        }
    }

    /// "What comes back from retirement is new work under its old id": it keeps id, description and metadata; status,
    /// owner and activation are the item's alone, and it counts as never started.
    fn back(task: &Task) -> Self {
        let as_new = Task {
            owner: None,
            activation: None,
            status: Status::Pending,
            started: false,
            ..task.clone()
        };
        Stand {
            survives: false,
            ..Stand::live(&as_new)
        }
    }

    fn id_only(id: &str) -> Self {
        Stand {
            id: Some(id.to_owned()),
            ..Stand::default()
        }
    }
}

impl Model {
    pub(crate) fn new() -> Self {
        Model {
            list: List::default(),
            retired_cap: 200,
            evidence_cap: 100_000,
            policy: Policy::default(),
        }
    }

    /// Makes the call. A refused one changes nothing.
    pub(crate) fn apply(&mut self, op: &Op) -> Outcome {
        let releases_nobody = matches!(op.bare(), Op::Release(owner) if owner.trim().is_empty());
        if op.actor() == Some("") || releases_nobody {
            return Err(vec![Fault::BlankOwner]);
        }
        let mut gave = None;
        let plan = match op.bare() {
            Op::Write(items) => self.plan_write(items, op.actor()),
            Op::Create(item) => self.plan_create(item).map(|(plan, id)| {
                gave = Some(id);
                plan
            }),
            Op::Update(id, patch) => self.plan_update(id, patch),
            Op::Complete(id) => {
                let mut patch = Patch::default();
                patch.fields.status = Some(Status::Completed);
                self.plan_update(id, &patch)
            }
            Op::Delete(id) => self.plan_delete(id),
            Op::Restore(id) => self.plan_restore(id),
            Op::BeginRun(id) => self.plan_run(id),
            Op::FilesModified(paths) => self.plan_evidence(paths),
            Op::Claim(owner) => self.plan_claim(owner.trim()).map(|(plan, id)| {
                gave = id;
                plan
            }),
            Op::ClaimTask(id, owner) => self.plan_claim_task(id, owner.trim()),
            Op::Release(owner) => self.plan_release(owner.trim()),
            Op::As(..) => unreachable!("a bare call"),
        }?;
        let touched = plan.touched.clone();
        let (next, mut changes) = judge(&self.list, plan, &self.policy)?;
        let mut or_refused = vec![];
        if let Some(actor) = op.actor() {
            let net = &(&self.list.edges - &next.edges) | &(&next.edges - &self.list.edges);
            let faults = self.faults_of_actor(actor, &next, &net);
            if !faults.is_empty() {
                return Err(faults);
            }
            or_refused = self.faults_of_actor(actor, &next, &touched);
            let made = changes.facts.added.iter().chain(&changes.facts.revived);
            let anothers = |task: &&Task| task.owner.as_deref().is_some_and(|owner| owner != actor);
            changes.notes.for_others = made.filter(anothers).map(|task| task.id.clone()).collect();
        }
        self.list = next;
        Ok(Done {
            changes,
            gave,
            or_refused,
        })
    }

    /// The unfinished tasks of others that differ, are gone or have one of the edges changed.
    fn faults_of_actor(&self, actor: &str, next: &List, edges: &Pairs) -> Vec<Fault> {
        let mut faults = vec![];
        for task in &self.list.tasks {
            let Some(owner) = task.owner.as_deref().filter(|owner| *owner != actor) else {
                continue;
            };
            let another_edge = |(blocked, blocker): &(_, String)| {
                *blocked == task.id && next.get(blocker).is_some()
            };
            let same = next.get(&task.id) == Some(task) && !edges.iter().any(another_edge);
            // "Deleting or leaving out a blocker … unless the blocker is the caller's own or nobody's."
            let is_free = |id: &String| {
                let owner = self.list.get(id).and_then(|blocker| blocker.owner.clone());
                owner.is_none_or(|owner| owner == actor)
            };
            let freed = (self.list.edges.iter()).any(|(blocked, blocker)| {
                *blocked == task.id && next.get(blocker).is_none() && !is_free(blocker)
            });
            // "Taking a finished blocker back holds up another's unfinished task."
            let held_up = next.get(&task.id).is_some()
                && self.list.open_blockers(&task.id).is_empty()
                && !next.open_blockers(&task.id).is_empty();
            if task.status != Status::Completed && (!same || freed || held_up) {
                faults.push(Fault::OwnedByOther {
                    id: task.id.clone(),
                    owner: owner.to_owned(),
                });
            }
        }
        // "Who acts may set in progress only what becomes their own."
        for task in &next.tasks {
            let is_new = self.list.get(&task.id) != Some(task);
            if is_new && task.status == Status::InProgress && belongs_to_another(task, actor) {
                faults.push(Fault::StartedForOther {
                    id: task.id.clone(),
                });
            }
        }
        faults
    }

    pub(crate) fn violations(&self) -> Vec<Violation> {
        let mut violations = vec![];
        for (owner, ids) in groups(&self.policy, &self.list) {
            if ids.len() > 1 {
                violations.push(Violation::TooManyInProgress { ids, owner });
            }
        }
        for task in &self.list.tasks {
            let open_blockers = self.list.open_blockers(&task.id);
            if self.policy.dependencies == Dependencies::Enforce
                && task.status == Status::InProgress
                && !open_blockers.is_empty()
            {
                violations.push(Violation::Blocked {
                    id: task.id.clone(),
                    open_blockers,
                });
            }
        }
        violations
    }

    /// Gives the owner a task of the list and starts it.
    fn plan_start(&self, id: &str, owner: &str) -> Plan {
        let mut next = self.list.clone();
        for task in next.tasks.iter_mut().filter(|task| task.id == id) {
            task.owner = Some(owner.to_owned());
            task.status = Status::InProgress;
            task.started = true;
        }
        Plan {
            next,
            named: vec![id.to_owned()],
            had_started: self.list.ids_where(|task| task.started),
            ..Plan::default()
        }
    }

    fn plan_claim(&self, owner: &str) -> Result<(Plan, Option<String>), Vec<Fault>> {
        let first = |owner: Option<&str>, state: State| {
            let fits =
                |task: &Task| task.owner.as_deref() == owner && self.list.state(task) == state;
            self.list.ids_where(fits).into_iter().next()
        };
        let unchanged = Plan {
            next: self.list.clone(),
            ..Plan::default()
        };
        if let Some(id) = first(Some(owner), State::InProgress) {
            return Ok((unchanged, Some(id)));
        }
        let next = first(Some(owner), State::Ready).or(first(None, State::Ready));
        let plan = (next.as_ref()).map_or(unchanged, |id| self.plan_start(id, owner));
        Ok((plan, next))
    }

    fn plan_claim_task(&self, id: &str, owner: &str) -> Result<Plan, Vec<Fault>> {
        let id = id.trim();
        let mut faults = vec![];
        match self.list.get(id) {
            None => faults.push(self.unknown(id)),
            Some(task) if task.status == Status::Completed => {
                faults.push(Fault::Completed { id: id.to_owned() });
            }
            Some(task) => {
                let other = task.owner.clone().filter(|other| other != owner);
                faults.extend(other.map(|owner| Fault::OwnedByOther {
                    id: id.to_owned(),
                    owner,
                }));
            }
        }
        if faults.is_empty() {
            Ok(self.plan_start(id, owner))
        } else {
            Err(faults)
        }
    }

    fn plan_release(&self, owner: &str) -> Result<Plan, Vec<Fault>> {
        let mut next = self.list.clone();
        for task in &mut next.tasks {
            if task.owner.as_deref() == Some(owner) && task.status != Status::Completed {
                task.owner = None;
                task.status = Status::Pending;
            }
        }
        Ok(Plan {
            next,
            ..Plan::default()
        })
    }

    /// Whether there is something to wait for: not if the blocker was completed before it left the list, by this call or an
    /// earlier one, which is noted. One that left it uncompleted is a fault.
    fn must_wait(
        &self,
        next: &List,
        task: &str,
        blocker: &str,
        notes: &mut Notes,
        faults: &mut Vec<Fault>,
    ) -> bool {
        let gone = self.list.get_retired(blocker).or(self.list.get(blocker));
        let Some(old) = gone.filter(|_| next.get(blocker).is_none()) else {
            return true;
        };
        if old.status == Status::Completed {
            (notes.already_met).insert((task.to_owned(), blocker.to_owned()));
        } else {
            faults.push(Fault::RetiredBlocker {
                task: task.to_owned(),
                blocker: blocker.to_owned(),
            });
        }
        false
    }

    /// "A whole-list write reorders others' tasks: their own order among themselves stays", at the places written for them.
    fn keep_the_order_of_others(
        &self,
        actor: &str,
        items: &mut [Item],
        stands: &mut [Stand],
        ids: &mut [String],
    ) {
        let theirs = |id: &str| {
            let at = self.list.tasks.iter().position(|task| task.id == id)?;
            belongs_to_another(&self.list.tasks[at], actor).then_some(at)
        };
        // Neighbours among them are exchanged until none is out of order.
        loop {
            let places: Vec<usize> = (0..ids.len())
                .filter(|&at| theirs(&ids[at]).is_some())
                .collect();
            let wrong =
                (places.windows(2)).find(|pair| theirs(&ids[pair[0]]) > theirs(&ids[pair[1]]));
            let Some(&[one, other]) = wrong else {
                break;
            };
            items.swap(one, other);
            stands.swap(one, other);
            ids.swap(one, other);
        }
    }

    fn unknown(&self, id: &str) -> Fault {
        Fault::UnknownTask {
            id: id.to_owned(),
            known: self.list.ids(),
        }
    }

    fn retire(&self, list: &mut List, tasks: Vec<Task>, deleted: bool) {
        if tasks.is_empty() {
            return;
        }
        let gone = tasks.into_iter().map(|task| Retired { task, deleted });
        list.retired.splice(0..0, gone);
        list.retired.truncate(self.retired_cap);
    }

    fn plan_delete(&self, id: &str) -> Result<Plan, Vec<Fault>> {
        let id = id.trim();
        let task = self.list.get(id).ok_or(vec![self.unknown(id)])?.clone();
        let mut next = self.list.clone();
        next.tasks.retain(|task| task.id != id);
        (next.edges).retain(|(blocked, blocker)| blocked != id && blocker != id);
        self.retire(&mut next, vec![task], true);
        Ok(Plan {
            next,
            ..Plan::default()
        })
    }

    fn plan_restore(&self, id: &str) -> Result<Plan, Vec<Fault>> {
        let id = id.trim();
        if let Some(task) = self.list.get(id) {
            return Err(vec![Fault::IdTaken {
                id: id.to_owned(),
                subject: task.subject.clone(),
                retired: false,
            }]);
        }
        let task = self.list.get_retired(id).ok_or_else(|| {
            let known = self.list.retired.iter().map(|old| old.task.id.clone());
            vec![Fault::NotRetired {
                id: id.to_owned(),
                known: known.collect(),
            }]
        })?;
        let mut next = self.list.clone();
        next.retired.retain(|retired| retired.task.id != id);
        next.tasks.push(Task {
            status: Status::Pending,
            ..task.clone()
        });
        Ok(Plan {
            next,
            ..Plan::default()
        })
    }

    fn plan_run(&self, id: &str) -> Result<Plan, Vec<Fault>> {
        let id = id.trim();
        if !valid_id(id) {
            return Err(vec![Fault::InvalidId { id: id.to_owned() }]);
        }
        let mut next = self.list.clone();
        if next.run.id.as_deref() != Some(id) {
            next.run = Run {
                id: Some(id.to_owned()),
                ..Run::default()
            };
        }
        Ok(Plan {
            next,
            ..Plan::default()
        })
    }

    fn plan_evidence(&self, paths: &[String]) -> Result<Plan, Vec<Fault>> {
        let faults: Vec<Fault> = (paths.iter())
            .filter(|path| normal_path(path).is_none())
            .map(|path| Fault::InvalidPath { path: path.clone() })
            .collect();
        if !faults.is_empty() {
            return Err(faults);
        }
        let mut next = self.list.clone();
        let known = &self.list.run.files;
        let new: BTreeSet<String> = (paths.iter().filter_map(|path| normal_path(path)))
            .filter(|path| !path.is_empty() && !known.contains(path))
            .collect();
        if !next.run.incomplete && !new.is_empty() {
            next.run.files.extend(new);
            if next.run.files.len() > self.evidence_cap {
                next.run.files.clear();
                next.run.incomplete = true;
            }
        }
        Ok(Plan {
            next,
            ..Plan::default()
        })
    }

    fn plan_update(&self, id: &str, patch: &Patch) -> Result<Plan, Vec<Fault>> {
        let id = id.trim();
        let mut patch = patch.meant();
        let status = patch.fields.status;
        if status == Some(Status::Deleted) {
            return self.plan_delete(id);
        }
        let task = self.list.get(id).ok_or(vec![self.unknown(id)])?;
        let mut next = self.list.clone();
        let (mut notes, mut faults) = (Notes::default(), vec![]);
        let mut wait = |ids: &mut Vec<String>| {
            ids.retain(|blocker| self.must_wait(&self.list, id, blocker, &mut notes, &mut faults));
        };
        wait(&mut patch.add_blocked_by);
        if let Some(blockers) = &mut patch.fields.blocked_by {
            wait(blockers);
        }
        for old in next.tasks.iter_mut().filter(|task| task.id == id) {
            *old = edited(task, &patch.fields);
        }

        let blocked_by = |other: &String| (id.to_owned(), other.clone());
        let blocks = |other: &String| (other.clone(), id.to_owned());
        let set_blocked_by = patch.fields.blocked_by.as_ref();
        let set_blocks = patch.fields.blocks.as_ref();
        if let Some(blockers) = set_blocked_by {
            next.edges.retain(|(blocked, _)| blocked != id);
            next.edges.extend(blockers.iter().map(blocked_by));
        }
        if let Some(blocked) = set_blocks {
            next.edges.retain(|(_, blocker)| blocker != id);
            next.edges.extend(blocked.iter().map(blocks));
        }
        let mut touched = &(&self.list.edges - &next.edges) | &(&next.edges - &self.list.edges);
        next.edges
            .extend(patch.add_blocked_by.iter().map(blocked_by));
        next.edges.extend(patch.add_blocks.iter().map(blocks));
        touched.extend(&next.edges - &self.list.edges);
        for edge in patch.remove_blocked_by.iter().map(blocked_by) {
            next.edges.remove(&edge);
        }
        for edge in patch.remove_blocks.iter().map(blocks) {
            next.edges.remove(&edge);
        }

        let joined = [
            set_blocked_by.cloned().unwrap_or_default(),
            set_blocks.cloned().unwrap_or_default(),
            patch.add_blocked_by,
            patch.add_blocks,
        ]
        .concat();
        let parted = [patch.remove_blocked_by, patch.remove_blocks].concat();
        let unknown = |other: &&String| self.list.get(other).is_none();
        let unknown = joined.iter().chain(&parted).filter(unknown);
        faults.extend(unknown.map(|other| self.unknown(other)));
        if joined.iter().any(|other| other == id) {
            faults.push(Fault::SelfDependency { id: id.to_owned() });
        }
        drop_bad_edges(&mut next);

        Ok(Plan {
            next,
            named: said_running(id, status),
            had_started: self.list.ids_where(|task| task.started),
            touched,
            notes,
            faults,
            ..Plan::default()
        })
    }

    fn plan_create(&self, item: &Item) -> Result<(Plan, String), Vec<Fault>> {
        let item = item.meant();
        let fields = &item.fields;
        let mut faults = faults_of_item(0, fields);
        if fields.subject.is_none() {
            faults.push(Fault::MissingSubject { item: 0 });
        }
        if let Some(id) = item.id.as_deref() {
            let live = self.list.get(id);
            if let Some(holder) = live.or(self.list.get_retired(id)) {
                faults.push(Fault::IdTaken {
                    id: id.to_owned(),
                    subject: holder.subject.clone(),
                    retired: live.is_none(),
                });
            } else if !valid_id(id) {
                faults.push(Fault::InvalidId { id: id.to_owned() });
            }
        }
        let Some(subject) = fields.subject.as_deref().filter(|_| faults.is_empty()) else {
            return Err(faults);
        };

        let id = (item.id.clone()).unwrap_or_else(|| self.generate_id(subject, 1, &[]));
        let mut next = self.list.clone();
        next.tasks.push(made(&id, fields));
        let mut notes = Notes::default();
        for blocker in fields.blocked_by.iter().flatten() {
            if self.must_wait(&next, &id, blocker, &mut notes, &mut faults) {
                next.edges.insert((id.clone(), blocker.clone()));
            }
        }
        for blocked in fields.blocks.iter().flatten() {
            next.edges.insert((blocked.clone(), id.clone()));
        }
        faults.extend(faults_of_edges(&next, &self.list.ids()));
        drop_bad_edges(&mut next);
        let plan = Plan {
            next,
            named: said_running(&id, fields.status),
            fresh: vec![id.clone()],
            notes,
            faults,
            ..Plan::default()
        };
        Ok((plan, id))
    }

    fn plan_write(&self, items: &[Item], actor: Option<&str>) -> Result<Plan, Vec<Fault>> {
        let mut items: Vec<Item> = items.iter().map(Item::meant).collect();
        let duplicate: Vec<bool> = (items.iter().enumerate())
            .map(|(at, item)| {
                item.id.is_some() && items[..at].iter().any(|other| other.id == item.id)
            })
            .collect();

        let mut stands = self.explicit_stands(&items, &duplicate);
        self.match_items(&items, &duplicate, &mut stands);
        let subjects: Vec<Option<String>> = (items.iter().zip(&stands))
            .map(|(item, stand)| {
                let kept = stand.keeps.as_ref().map(|task| task.subject.clone());
                item.fields.subject.clone().or(kept)
            })
            .collect();

        let mut faults = vec![];
        for (at, item) in items.iter().enumerate() {
            faults.extend(faults_of_item(at, &item.fields));
            if subjects[at].is_none() {
                faults.push(Fault::MissingSubject { item: at });
            }
            if let Some(id) = item.id.as_deref()
                && self.list.get(id).or(self.list.get_retired(id)).is_none()
                && !valid_id(id)
            {
                faults.push(Fault::InvalidId { id: id.to_owned() });
            }
        }
        if !faults.is_empty() {
            return Err(faults);
        }
        let subjects: Vec<String> = subjects.into_iter().flatten().collect();

        let mut notes = Notes {
            rebound: self.rebound(&items, &duplicate, &stands, &subjects),
            ..Notes::default()
        };
        for (item, stand) in items.iter().zip(&mut stands) {
            if let Some(id) = &item.id {
                let rebound = notes.rebound.iter().any(|(given, _)| given == id);
                let is_it = stand.id.as_ref() == Some(id);
                if rebound && is_it {
                    *stand = Stand::id_only(id);
                }
            }
        }

        for at in 0..items.len() {
            if stands[at].id.is_none() {
                let kth = (subjects[..=at].iter())
                    .filter(|subject| **subject == subjects[at])
                    .count();
                let taken: Vec<String> = stands.iter().filter_map(|s| s.id.clone()).collect();
                let id = self.generate_id(&subjects[at], kth, &taken);
                if duplicate[at] {
                    let given = items[at].id.clone().unwrap_or_default();
                    notes.duplicate_ids.push((given, id.clone()));
                }
                stands[at].id = Some(id);
            }
        }
        let mut ids: Vec<String> = stands.iter().filter_map(|s| s.id.clone()).collect();
        if let Some(actor) = actor {
            self.keep_the_order_of_others(actor, &mut items, &mut stands, &mut ids);
        }

        let mut next = List {
            run: self.list.run.clone(),
            ..List::default()
        };
        for ((item, stand), id) in items.iter().zip(&stands).zip(&ids) {
            next.tasks.push(match &stand.keeps {
                Some(old) => rewritten(old, &item.fields),
                None => made(id, &item.fields),
            });
        }

        let left_out = |task: &&Task| !ids.contains(&task.id);
        let unfinished: Vec<Task> = (self.list.tasks.iter().filter(left_out))
            .filter(|task| task.status != Status::Completed)
            .cloned()
            .collect();
        let mut faults = vec![];
        let ids_left_out = unfinished.iter().map(|task| task.id.clone()).collect();
        match self.policy.dropped {
            _ if unfinished.is_empty() => {}
            Dropped::Allow => notes.unfinished_removed = ids_left_out,
            Dropped::Keep => {
                next.tasks.extend(unfinished);
                notes.unfinished_kept = ids_left_out;
            }
            Dropped::Refuse => faults.push(Fault::Dropped { ids: ids_left_out }),
            other => panic!("a policy that the model does not know: {other:?}"),
        }

        let says = |id: &str| ids.iter().position(|other| other == id);
        let survives = |id: &str| match says(id) {
            Some(at) => stands[at].survives,
            None => next.get(id).is_some(),
        };
        let mut kept_edges = Pairs::new();
        for (blocked, blocker) in &self.list.edges {
            let (down, up) = (says(blocked), says(blocker));
            if survives(blocked)
                && survives(blocker)
                && down.is_none_or(|at| items[at].fields.blocked_by.is_none())
                && up
                    .and_then(|at| items[at].fields.blocks.as_ref())
                    .is_none_or(|ids| ids.contains(blocked))
            {
                kept_edges.insert((blocked.clone(), blocker.clone()));
            }
        }
        next.edges = kept_edges;
        for (item, id) in items.iter().zip(&ids) {
            for blocker in item.fields.blocked_by.iter().flatten() {
                if self.must_wait(&next, id, blocker, &mut notes, &mut faults) {
                    next.edges.insert((id.clone(), blocker.clone()));
                }
            }
            for blocked in item.fields.blocks.iter().flatten() {
                next.edges.insert((blocked.clone(), id.clone()));
            }
        }
        faults.extend(faults_of_edges(&next, &next.ids()));
        drop_bad_edges(&mut next);

        next.retired = (self.list.retired.iter())
            .filter(|retired| !ids.contains(&retired.task.id))
            .cloned()
            .collect();
        let dropped: Vec<Task> = (self.list.tasks.iter())
            .filter(|task| next.get(&task.id).is_none())
            .cloned()
            .collect();
        self.retire(&mut next, dropped, false);

        Ok(Plan {
            named: (items.iter().zip(&ids))
                .flat_map(|(item, id)| said_running(id, item.fields.status))
                .collect(),
            fresh: (stands.iter().zip(&ids))
                .filter(|(stand, _)| !stand.survives)
                .map(|(_, id)| id.clone())
                .collect(),
            had_started: (stands.iter().zip(&ids))
                .filter(|(stand, _)| stand.keeps.as_ref().is_some_and(|old| old.started))
                .map(|(_, id)| id.clone())
                .collect(),
            next,
            touched: Pairs::new(),
            notes,
            faults,
        })
    }

    /// What the items with an id stand for, rebinding aside.
    fn explicit_stands(&self, items: &[Item], duplicate: &[bool]) -> Vec<Stand> {
        let stand = |item: &Item| {
            let Some(id) = item.id.as_deref() else {
                return Stand::default();
            };
            if let Some(task) = self.list.get(id) {
                return Stand::live(task);
            }
            let same_work = |old: &&Task| {
                let subject = item.fields.subject.as_deref();
                subject.is_none_or(|subject| folded(subject) == folded(&old.subject))
            };
            match self.list.get_retired(id).filter(same_work) {
                Some(task) => Stand::back(task),
                None => Stand::id_only(id),
            }
        };
        (items.iter().zip(duplicate))
            .map(|(item, twice)| {
                if *twice {
                    Stand::default()
                } else {
                    stand(item)
                }
            })
            .collect()
    }

    /// Finds the tasks that the items without an id stand for.
    fn match_items(&self, items: &[Item], duplicate: &[bool], stands: &mut [Stand]) {
        let claimed = |task: &&Task| items.iter().any(|item| item.id.as_ref() == Some(&task.id));
        let mut left: Vec<usize> = (0..items.len())
            .filter(|&at| items[at].id.is_none() && !duplicate[at])
            .filter(|&at| items[at].fields.subject.is_some())
            .collect();
        let mut live: Vec<&Task> = (self.list.tasks.iter())
            .filter(|task| !claimed(task))
            .collect();
        let mut gone: Vec<&Task> = (self.list.retired.iter().map(|retired| &retired.task))
            .filter(|task| !claimed(task))
            .collect();

        let subject = |at: usize| items[at].fields.subject.clone().unwrap_or_default();
        let by_form = |at: usize| match &items[at].fields.active_form {
            Given::Kept => None,
            Given::Cleared => Some((subject(at), subject(at))),
            Given::Set(form) => Some((subject(at), form.clone())),
        };
        let form = |task: &Task| {
            let form = task.active_form.as_ref().unwrap_or(&task.subject);
            (task.subject.clone(), form.clone())
        };
        let by_status = |at: usize| Some((subject(at), items[at].fields.status?));
        let status = |task: &Task| (task.subject.clone(), task.status);

        let mut found = pair_unique(&mut left, &mut live, by_form, form);
        found.extend(pair_unique(&mut left, &mut live, by_status, status));
        found.extend(pair_equal(&mut left, &mut live, subject));
        found.extend(pair_unique(
            &mut left,
            &mut live,
            |at| Some(folded(&subject(at))),
            |task| folded(&task.subject),
        ));
        for (at, task) in found {
            stands[at] = Stand::live(task);
        }

        let mut found = pair_unique(&mut left, &mut gone, by_form, form);
        found.extend(pair_unique(&mut left, &mut gone, by_status, status));
        found.extend(pair_equal(&mut left, &mut gone, subject));
        for (at, task) in found {
            stands[at] = Stand::back(task);
        }
    }

    /// The ids that go to the work of another live task, and the id that it had.
    fn rebound(
        &self,
        items: &[Item],
        duplicate: &[bool],
        stands: &[Stand],
        subjects: &[String],
    ) -> Vec<(String, String)> {
        let left_by_its_item = |task: &Task| {
            let own = stands.iter().position(|s| s.id.as_ref() == Some(&task.id));
            own.is_none_or(|at| subjects[at] != task.subject)
        };
        let mut rebound = vec![];
        for (item, _) in items.iter().zip(duplicate).filter(|(_, twice)| !**twice) {
            let (Some(id), Some(subject)) = (&item.id, &item.fields.subject) else {
                continue;
            };
            let own = self.list.get(id).or(self.list.get_retired(id));
            if own.is_some_and(|task| task.subject == *subject) {
                continue;
            }
            let previous = (self.list.tasks.iter())
                .find(|task| task.id != *id && task.subject == *subject && left_by_its_item(task));
            rebound.extend(previous.map(|task| (id.clone(), task.id.clone())));
        }
        rebound
    }

    /// The id of the `kth` item of a call with that subject.
    fn generate_id(&self, subject: &str, kth: usize, taken: &[String]) -> String {
        let mut base = format!("task_{}", slug(subject));
        if kth > 1 {
            base += &format!("_{kth}");
        }
        let free = |id: &String| {
            self.list.get(id).is_none()
                && self.list.get_retired(id).is_none()
                && !taken.contains(id)
        };
        let others = (2..).map(|n| format!("{base}_{n}"));
        let mut candidates = std::iter::once(base.clone()).chain(others);
        candidates.find(free).unwrap_or_default()
    }
}

/// Pairs what has a key that occurs once among the items and once among the tasks.
fn pair_unique<'a, K: PartialEq>(
    items: &mut Vec<usize>,
    tasks: &mut Vec<&'a Task>,
    item_key: impl Fn(usize) -> Option<K>,
    task_key: impl Fn(&Task) -> K,
) -> Vec<(usize, &'a Task)> {
    let mut found = vec![];
    for &at in items.iter() {
        let Some(key) = item_key(at) else { continue };
        let twins = (items.iter())
            .filter(|&&other| item_key(other).as_ref() == Some(&key))
            .count();
        let same: Vec<&Task> = (tasks.iter().copied())
            .filter(|task| task_key(task) == key)
            .collect();
        if let ([task], 1) = (&*same, twins) {
            found.push((at, *task));
        }
    }
    take(&found, items, tasks);
    found
}

/// Pairs equal subjects in list order.
fn pair_equal<'a>(
    items: &mut Vec<usize>,
    tasks: &mut Vec<&'a Task>,
    subject: impl Fn(usize) -> String,
) -> Vec<(usize, &'a Task)> {
    let mut found: Vec<(usize, &Task)> = vec![];
    for &at in items.iter() {
        let used = |task: &Task| found.iter().any(|(_, other)| other.id == task.id);
        let next = (tasks.iter().copied()).find(|task| task.subject == subject(at) && !used(task));
        found.extend(next.map(|task| (at, task)));
    }
    take(&found, items, tasks);
    found
}

fn take(found: &[(usize, &Task)], items: &mut Vec<usize>, tasks: &mut Vec<&Task>) {
    items.retain(|at| found.iter().all(|(other, _)| other != at));
    tasks.retain(|task| found.iter().all(|(_, other)| other.id != task.id));
}

fn said_running(id: &str, status: Option<Status>) -> Vec<String> {
    let running = status == Some(Status::InProgress);
    running.then(|| id.to_owned()).into_iter().collect()
}

fn faults_of_item(item: usize, fields: &Fields) -> Vec<Fault> {
    match fields.status {
        Some(status @ Status::Deleted) => vec![Fault::StatusNotAllowed { item, status }],
        _ => vec![],
    }
}

/// The self edges and the unknown ends among the edges.
fn faults_of_edges(list: &List, known: &[String]) -> Vec<Fault> {
    let mut faults = vec![];
    for (blocked, blocker) in &list.edges {
        if blocked == blocker {
            faults.push(Fault::SelfDependency {
                id: blocked.clone(),
            });
        }
        for id in [blocked, blocker] {
            if list.get(id).is_none() {
                faults.push(Fault::UnknownTask {
                    id: id.clone(),
                    known: known.to_vec(),
                });
            }
        }
    }
    faults
}

fn drop_bad_edges(list: &mut List) {
    let ids = list.ids();
    (list.edges).retain(|(a, b)| a != b && ids.contains(a) && ids.contains(b));
}

/// Whether a text can be an id.
fn valid_id(id: &str) -> bool {
    let forbidden = |c: char| {
        let bidi = ['\u{061c}', '\u{200e}', '\u{200f}'].contains(&c)
            || ('\u{202a}'..='\u{202e}').contains(&c)
            || ('\u{2066}'..='\u{2069}').contains(&c);
        let separator = c == '\u{2028}' || c == '\u{2029}';
        c.is_control() || separator || bidi || "/\\{}".contains(c)
    };
    (1..=128).contains(&id.len()) && id != "." && id != ".." && !id.chars().any(forbidden)
}

fn folded(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").to_lowercase()
}

fn slug(subject: &str) -> String {
    let mut slug = String::new();
    for c in subject.to_lowercase().chars() {
        if c.is_ascii_lowercase() || c.is_ascii_digit() {
            slug.push(c);
        } else if !slug.ends_with('_') {
            slug.push('_');
        }
    }
    let cut: String = slug.trim_matches('_').chars().take(48).collect();
    if cut.is_empty() { "item".into() } else { cut }
}

/// Refuses the plan, or says what the list is after it and how it differs.
fn judge(before: &List, plan: Plan, policy: &Policy) -> Result<(List, Changes), Vec<Fault>> {
    let mut next = plan.next;
    let mut faults = plan.faults;
    let mut notes = plan.notes;
    if shortest_cycle(&next.edges).is_some() {
        faults.push(Fault::Cycle {
            edges: next.edges.clone(),
            completed: next.ids_where(|task| task.status == Status::Completed),
        });
    }

    let running = |task: &Task| task.status == Status::InProgress;
    let changed = |task: &Task| {
        let old = before.get(&task.id);
        plan.fresh.contains(&task.id) || old.is_none_or(|old| old.status != task.status)
    };
    let owner_changed =
        |task: &Task| (before.get(&task.id)).is_some_and(|old| old.owner != task.owner);
    let starter = |task: &Task| {
        let per_owner = policy.in_progress == InProgress::PerOwner;
        running(task) && (changed(task) || per_owner && owner_changed(task))
    };
    let starters = next.ids_where(starter);
    let named = next.ids_where(|task| plan.named.contains(&task.id));

    let mut demoted: BTreeMap<String, Demotion> = BTreeMap::new();
    for (_, group) in groups(policy, &next) {
        let (started, stayed): (Vec<_>, Vec<_>) =
            (group.iter().cloned()).partition(|id| starters.contains(id));
        if started.is_empty() || group.len() < 2 {
            continue;
        }
        let asked: Vec<String> = (group.iter())
            .filter(|id| named.contains(id))
            .cloned()
            .collect();
        let (yielding, to) = if asked.iter().any(|id| starters.contains(id)) {
            if asked.len() > 1 && policy.excess == Excess::Refuse {
                faults.push(Fault::TooManyInProgress {
                    ids: asked.clone(),
                    limit: 1,
                    per_owner: policy.in_progress == InProgress::PerOwner,
                });
            }
            (group, asked.last().cloned())
        } else {
            let to = stayed.first().or(started.last()).cloned();
            (started, to)
        };
        for id in yielding {
            if let Some(to) = to.clone().filter(|to| *to != id) {
                demoted.insert(id, Demotion::Yielded(to));
            }
        }
    }

    let mut advised = vec![];
    for task in &next.tasks {
        let open_blockers = next.open_blockers(&task.id);
        if !changed(task) {
            let was_free = before.open_blockers(&task.id).is_empty();
            if !running(task) || !was_free || open_blockers.is_empty() {
                continue;
            }
            if demoted.contains_key(&task.id) {
                continue;
            }
            if policy.dependencies == Dependencies::Advise {
                advised.push(task.id.clone());
            } else {
                (demoted.entry(task.id.clone())).or_insert(Demotion::Blocked(open_blockers));
            }
            continue;
        }
        // What it would be if this call had left it pending.
        let unstarted = Task {
            status: Status::Pending,
            started: plan.had_started.contains(&task.id),
            ..task.clone()
        };
        let fault = if running(task) && next.is_dormant(&unstarted) {
            Fault::Dormant {
                id: task.id.clone(),
                patterns: task.activation.clone().unwrap_or_default(),
            }
        } else if starts(task.status) && !open_blockers.is_empty() {
            Fault::Blocked {
                id: task.id.clone(),
                status: task.status,
                open_blockers,
            }
        } else {
            continue;
        };
        if policy.dependencies == Dependencies::Advise {
            advised.push(task.id.clone());
        } else {
            faults.push(fault);
            break;
        }
    }
    notes.advised = advised;
    if !faults.is_empty() {
        return Err(faults);
    }

    for task in &mut next.tasks {
        if demoted.contains_key(&task.id) {
            task.status = Status::Pending;
        }
    }

    let demoted = (next.tasks.iter())
        .filter_map(|task| Some((task.id.clone(), demoted.get(&task.id)?.clone())))
        .collect();
    let was_and_is = |was: &[State], is: &[State]| {
        next.ids_where(|task| {
            let old = before.state_of(&task.id);
            old.is_some_and(|old| was.contains(&old)) && is.contains(&next.state(task))
        })
    };
    let free = [State::Ready, State::InProgress];
    let awake = [
        State::Ready,
        State::InProgress,
        State::Blocked,
        State::Completed,
    ];
    let changes = Changes {
        facts: difference(before, &next),
        demoted,
        unblocked: was_and_is(&[State::Blocked], &free),
        now_blocked: was_and_is(&free, &[State::Blocked]),
        woken: was_and_is(&[State::Dormant], &awake),
        fallen_asleep: was_and_is(&awake, &[State::Dormant]),
        notes,
    };
    Ok((next, changes))
}

/// The net difference between two lists.
fn difference(before: &List, after: &List) -> Facts {
    let mut facts = Facts {
        edges_removed: &before.edges - &after.edges,
        edges_added: &after.edges - &before.edges,
        ..Facts::default()
    };
    let mut unsaid = vec![];
    for task in &before.tasks {
        if after.get(&task.id).is_some() {
            unsaid.push(task.id.clone());
        } else {
            facts.removed.push(task.clone());
        }
    }
    for task in &after.tasks {
        match before.get(&task.id) {
            Some(old) if old == task => {}
            Some(old) => facts.edited.push((old.clone(), task.clone())),
            None => {
                let was_retired = before.get_retired(&task.id).is_some();
                let kind = if was_retired {
                    &mut facts.revived
                } else {
                    &mut facts.added
                };
                kind.push(task.clone());
            }
        }
    }
    let newcomers = facts.added.iter().chain(&facts.revived);
    unsaid.extend(newcomers.map(|task| task.id.clone()));
    facts.order = (unsaid != after.ids()).then(|| after.ids());

    let (old, new) = (&before.run, &after.run);
    if new.id != old.id {
        facts.run_began = new.id.clone();
    } else {
        facts.files_added = (&new.files - &old.files).into_iter().collect();
        facts.evidence_lost = new.incomplete && !old.incomplete;
    }
    facts
}

// ---------------------------------------------------------------------------
// The crate's values as the model's

pub(crate) fn strings(ids: &[real::TaskId]) -> Vec<String> {
    ids.iter().map(|id| id.to_string()).collect()
}

impl From<&real::Task> for Task {
    fn from(task: &real::Task) -> Self {
        let text = |text: &Option<std::sync::Arc<str>>| text.as_deref().map(str::to_owned);
        Task {
            id: task.id.to_string(),
            subject: task.subject.to_string(),
            description: text(&task.description),
            active_form: text(&task.active_form),
            owner: text(&task.owner),
            activation: (task.activation.as_ref())
                .map(|activation| activation.patterns().map(str::to_owned).collect()),
            metadata: task.metadata.as_deref().cloned(),
            status: task.status,
            started: task.started,
        }
    }
}

impl From<&real::Changes> for Changes {
    fn from(changes: &real::Changes) -> Self {
        let (facts, effects, notes) = (&changes.facts, &changes.effects, &changes.notes);
        let tasks = |tasks: &[std::sync::Arc<real::Task>]| {
            tasks.iter().map(|task| Task::from(&**task)).collect()
        };
        let pairs = |edges: &[real::change::Edge]| {
            let pairs: Pairs = (edges.iter())
                .map(|edge| (edge.blocked.to_string(), edge.blocker.to_string()))
                .collect();
            assert_eq!(pairs.len(), edges.len(), "an edge is told twice: {edges:?}");
            pairs
        };
        Changes {
            facts: Facts {
                removed: tasks(&facts.removed),
                added: tasks(&facts.added),
                revived: tasks(&facts.revived),
                edited: (facts.edited.iter())
                    .map(|edited| ((&*edited.before).into(), (&*edited.after).into()))
                    .collect(),
                edges_removed: pairs(&facts.edges_removed),
                edges_added: pairs(&facts.edges_added),
                order: facts.order.as_deref().map(strings),
                run_began: facts.run_began.as_deref().map(str::to_owned),
                files_added: facts.files_added.iter().map(|s| s.to_string()).collect(),
                evidence_lost: facts.evidence_lost,
            },
            demoted: (effects.demoted.iter())
                .map(|demoted| {
                    let cause = match &demoted.cause {
                        real::change::Demotion::Yielded { to } => Demotion::Yielded(to.to_string()),
                        real::change::Demotion::MadeToWait { by } => Demotion::Blocked(strings(by)),
                        other => panic!("a demotion that the model does not know: {other:?}"),
                    };
                    (demoted.id.to_string(), cause)
                })
                .collect(),
            unblocked: strings(&effects.unblocked),
            now_blocked: strings(&effects.now_blocked),
            woken: strings(&effects.woken),
            fallen_asleep: strings(&effects.fallen_asleep),
            notes: Notes {
                rebound: (notes.rebound.iter())
                    .map(|note| (note.id.to_string(), note.previous.to_string()))
                    .collect(),
                duplicate_ids: (notes.duplicate_ids.iter())
                    .map(|note| (note.id.to_string(), note.generated.to_string()))
                    .collect(),
                unfinished_removed: strings(&notes.unfinished_removed),
                unfinished_kept: strings(&notes.unfinished_kept),
                advised: strings(&notes.advised),
                already_met: pairs(&notes.already_met),
                for_others: strings(&notes.for_others),
            },
        }
    }
}

impl From<&real::policy::Violation> for Violation {
    fn from(violation: &real::policy::Violation) -> Self {
        match violation {
            real::policy::Violation::TooManyInProgress { ids, owner } => {
                Violation::TooManyInProgress {
                    ids: strings(ids),
                    owner: owner.as_deref().map(str::to_owned),
                }
            }
            real::policy::Violation::StartedEarly { id, open_blockers } => Violation::Blocked {
                id: id.to_string(),
                open_blockers: strings(open_blockers),
            },
            other => panic!("a violation that the model does not know: {other:?}"),
        }
    }
}

fn ids<'a>(tasks: impl IntoIterator<Item = &'a real::Task>) -> Vec<String> {
    (tasks.into_iter())
        .map(|task| task.id.to_string())
        .collect()
}

pub(crate) fn observe(list: &real::TaskList) -> List {
    let mut edges = Pairs::new();
    for task in list.tasks() {
        for blocker in list.blocked_by(&task.id).unwrap() {
            assert!(edges.insert((task.id.to_string(), blocker.id.to_string())));
        }
    }
    List {
        tasks: list.tasks().map(Task::from).collect(),
        edges,
        retired: (list.retired())
            .map(|retired| Retired {
                task: (&*retired.task).into(),
                deleted: retired.deleted,
            })
            .collect(),
        run: observe_run(list),
    }
}

/// The evidence shows in the stored form only.
fn observe_run(list: &real::TaskList) -> Run {
    let json: Value = serde_json::from_str(&list.to_json()).unwrap();
    let run = &json["run"];
    let files = run["files"].as_array().into_iter().flatten();
    let files: Vec<&str> = files.filter_map(Value::as_str).collect();
    assert!(files.is_sorted());
    Run {
        id: list.run().map(str::to_owned),
        files: files.into_iter().map(str::to_owned).collect(),
        incomplete: run["incomplete"] == true,
    }
}

pub(crate) fn answers(list: &real::TaskList) -> Answers {
    let of_task = |task: &real::Task| {
        let id = &task.id;
        let explained = list.explain(id).unwrap();
        assert_eq!(explained.id, *id);
        assert_eq!(list.state(id), Some(explained.state));
        assert_eq!(list.get(format!(" {id} ")), Some(task));
        OfTask {
            id: id.to_string(),
            state: explained.state,
            open_blockers: strings(&explained.open_blockers),
            waits_for: explained.waits_for.iter().map(|s| s.to_string()).collect(),
            blocked_by: ids(list.blocked_by(id).unwrap()),
            blocks: ids(list.blocks(id).unwrap()),
        }
    };
    let summary = list.summary();
    assert_eq!(list.len(), list.tasks().len());
    assert_eq!(list.is_empty(), list.tasks().next().is_none());
    for retired in list.retired() {
        let id = &retired.task.id;
        assert_eq!(list.get(id), None);
        assert_eq!(list.explain(id), None);
    }
    Answers {
        of_tasks: list.tasks().map(of_task).collect(),
        of_retired: list.retired().map(|old| list.state(&old.task.id)).collect(),
        run: list.run().map(str::to_owned),
        dormant: ids(list.in_state(State::Dormant)),
        ready: ids(list.ready()),
        in_progress: ids(list.in_state(State::InProgress)),
        open: ids(list.open_tasks()),
        can_finish: list.can_finish(),
        summary: Summary {
            total: summary.total,
            completed: summary.completed,
            in_progress: summary.in_progress,
            pending: summary.pending,
            incomplete: summary.incomplete,
            dormant: summary.dormant,
            blocked: summary.blocked,
            ready: summary.ready,
            has_tasks: summary.has_tasks,
            all_completed: summary.all_completed,
            can_finish: summary.can_finish,
        },
    }
}
