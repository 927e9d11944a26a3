//! The official inspector's command line: a process and a connection for each call, so that the list is what
//! the store kept.

mod support;

use agent_tasklist::tools::Toolset;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use support::{Outcome, Ran, SERVER, Transcript, client, folder, run, session, tools};

const WHAT: &str = "@modelcontextprotocol/inspector";

/// Runs the inspector on a server with a store in this folder.
fn inspect(program: &str, folder: &Path, store: &str, args: &[&str]) -> Ran {
    let lists = format!("{store}:{}", folder.join("lists").display());
    let args_of_server = ["--owner", "jo", "--store", &lists];
    let server = json!({"type": "stdio", "command": SERVER, "args": args_of_server});
    let config = json!({"mcpServers": {"tasks": server}});
    let file = folder.join("mcp.json");
    fs::write(&file, config.to_string()).unwrap();
    let mut command = Command::new(program);
    command
        .args(["--cli", "--server", "tasks", "--config"])
        .arg(file)
        .args(args);
    // The inspector 2.x keeps a catalog and secrets of its own.
    command
        .env("HOME", folder)
        .env("MCP_INSPECTOR_SECRET_STORE", "memory");
    run(&mut command, Stdio::null())
}

fn json_of(ran: &Ran) -> Value {
    serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{}\n{}", ran.stdout, ran.stderr))
}

fn start(name: &str, listed: &Value) -> Transcript {
    assert_eq!(*listed, json!({"tools": tools(Toolset::full())}));
    let count = listed["tools"].as_array().unwrap().len();
    assert_eq!(count, 10);
    Transcript::new(&format!("{name}: {count} tools"))
}

/// The exit code of 1.x is 0 for a refused call too, and 1 for a protocol error.
#[test]
fn session_with_1() {
    let Some(program) = client("WITH_RMCP_INSPECTOR_1", &format!("{WHAT} 1.x")) else {
        return;
    };
    let folder = folder("inspector-1");
    let listed = inspect(&program, &folder, "file", &["--method", "tools/list"]);
    assert_eq!(listed.status.code(), Some(0), "{}", listed.stderr);
    let mut transcript = start("inspector 1.x, files", &json_of(&listed));
    for step in session().steps {
        let pairs = step.arguments.iter().flatten();
        let pairs: Vec<String> = pairs
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        let mut args = vec!["--method", "tools/call", "--tool-name", &step.tool];
        args.extend(pairs.iter().flat_map(|pair| ["--tool-arg", pair]));
        let ran = inspect(&program, &folder, "file", &args);
        let exit = ran.status.code().unwrap();
        match step.outcome {
            Outcome::Done(_) | Outcome::Refused => {
                assert_eq!(exit, 0, "{}", ran.stderr);
                step.check(&json_of(&ran));
            }
            Outcome::Protocol(code) => {
                let said = format!(
                    "Failed to call tool {}: MCP error {code}: {}",
                    step.tool, step.text
                );
                assert!(ran.stderr.contains(&said), "{}", ran.stderr);
                assert_eq!((exit, ran.stdout.as_str()), (1, ""));
            }
        }
        transcript.step(&step, &format!(", exit code {exit}"));
    }
}

#[test]
fn session_with_2() {
    session_with_2_in("legacy", "2025-11-25");
}

#[test]
fn session_with_2_without_handshake() {
    session_with_2_in("modern", "2026-07-28");
}

/// The exit code of 2.x is 5 for a refused call, and for a tool that is not in the list, which it does not
/// call. It begins with `initialize` in its legacy era, and with `server/discover` in the modern one.
fn session_with_2_in(era: &str, version: &str) {
    let Some(program) = client("WITH_RMCP_INSPECTOR_2", &format!("{WHAT} 2.x")) else {
        return;
    };
    let folder = folder(&format!("inspector-2-{era}"));
    let inspect = |args: &[&str]| {
        let args = [
            &["--quiet", "--format", "json", "--protocol-era", era],
            args,
        ]
        .concat();
        inspect(&program, &folder, "sqlite", &args)
    };
    let session = session();
    let begun = inspect(&["--method", "initialize"]);
    assert_eq!(begun.status.code(), Some(0), "{}", begun.stderr);
    let begun = &json_of(&begun)["result"];
    assert_eq!(begun["serverInfo"], session.server_info);
    assert_eq!(begun["instructions"], session.instructions);
    assert_eq!(begun["protocolVersion"], version);
    // Strict: the schemas are such that every client can use them.
    let listed = inspect(&["--method", "tools/list", "--strict"]);
    assert_eq!(
        (listed.status.code(), listed.stderr.as_str()),
        (Some(0), "")
    );
    let listed = json!({"tools": json_of(&listed)["result"]["tools"]});
    let mut transcript = start(
        &format!("inspector 2.x, SQLite, protocol {version}"),
        &listed,
    );
    for step in session.steps {
        let mut args = vec!["--method", "tools/call", "--tool-name", &step.tool];
        let arguments = step
            .arguments
            .clone()
            .map(|args| Value::from(args).to_string());
        if let Some(arguments) = &arguments {
            args.extend(["--tool-args-json", arguments]);
        }
        let ran = inspect(&args);
        let code = ran.status.code().unwrap();
        let said = |error: &str, message: &str| {
            assert_eq!(code, 5, "{}", step.tool);
            let said: Value = serde_json::from_str(&ran.stderr).unwrap();
            assert_eq!(said, json!({"error": {"code": error, "message": message}}));
        };
        match &step.outcome {
            Outcome::Done(_) => {
                assert_eq!((code, ran.stderr.as_str()), (0, ""));
                step.check(&json_of(&ran)["result"]);
            }
            Outcome::Refused => {
                let message = format!("Tool '{}' returned isError:true.", step.tool);
                said("tool_is_error", &message);
                step.check(&json_of(&ran)["result"]);
            }
            Outcome::Protocol(_) => {
                let message = format!("Tool '{}' not found on server.", step.tool);
                said("tool_not_found", &message);
                assert_eq!(ran.stdout, "");
                transcript.call(&step, &message, &format!("not called, exit code {code}"));
                continue;
            }
        }
        transcript.step(&step, &format!(", exit code {code}"));
    }
}
