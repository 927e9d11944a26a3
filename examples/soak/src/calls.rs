//! Random calls: what an agent does next, going by the list as it last saw it.

use crate::random::Random;
use crate::sloppy;
use agent_tasklist::{State, Status, TaskList};
use serde_json::{Map, Value, json};

/// A call of a tool, or an edit of the host's (`host_…`).
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    pub tool: String,
    /// What is meant, as the schema wants it, a task's `metadata` aside.
    pub args: Value,
    /// What is sent, where it is spelled in another way.
    pub sent: Option<Value>,
    /// Whether it must be refused, whatever the list.
    pub bad: bool,
}

impl Call {
    fn new(tool: &str, args: Value) -> Self {
        Call {
            tool: tool.to_owned(),
            args,
            sent: None,
            bad: false,
        }
    }

    pub fn sent(&self) -> &Value {
        self.sent.as_ref().unwrap_or(&self.args)
    }

    pub fn is_host(&self) -> bool {
        self.tool.starts_with("host_")
    }

    pub fn to_value(&self) -> Value {
        json!({"tool": self.tool, "args": self.args, "sent": self.sent, "bad": self.bad})
    }

    pub fn from_value(value: &Value) -> Call {
        Call {
            tool: value["tool"].as_str().unwrap_or_default().to_owned(),
            args: value["args"].clone(),
            sent: Some(value["sent"].clone()).filter(|sent| !sent.is_null()),
            bad: value["bad"] == true,
        }
    }
}

/// The supervisor's release of an agent that is gone.
pub fn release(owner: &str) -> Call {
    Call::new("host_release", json!({"owner": owner}))
}

const VERBS: &[&str] = &[
    "Fix", "Test", "Write", "Review", "Ship", "Move", "Rename", "Measure",
];
const THINGS: &[&str] = &[
    "the parser",
    "docs",
    "the Store",
    "step 2",
    "it",
    "the API",
    "naïve code",
    "設計",
    "a  gap",
    "<b>",
];
const PATTERNS: &[&str] = &["*.rs", "docs/**", "src/*.rs", "docs/", "a?.md", "**/b"];
const PATHS: &[&str] = &[
    "src/a.rs",
    "docs/x",
    "docs/a/b",
    "ab.md",
    "src/b/c.rs",
    "b",
    "x.toml",
    "./src//d.rs",
    "docs/y",
    "lib.rs",
];

/// Makes the calls of one agent in one of its lives.
pub struct Calls {
    random: Random,
    name: String,
    agents: usize,
}

impl Calls {
    pub fn new(seed: u64, name: &str, life: u64, agents: usize) -> Self {
        Calls {
            random: Random::new(seed, &format!("{name}/{life}")),
            name: name.to_owned(),
            agents,
        }
    }

    /// The next call, by one who saw the list at that revision.
    pub fn next(&mut self, list: &TaskList, revision: u64) -> Call {
        let (many, few) = (list.len() > 52, list.len() < 32);
        let call = match self.random.below(1000) {
            0..130 => self.claim(list),
            130..260 => self.complete(list),
            260..470 => self.update(list),
            470..570 if !many => self.create(list),
            570..600 if few => self.create(list),
            470..630 => self.delete(list, many),
            630..710 => self.write(list, revision, many),
            710..730 => Call::new("task_release", json!({})),
            730..830 => self.look(list),
            830..930 => self.host(list),
            930..970 => self.bad(list),
            _ if few => self.create(list),
            _ => self.update(list),
        };
        if !call.is_host() && !call.bad && self.random.percent(25) {
            let sent = sloppy::sent(&mut self.random, &call.tool, &call.args);
            return Call {
                sent: Some(sent).filter(|sent| *sent != call.args),
                ..call
            };
        }
        call
    }

    fn subject(&mut self) -> String {
        let random = &mut self.random;
        format!("{} {}", random.one(VERBS), random.one(THINGS))
    }

    fn owner(&mut self) -> String {
        match self.random.below(4) {
            0 => "zoe".to_owned(),
            1 | 2 => self.name.clone(),
            _ => format!("w{}", 1 + self.random.below(self.agents)),
        }
    }

    fn patterns(&mut self) -> Value {
        let some = 1 + self.random.below(2);
        let patterns: Vec<&str> = (0..some).map(|_| self.random.one(PATTERNS)).collect();
        json!({"filesModified": patterns})
    }

    fn live(&mut self, list: &TaskList) -> String {
        let at = self.random.below(list.len());
        list.tasks()
            .nth(at)
            .map_or("ghost".to_owned(), |task| task.id.to_string())
    }

    /// Mostly a task of the list, now and then one that is gone or never was.
    fn some_id(&mut self, list: &TaskList) -> String {
        match self.random.below(100) {
            0..4 => self.retired(list),
            4 => "ghost".to_owned(),
            5 => format!(" {} ", self.live(list)),
            6 => "no/such".to_owned(),
            _ => self.live(list),
        }
    }

    fn retired(&mut self, list: &TaskList) -> String {
        let retired: Vec<String> = list.retired().map(|old| old.task.id.to_string()).collect();
        let id = self.random.pick(&retired).cloned();
        id.unwrap_or_else(|| "gone".to_owned())
    }

    fn ids(&mut self, list: &TaskList) -> Vec<String> {
        let some = 1 + usize::from(self.random.percent(20));
        (0..some).map(|_| self.some_id(list)).collect()
    }

    fn status(&mut self) -> &'static str {
        self.random.one(&[
            "pending",
            "pending",
            "in_progress",
            "completed",
            "completed",
        ])
    }

    fn claim(&mut self, list: &TaskList) -> Call {
        let mut args = Map::new();
        if self.random.percent(30) {
            args.insert("id".into(), self.some_id(list).into());
        }
        Call::new("task_claim", args.into())
    }

    /// Mostly of what the agent has in progress.
    fn complete(&mut self, list: &TaskList) -> Call {
        let own = list
            .in_state(State::InProgress)
            .find(|task| task.owner.as_deref() == Some(&*self.name));
        let id = match own.map(|task| task.id.to_string()) {
            Some(id) if self.random.percent(80) => id,
            _ => self.some_id(list),
        };
        Call::new("task_complete", json!({"id": id}))
    }

    fn update(&mut self, list: &TaskList) -> Call {
        let mut args = Map::new();
        args.insert("id".into(), self.some_id(list).into());
        for _ in 0..1 + self.random.below(2) {
            let (name, value) = match self.random.below(15) {
                0 => ("content", self.subject().into()),
                1 => (
                    "description",
                    format!("More of {}", self.random.below(50)).into(),
                ),
                2 => (
                    "activeForm",
                    format!("Doing {}", self.random.below(9)).into(),
                ),
                3 => ("owner", self.owner().into()),
                4 => ("activation", self.patterns()),
                5 | 6 => ("addBlockedBy", self.ids(list).into()),
                7 | 8 => ("removeBlockedBy", self.ids(list).into()),
                9 => ("addBlocks", self.ids(list).into()),
                10 => ("blockedBy", self.ids(list).into()),
                11 => ("removeBlocks", self.ids(list).into()),
                12 => ("blocks", self.ids(list).into()),
                _ => ("status", self.status().into()),
            };
            args.insert(name.to_owned(), value);
        }
        if self.random.percent(10) {
            let fields = [
                "description",
                "activeForm",
                "owner",
                "activation",
                "metadata",
                "blockedBy",
                "blocks",
            ];
            let field = self.random.one(&fields);
            if !args.contains_key(field) {
                args.insert("clear".into(), json!([field]));
            }
        }
        Call::new("task_update", args.into())
    }

    fn fields(&mut self, list: &TaskList, task: &mut Map<String, Value>) {
        let mut set = |name: &str, value: Value| _ = task.insert(name.to_owned(), value);
        if self.random.percent(20) {
            set(
                "description",
                format!("About {}", self.random.below(50)).into(),
            );
        }
        if self.random.percent(15) {
            set(
                "activeForm",
                format!("Doing {}", self.random.below(9)).into(),
            );
        }
        if self.random.percent(12) {
            set("owner", self.owner().into());
        }
        if self.random.percent(12) {
            set("activation", self.patterns());
        }
        if self.random.percent(30) {
            set("blockedBy", self.ids(list).into());
        }
        if self.random.percent(8) {
            set("blocks", self.ids(list).into());
        }
        if self.random.percent(15) {
            set("status", self.status().into());
        }
    }

    fn create(&mut self, list: &TaskList) -> Call {
        let mut task = Map::new();
        task.insert("content".into(), self.subject().into());
        if self.random.percent(30) {
            task.insert("id".into(), format!("a{}", self.random.below(200)).into());
        }
        self.fields(list, &mut task);
        if self.random.percent(10) {
            task.insert("metadata".into(), self.metadata());
        }
        Call::new("task_create", task.into())
    }

    fn metadata(&mut self) -> Value {
        let n = self.random.below(9);
        match self.random.below(3) {
            0 => json!({"effort": n}),
            1 => json!({"effort": n, "tags": ["x", {"é": null}]}),
            _ => json!({"due": format!("day {n}")}),
        }
    }

    fn delete(&mut self, list: &TaskList, many: bool) -> Call {
        let done = list.tasks().filter(|task| task.status == Status::Completed);
        let done: Vec<String> = done.map(|task| task.id.to_string()).collect();
        let id = match self.random.pick(&done).cloned() {
            Some(id) if many || self.random.percent(60) => id,
            _ => self.some_id(list),
        };
        match self.random.percent(25) {
            true => Call::new("task_update", json!({"id": id, "status": "deleted"})),
            false => Call::new("task_delete", json!({"id": id})),
        }
    }

    /// The list as the agent knows it, with some changes.
    fn write(&mut self, list: &TaskList, revision: u64, many: bool) -> Call {
        let mut items = Vec::new();
        for task in list.tasks() {
            let others = task
                .owner
                .as_deref()
                .is_some_and(|owner| owner != self.name)
                && task.status != Status::Completed;
            let part = match (others, many) {
                (true, _) => 1,
                (false, true) => 50,
                (false, false) => 12,
            };
            if self.random.percent(part) {
                continue;
            }
            let mut item = Map::new();
            let form = self.random.below(10);
            if form != 0 || others {
                item.insert("id".into(), task.id.as_str().into());
            }
            if form < 8 {
                item.insert("content".into(), task.subject.as_ref().into());
            } else if self.random.percent(4) {
                item.insert("metadata".into(), self.metadata());
            }
            if form < 5 {
                item.insert("status".into(), task.status.as_str().into());
            }
            if !others && self.random.percent(4) {
                self.fields(list, &mut item);
            }
            if !others && self.random.percent(3) {
                item.insert("content".into(), self.subject().into());
                item.remove("metadata");
            }
            items.push(Value::from(item));
        }
        for _ in 0..self.random.below(if many { 2 } else { 4 }) {
            let mut item = Map::new();
            item.insert("content".into(), self.subject().into());
            if self.random.percent(20) {
                item.insert("id".into(), self.some_id(list).into());
            }
            if self.random.percent(50) {
                self.fields(list, &mut item);
            }
            let at = self.random.below(items.len() + 1);
            items.insert(at, item.into());
        }
        if self.random.percent(20) && items.len() > 1 {
            let (a, b) = (
                self.random.below(items.len()),
                self.random.below(items.len()),
            );
            items.swap(a, b);
        }
        let mut args = json!({"tasks": items});
        if self.random.percent(40) {
            let late = u64::from(self.random.percent(10));
            args["baseRevision"] = revision.saturating_sub(late).into();
        }
        Call::new("task_write", args)
    }

    fn look(&mut self, list: &TaskList) -> Call {
        match self.random.below(3) {
            0 => Call::new("task_check", json!({})),
            1 => Call::new("task_list", json!({})),
            _ => Call::new("task_get", json!({"id": self.some_id(list)})),
        }
    }

    fn host(&mut self, list: &TaskList) -> Call {
        match self.random.below(10) {
            0..4 => {
                let some = 1 + self.random.below(3);
                let mut paths: Vec<String> = (0..some)
                    .map(|_| self.random.one(PATHS).to_owned())
                    .collect();
                if self.random.percent(30) {
                    paths.push(format!("gen/{}", self.random.below(100)));
                }
                if self.random.percent(3) {
                    paths.push("../up".to_owned());
                }
                Call::new("host_files", json!({"paths": paths}))
            }
            4 | 5 => Call::new(
                "host_run",
                json!({"id": format!("run-{}", self.random.below(50))}),
            ),
            6..9 => {
                let id = match self.random.percent(90) {
                    true => self.retired(list),
                    false => self.some_id(list),
                };
                Call::new("host_restore", json!({"id": id}))
            }
            _ => release(&self.owner()),
        }
    }

    /// What must be refused.
    fn bad(&mut self, list: &TaskList) -> Call {
        let id = self.live(list);
        let (tool, args) = match self.random.below(14) {
            0 => ("task_write", json!({})),
            1 => ("task_write", json!({"tasks": null})),
            2 => ("task_write", json!({"tasks": 5})),
            3 => (
                "task_write",
                json!({"tasks": [{"content": "A", "status": "bogus"}]}),
            ),
            4 => ("task_update", json!({"id": id})),
            5 => ("task_update", json!({"id": id, "status": "nope"})),
            6 => ("task_create", json!({"description": "no text"})),
            7 => ("task_create", json!({"content": " \n"})),
            8 => ("task_create", json!({"content": "A", "title": "B"})),
            9 => (
                "task_create",
                json!({"content": "A", "activation": {"filesModified": ["../x"]}}),
            ),
            10 => (
                "task_update",
                json!({"id": id, "activation": {"moonPhase": ["full"]}}),
            ),
            11 => ("task_claim", json!({"owner": "zoe"})),
            12 => ("task_explode", json!({"id": id})),
            _ => ("task_create", json!({"content": "x".repeat(300)})),
        };
        Call {
            bad: true,
            ..Call::new(tool, args)
        }
    }
}
