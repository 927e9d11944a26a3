//! For people who look at a list: Graphviz, Mermaid, and micromark with GitHub's extensions read from a diagram or a
//! checklist what is in the list, however hostile its texts. `diagrams/with-parsers` installs them.

mod hostile;

use agent_tasklist::render::{dot, markdown, mermaid};
use agent_tasklist::{Activation, State, Status, TaskDraft, TaskId, TaskList};
use hostile::{any_list, anything_goes};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::{Deserializer, Value, json};
use std::collections::{BTreeMap, HashMap};
use std::io::Write;
use std::process::{Command, Stdio};
use std::time::Instant;

const LABELS: [&str; 79] = [
    "Build",
    "날짜 ✅🏳️‍🌈é",
    "say \"it\"",
    "\"",
    "\"]",
    "a\"]:::done",
    "\\",
    "\\\\",
    "a\\",
    "\\\"",
    "\\N \\G \\n \\l \\r",
    "one\ntwo\r\nthree",
    "a\u{2028}b\u{2029}c\u{85}d\u{b}e",
    "%% comment",
    "%%{init: {\"theme\": \"dark\"}}%%",
    "---\ntitle: x\n---",
    "</script><script>alert(1)</script>",
    "<b>bold</b><br/><img src=x onerror=alert(1)>",
    "<!-- a -->",
    "-->",
    "<br>",
    "👩‍👩‍👧 🏳️‍🌈 🇰🇷",
    "مرحبا שלום",
    "\u{202e}txt.exe\u{202c} \u{2066}a\u{2069}\u{200f}",
    "end",
    "END",
    "graph TD",
    "subgraph x",
    "]:::",
    "]:::ready",
    "t0 --> t1",
    "t0 -> t1;",
    "};digraph {",
    "#quot;",
    "#35; #",
    "# heading",
    "style x:#a;",
    "style t0 fill:#f00;",
    "classDef x fill:#fff;",
    "click t0 href \"https://example.com\"",
    "`code`",
    "`**bold** text`",
    "``",
    "```",
    "**bold** _it_ __x__ ~~no~~ a_b_c",
    "&lt; &amp; &#34; &quot; &nbsp;",
    "&#0; &#60;",
    "a\0b",
    "\u{301}",
    "e\u{301}\u{302} \u{200d}",
    "\u{feff}",
    "\u{fffe} \u{ffff}",
    "\u{10ffff}\u{e000}",
    "1. Fix the bug",
    "12) Fix the bug",
    "- dash",
    "-",
    "---",
    "+ plus",
    "* star",
    "***",
    "=====",
    "    indented",
    "\ttab\tin",
    " a  b ",
    "[x] done",
    "[link](https://example.com) ![image](a.png) [^1]",
    "https://example.com/a?b=1&c=*x*_y_#z",
    "See https://example.com/a_b, www.example.com.",
    "www.example.com/*x* WWW.A.DE/&lt; mail a_b@example.com",
    "http://example.com/\n<now>",
    "ftp://example.com mailto:a@b.de xmpp:a@b.de/x",
    "fa:fa-car",
    "$$x^2$$ $a$",
    "a | b\n--|--\nc | d",
    "{#id} {after #id}",
    "\\{#id} \\n",
    "@{ shape: circle }",
    "'single' (round) /slash/ a+b=c!?",
];

fn chars(text: &str) -> usize {
    text.chars().count()
}

fn one_line(text: &str) -> String {
    text.replace(
        |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}'),
        " ",
    )
}

/// A list with the labels, each task waiting for some before it, in all states.
fn listed(labels: &[String]) -> TaskList {
    let mut list = TaskList::new();
    list.set_policy(anything_goes());
    for (n, label) in labels.iter().enumerate() {
        let draft = TaskDraft::new(&**label).id(format!("i {n} \"'#&;`"));
        let draft = match n % 5 {
            0 => draft.status(Status::Completed),
            1 => draft.status(Status::InProgress),
            2 => draft.activation(Activation::files_modified(["docs/**"]).unwrap()),
            _ => draft,
        };
        let earlier = [n / 2, n / 3].into_iter().filter(|&earlier| earlier < n);
        let earlier = earlier.map(|earlier| format!("i {earlier} \"'#&;`"));
        list.create(draft.blocked_by(earlier)).unwrap();
    }
    list
}

/// The lists to try: each label alone, all of them, and random ones, always the same.
fn lists() -> Vec<TaskList> {
    let mut labels: Vec<String> = LABELS.iter().map(|label| label.to_string()).collect();
    labels.extend(["<\"&\\#`😀\u{301}", "long ", "날"].map(|part| {
        let part = part.chars().cycle();
        part.take(5_000).collect()
    }));
    let mut lists = vec![TaskList::new(), listed(&labels)];
    lists.extend(labels.chunks(1).map(listed));
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    let any = any_list();
    lists.extend((0..300).map(|_| any.new_tree(&mut runner).unwrap().current()));
    lists
}

/// A list within a budget, or whole, in one format.
struct Shown<'l> {
    list: &'l TaskList,
    whole: bool,
    text: String,
}

/// The lists in a format: whole, and within two budgets that leave tasks out.
fn shown(lists: &[TaskList], render: fn(&TaskList, Option<usize>) -> String) -> Vec<Shown<'_>> {
    let mut all = Vec::new();
    for list in lists {
        let whole = render(list, None);
        let budgets = [3, 2].map(|part| chars(&whole) - chars(&whole) / part);
        let short = budgets.into_iter().map(|max| render(list, Some(max)));
        let short: Vec<String> = short.filter(|text| !text.is_empty()).collect();
        let short = short.into_iter().map(|text| (text, false));
        for (text, whole) in short.chain([(whole, true)]) {
            all.push(Shown { list, whole, text });
        }
    }
    all
}

/// What a parser is to find: the tasks, and each dependency by places.
fn expected(shown: &Shown) -> Value {
    let Shown { list, whole, text } = shown;
    let place = |id: &TaskId| list.tasks().position(|task| task.id == *id).unwrap();
    let blockers = |id| list.blocked_by(id).unwrap();
    let tasks: Vec<Value> = list
        .tasks()
        .map(|task| {
            json!({
                "subject": one_line(&task.subject),
                "id": task.id,
                "status": task.status,
                "state": list.state(&task.id).unwrap().as_str(),
                "after": blockers(&task.id).iter().map(|task| &task.id).collect::<Vec<_>>(),
                "from": blockers(&task.id).iter().map(|task| place(&task.id)).collect::<Vec<_>>(),
            })
        })
        .collect();
    json!({"text": text, "whole": whole, "tasks": tasks})
}

/// Runs a command on an input, and gives its output and errors.
fn run(command: &mut Command, input: String) -> (bool, String, String) {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
    let output = child.wait_with_output().unwrap();
    let _ = writer.join().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (
        output.status.success(),
        text(output.stdout),
        text(output.stderr),
    )
}

/// Says so past the capture of the tests.
fn skipped(why: &str) {
    let _ = writeln!(std::io::stderr(), "SKIPPED: {why}");
}

/// Has a parser of `diagrams/package.json` read all lists in its format.
fn parse(parser: &str, render: fn(&TaskList, Option<usize>) -> String) {
    let Some(packages) = std::env::var_os("DIAGRAMS_PACKAGES") else {
        skipped(&format!(
            "{parser} needs npm packages; run it with tests/diagrams/with-parsers"
        ));
        return;
    };
    let start = Instant::now();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/diagrams/check.mjs");
    let lists = lists();
    let cases: Vec<Value> = shown(&lists, render).iter().map(expected).collect();
    let mut command = Command::new("node");
    command.args([script, parser]).current_dir(packages);
    let (good, out, errors) = run(&mut command, Value::from(cases).to_string());
    assert!(good, "{out}{errors}");
    println!("{} in {:.1?}", out.trim_end(), start.elapsed());
}

#[test]
fn mermaid_reads_what_was_meant() {
    parse("mermaid", mermaid);
}

#[test]
fn an_older_mermaid_reads_what_was_meant() {
    parse("mermaid-old", mermaid);
}

#[test]
fn github_reads_what_was_meant() {
    parse("micromark", markdown);
}

#[test]
fn graphviz_reads_what_was_meant() {
    if Command::new("dot").arg("-V").output().is_err() {
        skipped("DOT needs dot; apt-get install graphviz");
        return;
    }
    let start = Instant::now();
    let lists = lists();
    let shown = shown(&lists, dot);
    let all: String = shown.iter().map(|shown| &*shown.text).collect();
    let (good, drawn, errors) = run(Command::new("dot").arg("-Tjson"), all.clone());
    assert!(good && errors.is_empty(), "{errors}");
    let graphs: Vec<Value> = Deserializer::from_str(&drawn)
        .into_iter()
        .map(Result::unwrap)
        .collect();
    assert_eq!(graphs.len(), shown.len());
    let labels: usize = shown
        .iter()
        .zip(&graphs)
        .map(|(shown, graph)| compare(shown, graph))
        .sum();

    let (good, svg, errors) = run(Command::new("dot").arg("-Tsvg"), all);
    assert!(good && errors.is_empty(), "{errors}");
    assert!(!svg.contains(['\u{fffe}', '\u{ffff}']), "XML has none");
    assert_eq!(svg.matches("</svg>").count(), shown.len());
    assert_eq!(svg.matches("<g id=\"node").count(), nodes(&graphs));
    println!(
        "dot: {} texts, {labels} labels in {:.1?}",
        shown.len(),
        start.elapsed()
    );
}

fn nodes(graphs: &[Value]) -> usize {
    let objects = graphs
        .iter()
        .filter_map(|graph| graph["objects"].as_array());
    objects.map(Vec::len).sum()
}

/// Holds a graph that was read against the list that it was made from, and counts its labels.
fn compare(shown: &Shown, graph: &Value) -> usize {
    let Shown { list, whole, text } = shown;
    let array = |name: &str| graph[name].as_array().cloned().unwrap_or_default();
    let (objects, edges) = (array("objects"), array("edges"));
    let label = |object: &Value| {
        let parts = object["_ldraw_"].as_array().into_iter().flatten();
        let texts: Vec<&str> = parts.filter_map(|part| part["text"].as_str()).collect();
        assert_eq!(texts.len(), 1, "{text}");
        texts[0].to_owned()
    };
    let drawn: BTreeMap<String, String> = objects
        .iter()
        .map(|object| (object["name"].as_str().unwrap().to_owned(), label(object)))
        .collect();
    let mut wanted = BTreeMap::new();
    let mut places = HashMap::new();
    for (place, task) in list.tasks().enumerate() {
        let name = format!("t{place}");
        if *whole || drawn.contains_key(&name) {
            let subject = one_line(&task.subject);
            wanted.insert(name, subject.replace(['\u{fffe}', '\u{ffff}'], "\u{fffd}"));
            places.insert(&task.id, place);
        }
    }
    if !whole {
        let left_out = list.len() - wanted.len();
        wanted.insert("more".into(), format!("{left_out} more"));
    }
    assert_eq!(drawn, wanted);
    let name = |end: &Value| objects[end.as_u64().unwrap() as usize]["name"].clone();
    let mut arrows: Vec<String> = edges
        .iter()
        .map(|edge| format!("{} {}", name(&edge["tail"]), name(&edge["head"])))
        .collect();
    let mut wanted = Vec::new();
    for (id, place) in &places {
        for blocker in list.blocked_by(id).unwrap() {
            if let Some(from) = places.get(&blocker.id) {
                wanted.push(format!("\"t{from}\" \"t{place}\""));
            }
        }
    }
    arrows.sort();
    wanted.sort();
    assert_eq!(arrows, wanted, "{text}");
    drawn.len()
}

#[test]
fn all_states_and_budgets_are_tried() {
    let lists = lists();
    for state in [
        State::InProgress,
        State::Ready,
        State::Blocked,
        State::Dormant,
        State::Completed,
    ] {
        assert!(
            lists
                .iter()
                .any(|list| list.tasks().any(|task| list.state(&task.id) == Some(state))),
            "{state}"
        );
    }
    for render in [mermaid, dot, markdown] {
        let short = shown(&lists, render)
            .iter()
            .filter(|shown| !shown.whole)
            .count();
        assert!(short > 100, "{short}");
    }
    let random: usize = lists[2 + LABELS.len() + 3..]
        .iter()
        .map(TaskList::len)
        .sum();
    println!("{random} random labels");
    assert!(random >= 1_000, "{random}");
}
