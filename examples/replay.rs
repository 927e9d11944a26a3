//! Replays recorded tool calls, and compares the answers with what the recording expects.
//!
//! ```text
//! cargo run --example replay -- [--print] FILE...
//! ```
//!
//! Each line of a file is a scenario: `{"name": "...", "steps": [...]}`. Each step is a call
//! on a list, named by `list`; a scenario starts with no lists:
//!
//! ```text
//! {"list": "t1", "tool": "task_complete", "input": {"id": "task_a"}, "expect": {...}}
//! ```
//!
//! A step holds when the answer equals `expect` in `tasks`, `isError` and, where given,
//! `summary` and `incompleteTasks`, and its `content` equals `expect.content` or goes on with a
//! blank line and notes. A step with `"refused": true` holds when the answer is an error and
//! the list is unchanged. The last line printed is `S scenarios, N steps, D differ`; the exit
//! code is 1 when D > 0, and 2 when a file cannot be read.
//!
//! With `--print` each step prints one JSON line of what was answered; `expect` is not needed.
//!
//! This is also how to replay your own agent's calls: log each tool call of a session as a step
//! (`list`, `tool`, `input`), see with `--print` what this crate answers, keep the answers that
//! you want as `expect`, and run the file again after every upgrade.

use agent_tasklist::TaskList;
use agent_tasklist::tools::Toolset;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::io::{self, BufRead, BufReader, Write};
use std::process::ExitCode;

/// What a replay came to.
#[derive(Debug, Default)]
pub(crate) struct Report {
    /// Lines read.
    pub(crate) scenarios: usize,
    /// Calls carried out.
    pub(crate) steps: usize,
    /// Steps that did not hold.
    pub(crate) differ: usize,
}

/// Replays the scenarios of a file. Differences go to `out`, or every answer if `print` is set.
pub(crate) fn replay(
    file: impl BufRead,
    print: bool,
    out: &mut impl Write,
    report: &mut Report,
) -> io::Result<()> {
    let tools = Toolset::mastra();
    for line in file.lines() {
        let line = line?;
        if line.trim().is_empty() {
            continue;
        }
        let scenario: Value = serde_json::from_str(&line)?;
        let name = scenario["name"].as_str().unwrap_or("unnamed");
        let mut lists: HashMap<&str, TaskList> = HashMap::new();
        report.scenarios += 1;
        for (i, step) in scenario["steps"]
            .as_array()
            .into_iter()
            .flatten()
            .enumerate()
        {
            let list = lists
                .entry(step["list"].as_str().unwrap_or_default())
                .or_default();
            let before = list.clone();
            let tool = step["tool"].as_str().unwrap_or_default();
            let reply = tools.call(list, tool, &step["input"]);
            report.steps += 1;
            if print {
                let answer =
                    json!({"scenario": name, "step": i, "tool": tool, "answer": reply.data});
                writeln!(out, "{answer}")?;
                continue;
            }
            for difference in differences(step, &reply.data, *list == before) {
                writeln!(out, "{name}, step {i}, {tool}: {difference}")?;
                report.differ += usize::from(difference.first);
            }
        }
    }
    Ok(())
}

struct Difference<'a> {
    /// Whether it is the first of its step.
    first: bool,
    what: &'a str,
    expected: Value,
    got: &'a Value,
}

impl std::fmt::Display for Difference<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Difference {
            what,
            expected,
            got,
            ..
        } = self;
        write!(f, "{what}\n  expected {expected}\n  got      {got}")
    }
}

fn differences<'a>(step: &Value, answer: &'a Value, unchanged: bool) -> Vec<Difference<'a>> {
    let mut found: Vec<Difference<'a>> = Vec::new();
    let mut differ = |what, expected: Value, got| {
        let first = found.is_empty();
        found.push(Difference {
            first,
            what,
            expected,
            got,
        });
    };
    if step["refused"] == true {
        if answer["isError"] != true || !unchanged {
            differ("refused", json!("an error, and no change"), answer);
        }
        return found;
    }
    let Some(expect) = step["expect"].as_object() else {
        differ(
            "expect",
            json!("an \"expect\" object or \"refused\": true"),
            answer,
        );
        return found;
    };
    for (key, expected) in expect {
        let got = &answer[key];
        let holds = match (key.as_str(), expected.as_str(), got.as_str()) {
            ("content", Some(expected), Some(got)) => (got.strip_prefix(expected))
                .is_some_and(|notes| notes.is_empty() || notes.starts_with("\n\n")),
            _ => got == expected,
        };
        if !holds {
            let what = ["content", "tasks", "isError", "summary", "incompleteTasks"];
            let what = what
                .into_iter()
                .find(|what| what == key)
                .unwrap_or("answer");
            differ(what, expected.clone(), got);
        }
    }
    found
}

fn main() -> ExitCode {
    let (flags, files): (Vec<String>, Vec<String>) = std::env::args()
        .skip(1)
        .partition(|arg| arg.starts_with("--"));
    if files.is_empty() || flags.iter().any(|flag| flag != "--print") {
        eprintln!("usage: replay [--print] FILE...");
        return ExitCode::from(2);
    }
    let print = !flags.is_empty();
    let mut out = io::stdout().lock();
    let mut report = Report::default();
    for path in &files {
        let replayed = std::fs::File::open(path)
            .and_then(|file| replay(BufReader::new(file), print, &mut out, &mut report));
        if let Err(error) = replayed {
            eprintln!("{path}: {error}");
            return ExitCode::from(2);
        }
    }
    let Report {
        scenarios,
        steps,
        differ,
    } = report;
    if print {
        return ExitCode::SUCCESS;
    }
    println!("{scenarios} scenarios, {steps} steps, {differ} differ");
    ExitCode::from(u8::from(differ > 0))
}
