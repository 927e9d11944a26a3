//! A reader of signals, who knows nothing but what was sent.

use agent_tasklist::TaskList;
use agent_tasklist::render::{Mode, Projector, Signal};

/// A line as a reader takes it: id, status or state, and text, unescaped.
pub(crate) type Line = (String, String, String);

pub(crate) fn unescape(text: &str) -> String {
    assert!(!text.contains(['<', '>']), "{text}");
    text.replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&amp;", "&")
}

/// `  ▸ [in_progress] {id: a} A`
pub(crate) fn snapshot_line(line: &str) -> Line {
    let (mark, rest) = line.strip_prefix("  ").unwrap().split_once(" [").unwrap();
    assert!(["▸", "○", "✓"].contains(&mark), "{line}");
    let (status, rest) = rest.split_once("] {id: ").unwrap();
    let (id, text) = rest.split_once("} ").unwrap();
    (unescape(id), status.to_owned(), unescape(text))
}

/// What a model that reads all signals takes the list to be.
pub(crate) fn read(known: &mut Vec<Line>, signal: &Signal) {
    let lines: Vec<&str> = signal.text.split('\n').collect();
    let count = |start: &str| -> usize {
        let count = lines[0].strip_prefix(start);
        let count = count.and_then(|rest| rest.strip_suffix("\">"));
        count.unwrap().parse().unwrap()
    };
    if signal.mode == Mode::Snapshot {
        if signal.text == "<current-task-list count=\"0\" />" {
            return known.clear();
        }
        let count = count("<current-task-list count=\"");
        assert_eq!(*lines.last().unwrap(), "</current-task-list>");
        *known = lines[1..lines.len() - 1]
            .iter()
            .map(|line| snapshot_line(line))
            .collect();
        assert_eq!(known.len(), count);
        return;
    }
    let count = count("<task-list-update changes=\"");
    assert_eq!(*lines.last().unwrap(), "</task-list-update>");
    let lines = &lines[1..lines.len() - 1];
    assert_eq!(lines.len(), count);
    for line in lines {
        let line = line.strip_prefix("  ").unwrap();
        if let Some(id) = line.strip_prefix("− removed {id: ") {
            let id = unescape(id.strip_suffix('}').unwrap());
            let before = known.len();
            known.retain(|(known, ..)| *known != id);
            assert_eq!(known.len(), before - 1);
            continue;
        }
        let (mark, rest) = line.split_once(" {id: ").unwrap();
        let (id, rest) = rest.split_once("} [").unwrap();
        let (status, text) = rest.split_once("] ").unwrap();
        let line = (unescape(id), status.to_owned(), unescape(text));
        match known.iter_mut().find(|(id, ..)| *id == line.0) {
            Some(before) => {
                assert!(["▸", "○", "✓"].contains(&mark));
                *before = line;
            }
            None => {
                assert_eq!(mark, "+");
                known.push(line);
            }
        }
    }
}

/// What is shown of a list now.
pub(crate) fn shown(list: &TaskList) -> Vec<Line> {
    let mut known = Vec::new();
    if let Some(signal) = Projector::new().next(list, false) {
        read(&mut known, &signal);
    }
    let ids: Vec<&str> = known.iter().map(|(id, ..)| &**id).collect();
    let wanted: Vec<&str> = list.tasks().map(|task| task.id.as_str()).collect();
    assert_eq!(ids, wanted);
    known
}
