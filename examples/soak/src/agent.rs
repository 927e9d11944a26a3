//! One agent: it makes its calls, and tells what it was answered.

use crate::calls::{Call, Calls};
use crate::logged::{Logged, key};
use crate::random::hash;
use crate::{Options, Outcome};
use agent_tasklist::policy::{Dropped, Excess, InProgress, Limit};
use agent_tasklist::store::{UpdateError, block_on, update};
use agent_tasklist::tools::{ListTools, Toolset};
use agent_tasklist::{Changes, Error, Limits, Policy, TaskList};
use serde_json::{Value, json};
use std::io::Write;
use std::sync::Arc;

/// The policy of an agent. All have the same but for what becomes of surplus and dropped tasks.
pub fn policy(name: &str) -> Policy {
    let mut policy = Policy::default();
    policy.in_progress = InProgress::PerOwner;
    if name == "w3" || name == "w6" {
        policy.excess = Excess::Demote;
        policy.dropped = Dropped::Keep;
    }
    policy
}

pub const RETIRED: usize = 20;
pub const EVIDENCE: usize = 25;

/// Low ones, so that they are reached and the list stays small.
pub fn limits() -> Limits {
    Limits::default()
        .with(Limit::Retired, RETIRED)
        .with(Limit::Evidence, EVIDENCE)
        .with(Limit::SubjectBytes, 200)
}

pub fn toolset(name: &str) -> Toolset {
    let tools = Toolset::full();
    let tools = tools.with_policy(policy(name).with_limits(limits()));
    tools.acting_as(name).unwrap()
}

/// An edit of the host's.
pub fn host_edit(list: &mut TaskList, call: &Call) -> Result<Changes, Error> {
    list.set_policy(list.policy().with_limits(limits()));
    let text = |name: &str| call.args[name].as_str().unwrap_or_default();
    match call.tool.as_str() {
        "host_files" => {
            let paths = call.args["paths"].as_array().into_iter().flatten();
            list.files_modified(paths.filter_map(Value::as_str))
        }
        "host_run" => list.begin_run(text("id")),
        "host_restore" => list.restore(text("id")),
        _ => list.release(text("owner")),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    Committed,
    Unchanged,
    Refused,
}

/// What an agent says of a call that it made.
#[derive(Clone, Debug)]
pub struct Report {
    pub number: u64,
    pub answer: Answer,
    /// The revision that was committed, or that it was decided on.
    pub revision: u64,
    pub conflicts: u64,
    /// Of the text of the reply.
    pub text: u64,
    pub call: Call,
}

impl Report {
    /// One line. The call of a commit is in the log already.
    fn to_line(&self) -> String {
        let answer = match self.answer {
            Answer::Committed => "c",
            Answer::Unchanged => "u",
            Answer::Refused => "r",
        };
        let call = match self.answer {
            Answer::Committed => Value::Null,
            _ => self.call.to_value(),
        };
        let (number, revision) = (self.number, self.revision);
        let mut line =
            json!([number, answer, revision, self.conflicts, self.text, call]).to_string();
        line.push('\n');
        line
    }

    pub fn from_line(line: &str) -> Outcome<Report> {
        let value: Value = serde_json::from_str(line)?;
        let number = |at: usize| {
            value[at]
                .as_u64()
                .ok_or_else(|| format!("what is {line:?}?"))
        };
        Ok(Report {
            number: number(0)?,
            answer: match value[1].as_str() {
                Some("c") => Answer::Committed,
                Some("u") => Answer::Unchanged,
                _ => Answer::Refused,
            },
            revision: number(2)?,
            conflicts: number(3)?,
            text: number(4)?,
            call: Call::from_value(&value[5]),
        })
    }
}

/// An agent in one of its lives.
pub struct Agent {
    pub name: String,
    pub life: u64,
    store: Arc<Logged>,
    tools: ListTools<Arc<Logged>>,
    calls: Calls,
    number: u64,
}

impl Agent {
    pub fn new(options: &Options, name: &str, life: u64, yields: bool) -> Outcome<Agent> {
        let corrupt = options.corrupt.as_deref().filter(|_| name == "w1");
        let store = Arc::new(Logged::open(&options.file(), yields, corrupt)?);
        Ok(Agent {
            name: name.to_owned(),
            life,
            tools: ListTools::new(Arc::clone(&store), key(), toolset(name)),
            store,
            calls: Calls::new(options.seed, name, life, options.agents),
            number: 0,
        })
    }

    /// Makes up a call, and makes it.
    pub fn next(&mut self) -> impl Future<Output = Outcome<Report>> + 'static + use<> {
        let call = match &self.store.noticed().loaded {
            Some(seen) => self.calls.next(&seen.list, seen.revision.get()),
            None => self.calls.next(&TaskList::new(), 0),
        };
        self.make(call)
    }

    /// Makes a call.
    pub fn make(&mut self, call: Call) -> impl Future<Output = Outcome<Report>> + 'static + use<> {
        self.number += 1;
        let (store, tools, number) = (Arc::clone(&self.store), self.tools.clone(), self.number);
        let policy = policy(&self.name);
        let said = json!({"agent": self.name, "life": self.life, "number": number, "call": call.to_value()});
        async move {
            store.begin(said.to_string());
            let (refused, text) = match call.is_host() {
                true => {
                    let edit = |list: &mut TaskList| host_edit(list, &call);
                    match update(&store, &key(), &policy, edit).await {
                        Ok(_) => (false, String::new()),
                        Err(UpdateError::Refused(error)) => (true, error.to_string()),
                        Err(error) => return Err(error.into()),
                    }
                }
                false => {
                    let reply = tools.call(&call.tool, call.sent()).await;
                    (reply.is_error(), reply.text)
                }
            };
            let noticed = store.noticed();
            if let Some(failed) = &noticed.failed {
                return Err(format!("the store failed: {failed}").into());
            }
            let loaded = noticed
                .loaded
                .as_ref()
                .map_or(0, |seen| seen.revision.get());
            let (answer, revision) = match (refused, noticed.committed) {
                (true, None) => (Answer::Refused, loaded),
                (false, None) => (Answer::Unchanged, loaded),
                (false, Some(revision)) => (Answer::Committed, revision),
                (true, Some(_)) => return Err("a refused call was committed".into()),
            };
            Ok(Report {
                number,
                answer,
                revision,
                conflicts: noticed.conflicts,
                text: hash(text.as_bytes()),
                call,
            })
        }
    }
}

/// An agent as a process of its own: it asks for leave to make so many calls, and tells of each.
pub fn process(options: &Options, name: &str, life: u64) -> Outcome<()> {
    let mut agent = Agent::new(options, name, life, false)?;
    let mut out = std::io::stdout().lock();
    loop {
        out.write_all(b"more\n")?;
        let mut leave = String::new();
        if std::io::stdin().read_line(&mut leave)? == 0 {
            return Ok(());
        }
        for _ in 0..leave.trim().parse::<u64>()? {
            let report = block_on(agent.next())?;
            out.write_all(report.to_line().as_bytes())?;
        }
    }
}
