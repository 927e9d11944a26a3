//! For people who keep a checklist in an editor: what it says is read, what only its writer understands is reported with its
//! line, and no mark, code or comment becomes a task or a part of one.

#[allow(dead_code)]
mod hostile;

use agent_tasklist::render::{Checklist, from_markdown, markdown};
use agent_tasklist::tools::Toolset;
use agent_tasklist::{Status, TaskDraft, TaskList};
use serde_json::json;

/// Subject and status of each task of a checklist, and the numbers of the lines that were not read.
fn told(checklist: &Checklist) -> (Vec<(String, Option<Status>)>, Vec<usize>) {
    let mut list = TaskList::new();
    list.set_policy(hostile::anything_goes());
    list.write(checklist.tasks.clone()).unwrap();
    let tasks = (list.tasks())
        .map(|task| (task.subject.to_string(), Some(task.status)))
        .collect();
    (
        tasks,
        checklist.unread.iter().map(|unread| unread.line).collect(),
    )
}

fn reads(text: &str, tasks: &[(&str, Status)], unread: &[usize]) {
    let tasks: Vec<_> = (tasks.iter())
        .map(|&(subject, status)| (subject.to_owned(), Some(status)))
        .collect();
    assert_eq!(
        told(&from_markdown(text)),
        (tasks, unread.to_vec()),
        "{text:?}"
    );
}

const PENDING: Status = Status::Pending;
const RUNNING: Status = Status::InProgress;
const DONE: Status = Status::Completed;

#[test]
fn n21_an_unknown_mark_is_unread_and_never_part_of_a_subject() {
    reads(
        "- [/] Draft\n- [!] Urgent\n- [>] Later\n- [✓] Done\n- [x] Known\n",
        &[("Known", DONE)],
        &[1, 2, 3, 4],
    );
    reads(
        "- [~] Deferred one\n- [~] Deferred two\n",
        &[("Deferred one", RUNNING), ("Deferred two", RUNNING)],
        &[],
    );
}

#[test]
fn n21_in_other_spellings() {
    // Another bullet, a number, an escape, no mark at all, a sign of two characters, a space too many.
    let text = "* [?] a\n1. [D] b\n- \\[!\\] c\n- [] d\n- [✔\u{fe0f}] e\n- [  ] f\n-[>] g\n2) [*] h {#h}\n";
    reads(text, &[], &[1, 2, 3, 4, 5, 6, 7, 8]);
    // A box needs white space after it, or nothing to be in.
    reads(
        "- [x]Build\n- [ ]\n- [x]\tShip\n",
        &[("Ship", DONE)],
        &[1, 2],
    );
}

#[test]
fn n21_words_and_links_in_brackets_are_text() {
    reads(
        "- [WIP] Fix\n- [a](https://example.com) Read\n- [x][1] Cite\n- \\[WIP\\] Escape\n- Sort a[1] first\n",
        &[
            ("[WIP] Fix", PENDING),
            ("[a](https://example.com) Read", PENDING),
            ("[x][1] Cite", PENDING),
            ("[WIP] Escape", PENDING),
            ("Sort a[1] first", PENDING),
        ],
        &[],
    );
}

#[test]
fn n21_a_subject_that_looks_like_a_mark_reads_back() {
    let mut list = TaskList::new();
    for subject in [
        "[!] Urgent",
        "[x] Done",
        "\\[x\\] Odd",
        "[ ]",
        "[]",
        "```",
        "<!--",
        "-->",
        "<!-- 3 more -->",
    ] {
        list.create(TaskDraft::new(subject)).unwrap();
    }
    let checklist = from_markdown(&markdown(&list, None));
    assert_eq!(checklist.unread, []);
    assert!(list.write(checklist.tasks).unwrap().is_empty());
}

#[test]
fn n22_code_and_comments_hold_no_tasks() {
    reads(
        "- [x] Write the template\n```\n- [ ] example\n```\n<!--\n- [ ] hidden\n-->\n",
        &[("Write the template", DONE)],
        &[],
    );
}

#[test]
fn n22_in_other_spellings() {
    // A language, tildes, more marks than needed, an end with less, white space before and after.
    reads(
        "```md\n- [ ] a\n```\n~~~\n- [ ] b\n```\n- [ ] c\n~~~\n````\n- [ ] d\n```\n- [ ] e\n`````  \n- [ ] f\n",
        &[("f", PENDING)],
        &[],
    );
    reads(
        "- [ ] a\n  ```\n  - [ ] b\n  ```\n<!-- - [ ] c -->\n  <!-- d\n- [ ] e -->\n- [ ] f\n",
        &[("a", PENDING), ("f", PENDING)],
        &[],
    );
    reads(
        "\r\n```\r\n- [ ] a\r\n```\r\n- [ ] b\r\n",
        &[("b", PENDING)],
        &[],
    );
}

#[test]
fn n22_a_block_that_never_ends_is_reported() {
    for open in ["```", "~~~~ text", "<!-- todo"] {
        let text = format!("- [ ] a\n\n{open}\n- [ ] b\nprose\n");
        reads(&text, &[("a", PENDING)], &[3]);
        assert_eq!(from_markdown(&text).unread[0].text, open);
    }
}

#[test]
fn n22_what_is_no_block_is_no_block() {
    // Code within a line, two marks, text beside a comment, and what a budget left out.
    reads(
        "```a``` b\n``\n<!-- a --> b\n<!-- a --> <!-- b -->\n<!-- 3 more -->\n<!-- 3 more of these -->\n- [ ] c <!-- d -->\n",
        &[("c <!-- d -->", PENDING)],
        &[1, 2, 3, 4, 5],
    );
}

#[test]
fn n24_escaped_brackets_are_brackets() {
    let mut list = TaskList::new();
    list.write(["Build", "Ship"].map(|subject| TaskDraft::new(subject).id(subject.to_lowercase())))
        .unwrap();
    let edited = "- \\[x\\] Build {#build}\n- \\[x\\] Ship {#ship}\n";
    let checklist = from_markdown(edited);
    assert_eq!(checklist.unread, []);
    list.write(checklist.tasks).unwrap();
    let all: Vec<_> = (list.tasks())
        .map(|task| (task.id.as_str(), &*task.subject, task.status))
        .collect();
    assert_eq!(all, [("build", "Build", DONE), ("ship", "Ship", DONE)]);
}

#[test]
fn n24_in_other_spellings() {
    reads(
        "* \\[ \\] a\n1. \\[-\\] b\n+ \\[X\\] c\n- \\[~\\] \\[d\\]\n",
        &[
            ("a", PENDING),
            ("b", RUNNING),
            ("c", DONE),
            ("[d]", RUNNING),
        ],
        &[],
    );
}

#[test]
fn n24_one_bracket_escaped_is_escaped_too() {
    reads(
        "- \\[x] a\n- [x\\] b\n- \\\\[x] c\n- \\[!] d\n- [!\\] e\n",
        &[("a", DONE), ("b", DONE), ("\\[x] c", PENDING)],
        &[4, 5],
    );
}

#[test]
fn n24_as_a_model_sends_them() {
    let mut list = TaskList::new();
    let args = json!({"tasks": ["- \\[x\\] Build", "- \\[ \\] Ship"]});
    let reply = Toolset::full().call(&mut list, "task_write", &args);
    assert!(!reply.is_error(), "{}", reply.text);
    let all: Vec<_> = (list.tasks())
        .map(|task| (&*task.subject, task.status))
        .collect();
    assert_eq!(all, [("Build", DONE), ("Ship", PENDING)]);
}

#[test]
fn a_byte_order_mark_is_passed_over() {
    reads("\u{feff}- [x] a\n", &[("a", DONE)], &[]);
    reads("\u{feff}", &[], &[]);
    reads("\u{feff}```\n- [x] a\n```\n", &[], &[]);
    let mut list = TaskList::new();
    list.create(TaskDraft::new("a")).unwrap();
    let json = format!("\u{feff}{}", list.to_json());
    assert_eq!(TaskList::from_json(&json), Ok(list.clone()));
    assert_eq!(TaskList::from_json_lenient(&json), Ok((list, Vec::new())));
    let newer = TaskList::from_json("\u{feff}{\"version\":99,\"more\":1}").unwrap_err();
    assert!(newer.to_string().contains("99"), "{newer}");
}
