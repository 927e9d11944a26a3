//! Checklists. By the first byte the rest is text to read, or makes a list that is written out and read back.

use crate::make::{self, Bytes};
use agent_tasklist::policy::{Dependencies, InProgress};
use agent_tasklist::render::{from_markdown, markdown};
use agent_tasklist::{Policy, TaskList};

pub fn run(data: &[u8]) {
    let Some((&kind, rest)) = data.split_first() else {
        return;
    };
    if kind % 2 == 0 {
        there_and_back(&Bytes::new(rest).list());
        return;
    }
    let text = String::from_utf8_lossy(rest);
    let checklist = from_markdown(&text);
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let lines: Vec<&str> = text.lines().collect();
    let told = checklist.tasks.len() + checklist.unread.len();
    let there = lines.iter().filter(|line| !line.trim().is_empty()).count();
    let has_blocks = ["```", "~~~", "<!--"]
        .iter()
        .any(|block| text.contains(block));
    assert!(told == there || has_blocks && told < there);
    for unread in &checklist.unread {
        assert_eq!(unread.text, lines[unread.line - 1]);
    }
    let mut list = TaskList::new();
    list.set_policy(anything_goes());
    if list.write(checklist.tasks).is_ok() {
        make::check(&list);
        there_and_back(&list);
    }
}

fn anything_goes() -> Policy {
    let mut policy = Policy::default();
    policy.in_progress = InProgress::Unlimited;
    policy.dependencies = Dependencies::Advise;
    policy
}

fn there_and_back(list: &TaskList) {
    let text = markdown(list, None);
    assert_eq!(text.lines().count(), list.len());
    let checklist = from_markdown(&text);
    assert_eq!(checklist.unread, []);
    let mut same = list.clone();
    let changes = same.write(checklist.tasks.clone()).expect("nothing is new");
    assert!(changes.is_empty(), "{:?}", changes.facts);
    let mut other = TaskList::new();
    other.set_policy(anything_goes());
    other.write(checklist.tasks).expect("anything goes");
    assert_eq!(markdown(&other, None), text);
    for (other, task) in other.tasks().zip(list.tasks()) {
        assert_eq!(
            (&other.id, &other.subject, other.status),
            (&task.id, &task.subject, task.status)
        );
    }
}
