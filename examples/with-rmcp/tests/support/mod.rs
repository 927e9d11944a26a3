//! What the clients have in common: the session, what must come of it, and a transcript.

// Each test program uses its part of it.
#![allow(dead_code)]

use agent_tasklist::tools::Toolset;
use serde_json::{Map, Value, json};
use std::fmt::Write as _;
use std::fs;
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

pub const SERVER: &str = env!("CARGO_BIN_EXE_with-rmcp");

/// The session of `session.json`, which every client runs.
pub struct Session {
    pub server_info: Value,
    pub instructions: String,
    pub steps: Vec<Step>,
}

/// A call, and what comes of it.
#[derive(Clone)]
pub struct Step {
    pub tool: String,
    pub arguments: Option<Map<String, Value>>,
    pub text: String,
    pub outcome: Outcome,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// The structured content.
    Done(Value),
    /// A result with `isError`, and without structured content.
    Refused,
    /// The code of a protocol error.
    Protocol(i64),
}

pub fn session() -> Session {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/session.json");
    let session: Value = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
    Session {
        server_info: session["serverInfo"].clone(),
        instructions: session["instructions"].as_str().unwrap().to_owned(),
        steps: session["steps"]
            .as_array()
            .unwrap()
            .iter()
            .map(step)
            .collect(),
    }
}

fn step(step: &Value) -> Step {
    let lines = step["text"].as_array().unwrap().iter();
    let lines: Vec<&str> = lines.map(|line| line.as_str().unwrap()).collect();
    let text = lines.join("\n");
    let outcome = match (step.get("data"), step.get("protocolError")) {
        (Some(data), None) => {
            let mut data = data.clone();
            data["content"] = text.as_str().into();
            Outcome::Done(data)
        }
        (None, Some(code)) => Outcome::Protocol(code.as_i64().unwrap()),
        (None, None) => Outcome::Refused,
        (Some(_), Some(_)) => panic!("{step}"),
    };
    Step {
        tool: step["tool"].as_str().unwrap().to_owned(),
        arguments: step
            .get("arguments")
            .map(|args| args.as_object().unwrap().clone()),
        text,
        outcome,
    }
}

impl Step {
    /// Asserts that a result, as it is on the wire, is what must come of the call.
    pub fn check(&self, result: &Value) {
        let mut wanted = json!({"content": [{"type": "text", "text": self.text}], "isError": true});
        match &self.outcome {
            Outcome::Done(data) => {
                wanted["isError"] = false.into();
                wanted["structuredContent"] = data.clone();
            }
            Outcome::Refused => {}
            Outcome::Protocol(_) => panic!("{} gives a result: {result}", self.tool),
        }
        let mut result = result.clone();
        // Protocol 2026-07-28 alone has it, and leaves it to clients whether to show it.
        if let Some(kind) = result.as_object_mut().unwrap().remove("resultType") {
            assert_eq!(kind, "complete");
        }
        assert_eq!(result, wanted, "{}", self.tool);
    }
}

/// What `tools/list` must give for a toolset over a store.
pub fn tools(tools: Toolset) -> Value {
    let specs = agent_tasklist::tools::ListTools::new(
        agent_tasklist::store::MemoryStore::new(),
        None,
        tools,
    )
    .specs();
    let tool = |spec: agent_tasklist::tools::ToolSpec| {
        json!({
            "name": spec.name,
            "title": spec.title,
            "description": spec.description,
            "inputSchema": spec.input_schema,
            "outputSchema": spec.output_schema,
            "annotations": {
                "readOnlyHint": spec.hints.read_only,
                "destructiveHint": spec.hints.destructive,
                "idempotentHint": spec.hints.idempotent,
                "openWorldHint": spec.hints.open_world,
            },
        })
    };
    specs.into_iter().map(tool).collect()
}

/// A session as people read it. It is printed whole when it ends, since tests run side by side.
pub struct Transcript(String);

impl Transcript {
    pub fn new(client: &str) -> Self {
        Transcript(format!("== {client}\n"))
    }

    /// A call with what came of it, and what the client says beyond that.
    pub fn step(&mut self, step: &Step, beyond: &str) {
        let outcome = match &step.outcome {
            Outcome::Done(data) => match data["summary"]["canFinish"].as_bool() {
                Some(can) => format!("revision {}, canFinish {can}", data["revision"]),
                None => format!("revision {}", data["revision"]),
            },
            Outcome::Refused => "isError".to_owned(),
            Outcome::Protocol(code) => format!("protocol error {code}"),
        };
        self.call(step, &step.text, &format!("{outcome}{beyond}"));
    }

    /// A call with what the client says of it.
    pub fn call(&mut self, step: &Step, text: &str, outcome: &str) {
        let arguments = step
            .arguments
            .clone()
            .map(|args| Value::from(args).to_string());
        let call = format!("> {} {}", step.tool, arguments.unwrap_or_default());
        let lines = text.lines().map(|line| format!("  {line}"));
        for line in std::iter::once(call)
            .chain(lines)
            .chain([format!("  [{outcome}]")])
        {
            writeln!(self.0, "{}", line.trim_end()).unwrap();
        }
    }
}

impl Drop for Transcript {
    fn drop(&mut self) {
        println!("{}", self.0);
    }
}

/// A folder that was not there before.
pub fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// The program of a client that is not everywhere, from the variable that `with-clients` sets.
pub fn client(variable: &str, what: &str) -> Option<String> {
    let program = std::env::var(variable)
        .ok()
        .filter(|program| !program.is_empty());
    if program.is_none() {
        println!("SKIPPED: needs {what}; ./with-clients installs it and sets {variable}");
    }
    program
}

/// What a command did.
pub struct Ran {
    pub status: ExitStatus,
    pub stdout: String,
    pub stderr: String,
}

/// Runs a command to its end, or kills it and all that it started after a minute, and panics.
pub fn run(command: &mut Command, stdin: impl Into<Stdio>) -> Ran {
    const LIMIT: Duration = Duration::from_secs(60);
    let mut child = command
        .stdin(stdin)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let stdout = read(child.stdout.take().unwrap());
    let stderr = read(child.stderr.take().unwrap());
    let start = Instant::now();
    let status = loop {
        match child.try_wait().unwrap() {
            Some(status) => break status,
            None if start.elapsed() < LIMIT => thread::sleep(Duration::from_millis(10)),
            None => {
                let group = format!("-{}", child.id());
                let _ = Command::new("kill").args(["-KILL", "--", &group]).status();
                child.wait().unwrap();
                let [stdout, stderr] = [stdout, stderr].map(|reader| reader.join().unwrap());
                panic!("{command:?} did not end in {LIMIT:?}\n{stdout}\n{stderr}");
            }
        }
    };
    let [stdout, stderr] = [stdout, stderr].map(|reader| reader.join().unwrap());
    Ran {
        status,
        stdout,
        stderr,
    }
}

fn read(mut from: impl Read + Send + 'static) -> thread::JoinHandle<String> {
    thread::spawn(move || {
        let mut text = String::new();
        from.read_to_string(&mut text).unwrap();
        text
    })
}
