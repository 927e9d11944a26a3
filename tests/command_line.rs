//! For the operator with a shell: `examples/tasks.rs` does what the README shows, a mistake changes nothing, a damaged file
//! is never written over, and two commands at once lose nothing.

use agent_tasklist::TaskList;
use std::path::PathBuf;
use std::process::{Command, Output};

/// The command beside this test, which cargo builds with it, and a file of its own.
struct Tasks {
    file: PathBuf,
}

impl Tasks {
    fn new(name: &str) -> Self {
        let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.json"));
        let _ = std::fs::remove_file(&file);
        Tasks { file }
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = std::env::current_exe().unwrap();
        command.pop();
        command.pop();
        command.push("examples");
        command.push(format!("tasks{}", std::env::consts::EXE_SUFFIX));
        let mut command = Command::new(command);
        command.arg("--file").arg(&self.file).args(args);
        command
    }

    fn run(&self, args: &[&str]) -> Output {
        self.command(args)
            .output()
            .expect("cargo test builds the examples")
    }

    fn ok(&self, args: &[&str]) -> String {
        let output = self.run(args);
        assert_eq!(
            output.status.code(),
            Some(0),
            "{args:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8(output.stdout).unwrap()
    }

    fn refused(&self, args: &[&str]) -> String {
        let before = std::fs::read(&self.file).ok();
        let output = self.run(args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert_eq!(std::fs::read(&self.file).ok(), before);
        String::from_utf8(output.stderr).unwrap()
    }
}

#[test]
fn the_session_of_the_readme_goes_as_it_shows() {
    let tasks = Tasks::new("session");
    assert_eq!(
        tasks.ok(&["create", "Write the page", "--id", "page"]),
        "page\n"
    );
    tasks.ok(&[
        "create",
        "Build the site",
        "--id",
        "site",
        "--until",
        "docs/**",
    ]);
    tasks.ok(&[
        "create",
        "Publish",
        "--id",
        "publish",
        "--blocked-by",
        "page",
        "--blocked-by",
        "site",
    ]);
    let active = tasks.ok(&["ls", "--active"]);
    assert!(
        active.contains("page ") && active.contains("blocked by page") && !active.contains("site ")
    );
    assert_eq!(tasks.ok(&["complete", "page"]), "now ready: publish\n");
    assert_eq!(
        tasks.ok(&["push", "docs/index.md"]),
        "now blocked: publish\nwoken: site\n"
    );
    let check = tasks.run(&["check"]);
    assert_eq!(check.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&check.stdout).ends_with("The agent may not finish yet.\n"));
    let refused = tasks.refused(&["complete", "publish"]);
    assert!(refused.contains("it is blocked by site"), "{refused}");
    tasks.ok(&["complete", "site"]);
    tasks.ok(&["update", "publish", "--status", "completed"]);
    tasks.ok(&["check"]);
    let json: serde_json::Value = serde_json::from_str(&tasks.ok(&["ls", "--json"])).unwrap();
    assert_eq!(json[2]["blocked_by"], serde_json::json!(["page", "site"]));
    assert_eq!(json[1]["until"], serde_json::json!(["docs/**"]));
    tasks.ok(&["update", "page", "--status", "deleted"]);
    tasks.ok(&["restore", "page"]);
    assert!(tasks.ok(&["get", "page"]).starts_with("page is ready\n"));
    tasks.ok(&["begin-run", "r2"]);
}

#[test]
fn help_names_every_command() {
    let help = Tasks::new("help").ok(&["--help"]);
    for command in [
        "ls",
        "create",
        "update",
        "get",
        "complete",
        "restore",
        "push",
        "begin-run",
        "check",
        "--active",
        "--json",
    ] {
        assert!(
            help.contains(&format!("  {command} ")) || help.contains(&format!("[{command}]")),
            "{command}"
        );
    }
}

#[test]
fn mistakes_change_nothing() {
    let tasks = Tasks::new("mistakes");
    tasks.ok(&["create", "A", "--id", "a"]);
    for (args, wanted) in [
        (&["complete", "b"][..], "Task not found: b. Known ids: a."),
        (&["complete"], "an id is missing"),
        (&["complete", "a", "b"], "what is \"b\"?"),
        (&["frobnicate"], "unknown command"),
        (
            &["update", "a", "--status", "done"],
            "unknown variant `done`",
        ),
        (&["create", "B", "--until", "[x"], "Invalid pattern"),
        (&["create", "B", "--id"], "--id wants a value"),
        (&["create", "B", "--colour", "red"], "what is \"--colour\"?"),
    ] {
        let error = tasks.refused(args);
        assert!(error.contains(wanted), "{args:?}: {error}");
    }
}

#[test]
fn a_damaged_file_is_refused_and_left_as_it_is() {
    let tasks = Tasks::new("damaged");
    tasks.ok(&["create", "A"]);
    let json = std::fs::read_to_string(&tasks.file).unwrap();
    for damaged in [
        &json[..json.len() / 2],
        "",
        "{}",
        &json.replace("pending", "paused"),
    ] {
        std::fs::write(&tasks.file, damaged).unwrap();
        for args in [&["create", "B"][..], &["ls"], &["check"], &["push", "x"]] {
            let error = tasks.refused(args);
            assert!(error.contains("not a stored task list"), "{error}");
        }
    }
}

#[test]
fn two_at_once_lose_nothing() {
    let tasks = Tasks::new("at-once");
    let writers: Vec<_> = (0..4)
        .map(|writer| {
            let create = |n| tasks.command(&["create", &format!("Task {writer}-{n}")]);
            let mut creates: Vec<Command> = (0..10).map(create).collect();
            std::thread::spawn(move || {
                for create in &mut creates {
                    assert!(create.output().unwrap().status.success());
                }
            })
        })
        .collect();
    for writer in writers {
        writer.join().unwrap();
    }
    let list = TaskList::from_json(&std::fs::read_to_string(&tasks.file).unwrap()).unwrap();
    assert_eq!(list.len(), 40);
}
