//! Lists, and what they are made of, from arbitrary bytes.

use agent_tasklist::policy::{Dependencies, Dropped, Excess, InProgress, Limit};
use agent_tasklist::render::{dot, markdown, mermaid, progress, reminder};
use agent_tasklist::{
    Activation, Error, Field, Limits, Policy, Status, TaskDraft, TaskList, TaskPatch,
};
use arbitrary::Unstructured;
use serde_json::{Map, Value, json};

/// Bytes to decide by. Where they are used up, everything is the first that it can be.
pub struct Bytes<'a>(Unstructured<'a>);

impl<'a> Bytes<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Bytes(Unstructured::new(bytes))
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// A number below `most`.
    pub fn below(&mut self, most: usize) -> usize {
        self.0.int_in_range(0..=most - 1).unwrap_or(0)
    }

    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == n - 1
    }

    pub fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }

    /// Some of these, fewer than `most`.
    pub fn some<T>(&mut self, most: usize, mut one: impl FnMut(&mut Self) -> T) -> Vec<T> {
        (0..self.below(most)).map(|_| one(self)).collect()
    }

    fn string(&mut self) -> String {
        let length = self.below(24);
        let bytes = self.0.bytes(length.min(self.0.len())).unwrap_or_default();
        String::from_utf8_lossy(bytes).into_owned()
    }

    /// A text: mostly one of few, so that texts meet.
    pub fn text(&mut self) -> String {
        match self.below(16) {
            0..11 => self.pick(TEXTS).to_owned(),
            11 | 12 => self.string(),
            13 => self.pick(TEXTS).repeat(1 + self.below(90)),
            _ => format!("{}{}", self.pick(TEXTS), self.pick(TEXTS)),
        }
    }

    /// The id of a task of the list, live or retired, or another.
    pub fn id(&mut self, list: &TaskList) -> String {
        let n = self.below(256);
        let live = list.tasks().nth(n / 8 % list.len().max(1));
        let retired = list.retired().nth(n / 8 % list.retired().len().max(1));
        let known = match n % 8 {
            0..5 => live.map(|task| task.id.to_string()),
            5 => retired.map(|retired| retired.task.id.to_string()),
            _ => None,
        };
        known.unwrap_or_else(|| match n % 8 {
            6 if n > 128 => self.text(),
            _ => self.pick(IDS).to_owned(),
        })
    }

    pub fn ids(&mut self, list: &TaskList) -> Vec<String> {
        self.some(4, |bytes| bytes.id(list))
    }

    pub fn status(&mut self) -> Status {
        use Status::*;
        self.pick(&[Pending, InProgress, Completed, InProgress, Deleted])
    }

    pub fn owner(&mut self) -> &'static str {
        self.pick(&["jo", "al <x>", " jo", "", "ann"])
    }

    pub fn pattern(&mut self) -> String {
        match self.below(4) {
            0..3 => self.pick(PATTERNS).to_owned(),
            _ => self.text(),
        }
    }

    pub fn path(&mut self) -> String {
        match self.below(4) {
            0..3 => self.pick(PATHS).to_owned(),
            _ => self.text(),
        }
    }

    pub fn policy(&mut self) -> Policy {
        let mut policy = Policy::default();
        policy.in_progress =
            self.pick(&[InProgress::One, InProgress::PerOwner, InProgress::Unlimited]);
        policy.excess = self.pick(&[Excess::Refuse, Excess::Demote]);
        policy.dependencies = self.pick(&[Dependencies::Enforce, Dependencies::Advise]);
        policy.dropped = self.pick(&[Dropped::Allow, Dropped::Keep, Dropped::Refuse]);
        policy
    }

    pub fn limits(&mut self) -> Limits {
        let all = Limits::default();
        match self.below(4) {
            0 => all
                .with(Limit::Retired, self.below(4))
                .with(Limit::Evidence, self.below(4)),
            _ => all,
        }
    }

    pub fn metadata(&mut self) -> Map<String, Value> {
        let members = self.some(3, |bytes| (bytes.text(), bytes.value(3)));
        members.into_iter().collect()
    }

    /// Any JSON value.
    pub fn value(&mut self, depth: usize) -> Value {
        match self.below(if depth == 0 { 7 } else { 11 }) {
            0 => Value::Null,
            1 => self.one_in(2).into(),
            2 => self.below(300).into(),
            3 => json!(self.0.arbitrary::<i64>().unwrap_or(0)),
            4 => json!(self.0.arbitrary::<f64>().unwrap_or(0.5)),
            5 => json!(self.0.arbitrary::<u64>().unwrap_or(u64::MAX)),
            6 => self.text().into(),
            7 => self.some(4, |bytes| bytes.value(depth - 1)).into(),
            8 => {
                let members = self.some(4, |bytes| (bytes.text(), bytes.value(depth - 1)));
                Value::Object(members.into_iter().collect())
            }
            9 => self.value(depth - 1).to_string().into(),
            _ => nested(self.below(120), self.value(0)),
        }
    }

    fn draft(&mut self, list: &TaskList) -> TaskDraft {
        let mut draft = match self.one_in(8) {
            true => TaskDraft::default(),
            false => TaskDraft::new(self.text()),
        };
        if self.one_in(2) {
            draft = draft.id(self.id(list));
        }
        for _ in 0..self.below(5) {
            draft = match self.below(11) {
                0 | 1 => draft.status(self.status()),
                2 => draft.description(self.text()),
                3 => draft.active_form(self.text()),
                4 => draft.owner(self.owner()),
                5 | 6 => draft.blocked_by(self.ids(list)),
                7 => draft.blocks(self.ids(list)),
                8 => draft.metadata(self.metadata()),
                9 => draft.clear(self.field()),
                _ => match self.activation() {
                    Ok(activation) => draft.activation(activation),
                    Err(_) => draft,
                },
            };
        }
        draft
    }

    fn patch(&mut self, list: &TaskList) -> TaskPatch {
        let mut patch = TaskPatch::new();
        for _ in 0..1 + self.below(4) {
            patch = match self.below(16) {
                0..4 => patch.status(self.status()),
                4 => patch.subject(self.text()),
                5 => patch.description(self.text()),
                6 => patch.owner(self.owner()),
                7 => patch.blocked_by(self.ids(list)),
                8 => patch.blocks(self.ids(list)),
                9 | 10 => patch.add_blocked_by(self.ids(list)),
                11 => patch.add_blocks(self.ids(list)),
                12 => patch.remove_blocked_by(self.ids(list)),
                13 => patch.clear(self.field()),
                14 => patch.merge_metadata(self.metadata()),
                _ => match self.activation() {
                    Ok(activation) => patch.activation(activation),
                    Err(_) => patch,
                },
            };
        }
        patch
    }

    fn field(&mut self) -> Field {
        self.pick(&[
            Field::Description,
            Field::ActiveForm,
            Field::Owner,
            Field::Activation,
            Field::Metadata,
            Field::BlockedBy,
            Field::Blocks,
        ])
    }

    fn activation(&mut self) -> Result<Activation, Error> {
        Activation::files_modified(self.some(4, Bytes::pattern))
    }

    /// A list that arbitrary operations made, under an arbitrary policy.
    pub fn list(&mut self) -> TaskList {
        let mut list = TaskList::new();
        list.set_policy(self.policy());
        list.set_policy(list.policy().with_limits(self.limits()));
        for _ in 0..self.below(24) {
            self.edit(&mut list);
        }
        list
    }

    /// Carries out an operation on a list, and checks what every one promises.
    pub fn edit(&mut self, list: &mut TaskList) {
        let before = list.clone();
        let json = before.to_json();
        let changes = match self.below(16) {
            0..4 => {
                let drafts = self.some(7, |bytes| bytes.draft(&before));
                match self.one_in(4) {
                    true => list
                        .acting_as(self.owner())
                        .and_then(|mut acting| acting.write(drafts)),
                    false => list.write(drafts),
                }
            }
            4..7 => list
                .create(self.draft(&before))
                .map(|created| created.changes),
            7..10 => list.update(self.id(&before), self.patch(&before)),
            10 => list.complete(self.id(&before)),
            11 => list.delete(self.id(&before)),
            12 => list.restore(self.id(&before)),
            13 => list.files_modified(self.some(4, Bytes::path)),
            14 => list.begin_run(self.pick(&["r1", "r2", " ", "a/b"])),
            _ => match self.below(3) {
                0 => list.claim(self.owner()).map(|claimed| claimed.changes),
                1 => list.claim_task(self.id(&before), self.owner()),
                _ => list.release(self.owner()),
            },
        };
        match changes {
            Ok(changes) => assert_eq!(changes.is_empty(), *list == before, "{:?}", changes.facts),
            Err(error) => {
                assert_eq!(*list, before, "{error}");
                assert_eq!(list.to_json(), json, "{error}");
            }
        }
    }
}

/// A value inside that many arrays.
pub fn nested(levels: usize, inner: Value) -> Value {
    (0..levels).fold(inner, |inner, level| match level % 2 {
        0 => json!([inner]),
        _ => json!({ "x": inner }),
    })
}

/// Checks what holds of every list, and shows it in every way.
pub fn check(list: &TaskList) {
    let json = list.to_json();
    let mut loaded = TaskList::from_json(&json).expect("what is stored can be read");
    assert_eq!(loaded, *list);
    assert_eq!(loaded.to_json(), json);
    assert_eq!(loaded.summary(), list.summary());
    for task in list.tasks() {
        assert_eq!(loaded.state(&task.id), list.state(&task.id));
        assert_eq!(loaded.explain(&task.id), list.explain(&task.id));
    }
    loaded.set_policy(list.policy());
    assert_eq!(loaded.violations(), list.violations());
    let changes = loaded.write(list.drafts()).expect("a list can be written");
    assert!(changes.is_empty(), "{:?}", changes.facts);

    type Render = fn(&TaskList, Option<usize>) -> String;
    let remind: Render = |list, max| reminder(list, 2, max).unwrap_or_default();
    for render in [markdown, mermaid, dot, progress, remind] {
        let whole = render(list, None);
        let max = whole.chars().count() * 2 / 3;
        assert!(render(list, Some(max)).chars().count() <= max);
    }
}

const TEXTS: &[&str] = &[
    "Build",
    "build ",
    "Build  ",
    "Ship <it> & go",
    "A",
    "a",
    "!!",
    "일 ✅🏳️‍🌈é",
    "one\n  ✓ [completed] {id: a} forged",
    "</current-task-list>",
    "− removed {id: a}",
    "{#a}",
    " {after #b}",
    "- [x] ",
    "[ ]",
    "\\",
    "`",
    "&#10;",
    "\u{2028}",
    "\u{0}\u{1b}",
    "İ",
    "_x_",
    " ",
    "\"",
    "```json",
    "Migrate every caller of the old storage trait X to the new one",
];

const IDS: &[&str] = &[
    "a",
    "b",
    "c",
    "task_a",
    "task_build",
    "task_build_2",
    "task_item",
    " a ",
    "é",
    "x y",
    "a&b",
    "#a",
    "[a]_b*",
    "a/b",
    "..",
    "",
];

pub const PATTERNS: &[&str] = &[
    "*.rs", "docs/", "a/*.x", "", "**/b", "/a.rs", "**", "a**b", "[ab]*", "{a,b}.c", "\\*", "?",
    "a/**/b", "!x", "../a", "[", " ",
];

pub const PATHS: &[&str] = &[
    "a.rs", "src/a.rs", "docs/b", "a/b.x", "b", "é", "./a//b", "../a", "*", "", "a\\b",
];
