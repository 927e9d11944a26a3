//! Signals: edits to a list, and a reader that knows nothing but what it was sent.

use crate::make::Bytes;
use agent_tasklist::TaskList;
use agent_tasklist::render::{Mode, Projector, Signal};

pub fn run(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    let mut list = bytes.list();
    let mut projector = Projector::new();
    let mut known: Option<Vec<Line>> = None;
    let mut deltas = 0;
    for _ in 0..64 {
        let in_window = bytes.below(8) > 0 && known.is_some();
        let kept = serde_json::to_string(&projector).unwrap();
        let mut loaded: Projector = serde_json::from_str(&kept).unwrap();
        assert_eq!(loaded, projector);
        let signal = projector.next(&list, in_window);
        assert_eq!(loaded.next(&list, in_window), signal);
        let now = shown(&list);
        match &signal {
            None if !in_window => assert!(known.is_none() && list.is_empty()),
            None => assert_eq!(known.as_ref(), Some(&now)),
            Some(signal) => {
                assert!(!in_window || known.as_ref() != Some(&now), "nothing is new");
                deltas = match signal.mode {
                    Mode::Delta => deltas + 1,
                    _ => 0,
                };
                assert!(deltas <= Projector::MAX_DELTAS);
                assert!(in_window || signal.mode == Mode::Snapshot);
                let mut read_now = known.take().unwrap_or_default();
                read(&mut read_now, signal);
                assert_eq!(read_now, now);
                known = Some(read_now);
            }
        }
        assert_eq!(projector.deltas_since_snapshot(), deltas);
        if bytes.is_empty() {
            break;
        }
        bytes.edit(&mut list);
    }
}

/// A line as a reader takes it: id, status and text, unescaped.
type Line = (String, String, String);

fn unescape(text: &str) -> String {
    assert!(!text.contains(['<', '>']), "{text}");
    text.replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&amp;", "&")
}

/// What is shown of a list now.
fn shown(list: &TaskList) -> Vec<Line> {
    let mut known = Vec::new();
    if let Some(signal) = Projector::new().next(list, false) {
        read(&mut known, &signal);
    }
    let ids: Vec<&str> = known.iter().map(|(id, ..)| &**id).collect();
    let wanted: Vec<&str> = list.tasks().map(|task| task.id.as_str()).collect();
    assert_eq!(ids, wanted);
    known
}

/// What a model that reads all signals takes the list to be.
fn read(known: &mut Vec<Line>, signal: &Signal) {
    let lines: Vec<&str> = signal.text.split('\n').collect();
    let count = |start: &str| -> usize {
        let count = lines[0].strip_prefix(start);
        let count = count.and_then(|rest| rest.strip_suffix("\">"));
        count.unwrap().parse().unwrap()
    };
    if signal.text == "<current-task-list count=\"0\" />" {
        return known.clear();
    }
    let inner = &lines[1..lines.len() - 1];
    if signal.mode == Mode::Snapshot {
        assert_eq!(count("<current-task-list count=\""), inner.len());
        assert_eq!(lines.last(), Some(&"</current-task-list>"));
        *known = inner.iter().map(|line| snapshot_line(line)).collect();
        return;
    }
    assert_eq!(count("<task-list-update changes=\""), inner.len());
    assert_eq!(lines.last(), Some(&"</task-list-update>"));
    for line in inner {
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

/// `  ▸ [in_progress] {id: a} A`
fn snapshot_line(line: &str) -> Line {
    let (mark, rest) = line.strip_prefix("  ").unwrap().split_once(" [").unwrap();
    assert!(["▸", "○", "✓"].contains(&mark), "{line}");
    let (status, rest) = rest.split_once("] {id: ").unwrap();
    let (id, text) = rest.split_once("} ").unwrap();
    (unescape(id), status.to_owned(), unescape(text))
}
