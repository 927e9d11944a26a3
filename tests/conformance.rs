//! The recordings of Mastra's real tools, through the example that replays them.

#[path = "../examples/replay.rs"]
#[allow(dead_code)]
mod replay;

use replay::{Report, replay};

fn check(recording: &str, scenarios: usize, steps: usize) {
    let mut out = Vec::new();
    let mut report = Report::default();
    replay(recording.as_bytes(), false, &mut out, &mut report)
        .expect("the recording is JSON lines");
    assert_eq!(report.differ, 0, "{}", String::from_utf8_lossy(&out));
    assert_eq!((report.scenarios, report.steps), (scenarios, steps));
}

#[test]
fn mastra_scripted() {
    check(include_str!("conformance/mastra-scripted.jsonl"), 184, 378);
}

#[test]
fn mastra_random() {
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
