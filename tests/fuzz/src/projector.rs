//! Signals: edits to a list, and a reader that knows nothing but what it was sent.

use crate::make::Bytes;
use crate::reader::{Line, read, shown};
use agent_tasklist::render::{Mode, Projector};

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
