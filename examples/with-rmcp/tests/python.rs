//! The official Python client, package `mcp`.

mod support;

use agent_tasklist::tools::Toolset;
use std::fs;
use std::process::{Command, Stdio};
use support::{SERVER, client, folder, run, tools};

#[test]
fn session() {
    let what = "Python with the package mcp of tests/python/requirements.txt";
    let Some(python) = client("WITH_RMCP_PYTHON", what) else {
        return;
    };
    let folder = folder("python");
    let listed = folder.join("tools.json");
    fs::write(&listed, tools(Toolset::full()).to_string()).unwrap();
    let tests = concat!(env!("CARGO_MANIFEST_DIR"), "/tests");
    for mode in ["legacy", "auto"] {
        let store = format!("sqlite:{}", folder.join(mode).display());
        let mut command = Command::new(&python);
        command.arg(format!("{tests}/python/session.py"));
        command.arg(format!("{tests}/session.json")).arg(&listed);
        command.args([mode, SERVER, "--owner", "jo", "--store", &store]);
        let ran = run(&mut command, Stdio::null());
        print!("{}", ran.stdout);
        assert!(ran.status.success(), "{}", ran.stderr);
        assert!(ran.stdout.contains("canFinish true"), "{}", ran.stdout);
    }
}
