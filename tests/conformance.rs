//! For the framework author who replaces Mastra's task tools: calls recorded from the real tools get the same answers, and
//! the model is sent the same signals. They go through the example that replays recordings.

#[path = "../examples/replay.rs"]
#[allow(dead_code)]
mod replay;

use agent_tasklist::render::{Mode, Projector};
use agent_tasklist::{Status, TaskDraft, TaskList};
use replay::{Report, replay};
use serde_json::Value;

fn check(recording: &str, scenarios: usize, steps: usize) {
    let mut out = Vec::new();
    let mut report = Report::default();
    replay(recording.as_bytes(), false, &mut out, &mut report)
        .expect("the recording is JSON lines");
    assert_eq!(report.differ, 0, "{}", String::from_utf8_lossy(&out));
    assert_eq!((report.scenarios, report.steps), (scenarios, steps));
}

#[test]
fn scripted_calls_are_answered_as_by_mastra() {
    check(include_str!("conformance/mastra-scripted.jsonl"), 184, 378);
}

#[test]
fn random_calls_are_answered_as_by_mastra() {
    check(include_str!("conformance/mastra-random.jsonl"), 411, 1553);
}

#[test]
fn a_difference_is_found() {
    for step in [
        r#"{"tool": "task_check", "input": {}, "expect": {"isError": true}}"#,
        r#"{"tool": "task_check", "input": {}, "expect": {"tasks": [{}]}}"#,
        r#"{"tool": "task_check", "input": {}, "expect": {"content": "No tasks"}}"#,
        r#"{"tool": "task_check", "input": {}, "refused": true}"#,
        r#"{"tool": "task_check", "input": {}}"#,
    ] {
        let mut report = Report::default();
        let scenario = format!(r#"{{"name": "n", "steps": [{step}]}}"#);
        replay(scenario.as_bytes(), false, &mut Vec::new(), &mut report).expect("valid");
        assert_eq!(report.differ, 1, "{step}");
    }
}

/// What is sent to a model after each change.
#[test]
fn the_model_is_sent_what_mastra_sends() {
    let mut steps = 0;
    for line in include_str!("conformance/mastra-signals.jsonl").lines() {
        let scenario: Value = serde_json::from_str(line).expect("JSON lines");
        let mut list = TaskList::new();
        let mut projector = Projector::new();
        for step in scenario["steps"].as_array().expect("steps") {
            let tasks = step["tasks"].as_array().expect("tasks").iter();
            let drafts = tasks.map(|task| {
                let text = |name: &str| task[name].as_str().expect("a text");
                let status: Status =
                    serde_json::from_value(task["status"].clone()).expect("a status");
                TaskDraft::new(text("content"))
                    .id(text("id"))
                    .status(status)
                    .active_form(text("activeForm"))
            });
            list.write(drafts).expect("a list");
            let told = format!("{} {step}", scenario["name"]);
            let base_in_window = step["base_in_window"] == true;
            if base_in_window {
                assert_eq!(
                    step["deltas_since_snapshot"],
                    projector.deltas_since_snapshot(),
                    "{told}"
                );
            }
            let signal = projector.next(&list, base_in_window);
            let mode = signal.as_ref().map(|signal| match signal.mode {
                Mode::Snapshot => "snapshot",
                _ => "delta",
            });
            assert_eq!(step["expect"]["mode"].as_str(), mode, "{told}");
            let text = signal.as_ref().map(|signal| &*signal.text);
            assert_eq!(step["expect"]["text"].as_str(), text, "{told}");
            steps += 1;
        }
    }
    assert_eq!(steps, 52);
}
