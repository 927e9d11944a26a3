//! Small soaks, and that what is wrong is found.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    folder
}

fn soak(folder: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_soak"));
    command.arg("--folder").arg(folder).args(args);
    command.output().expect("the soak starts")
}

fn passes(folder: &Path, args: &[&str]) -> String {
    let output = soak(folder, args);
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{told}\n{error}");
    told
}

/// The number before these words.
fn figure(told: &str, words: &str) -> u64 {
    let (before, _) = told
        .split_once(words)
        .unwrap_or_else(|| panic!("{words:?} is not in:\n{told}"));
    let number = before.trim_end().rsplit([' ', '\n', '(']).next();
    number.and_then(|number| number.parse().ok()).expect(told)
}

#[test]
fn processes_that_are_killed_do_what_the_model_does() {
    let folder = folder("processes");
    let log = folder.with_extension("log");
    let log = log.to_str().unwrap();
    let told = passes(
        &folder,
        &["--calls", "5000", "--kill-every", "150", "--log", log],
    );
    // A release for each that was killed may come on top.
    assert!(figure(&told, " calls:") >= 5000, "{told}");
    assert!(figure(&told, " accepted,") > 1000, "{told}");
    assert!(figure(&told, " refused (") > 500, "{told}");
    assert!(figure(&told, " conflicts,") > 0, "{told}");
    assert!(figure(&told, " processes killed,") >= 16, "{told}");
    assert!(figure(&told, " of them in a call;") > 8, "{told}");
    assert_eq!(figure(&told, " stops of all,"), 4, "{told}");

    let again = passes(&folder, &["--check", log]);
    let digest = |text: &str| text.split_once("digest ").unwrap().1[..16].to_owned();
    assert_eq!(digest(&again), digest(&told));
    let lines = fs::read_to_string(log).unwrap();
    let created = lines.lines().find(|line| {
        let committed = line.split(',').nth(1) == Some("0");
        committed && line.contains(r#""tool":"task_create""#) && line.contains(r#""sent":null"#)
    });
    let created = created.expect("a task was created");
    let wrong = created.replace(r#""content":""#, r#""content":"Not "#);
    let wrong = lines.replace(created, &wrong);
    fs::write(log, wrong).unwrap();
    let output = soak(&folder, &["--check", log]);
    assert!(!output.status.success());
}

#[test]
fn a_replay_is_the_same_each_time() {
    let run = |name, seed, calls| {
        passes(
            &folder(name),
            &["--replay", "--calls", calls, "--seed", seed],
        )
    };
    let told = run("replay-1", "11", "5000");
    assert_eq!(run("replay-2", "11", "5000"), told);
    assert_ne!(run("replay-3", "11", "500"), run("replay-4", "12", "500"));
    assert!(figure(&told, " conflicts,") > 500, "{told}");
    assert!(figure(&told, " calls dropped half-way,") > 5, "{told}");
}

#[test]
fn a_broken_store_is_found() {
    for kind in ["swap", "drop", "lost", "stale"] {
        for mode in ["--replay", "--kill-every"] {
            let folder = folder(&format!("broken-{kind}{mode}"));
            let args = ["--calls", "5000", "--corrupt", kind, mode, "100000"];
            let args = if mode == "--replay" {
                &args[..5]
            } else {
                &args
            };
            let output = soak(&folder, args);
            let error = String::from_utf8_lossy(&output.stderr);
            let told = String::from_utf8_lossy(&output.stdout);
            assert_eq!(
                output.status.code(),
                Some(1),
                "{kind} {mode}: {told} {error}"
            );
            assert!(
                error.contains("VIOLATION, seed 7, revision "),
                "{kind} {mode}: {error}"
            );
            assert!(error.contains("w1"), "{kind} {mode}: {error}");
            fs::remove_dir_all(&folder).unwrap();
        }
    }
}
