//! The graph of dependencies as Mermaid and as DOT.
//!
//! Texts are escaped for the grammar of each. Tested by `tests/diagrams.rs` with the real parsers.

use super::budget::{by_urgency, chars, within};
use crate::graph::State;
use crate::id::TaskId;
use crate::list::TaskList;
use crate::task::Task;
use crate::text::one_line;
use std::collections::HashSet;
use std::fmt::Write;

/// The states, with how they are drawn: fill, line, and whether the line is dashed.
const STYLES: [(State, &str, &str, bool); 5] = [
    (State::InProgress, "#fff3bf", "#e67700", false),
    (State::Ready, "#d3f9d8", "#2b8a3e", false),
    (State::Blocked, "#ffe3e3", "#c92a2a", false),
    (State::Dormant, "#f1f3f5", "#868e96", true),
    (State::Completed, "#e7f5ff", "#1971c2", false),
];

/// The graph of dependencies as a Mermaid flowchart: a node for each task, an arrow from each task to
/// those that wait for it, and a class for each state.
///
/// Labels are the subjects, escaped. Mermaid refuses texts of more than 50,000 characters and charts of more than 500
/// arrows by default: give a budget where a list may be large.
///
/// ```
/// use agent_tasklist::render::mermaid;
/// use agent_tasklist::{TaskDraft, TaskList};
///
/// let mut list = TaskList::new();
/// list.create(TaskDraft::new("Build").id("build"))?;
/// list.create(TaskDraft::new("Ship \"it\"").id("ship").blocked_by(["build"]))?;
/// let text = mermaid(&list, None);
/// assert!(text.starts_with("flowchart TD\n"));
/// assert!(text.ends_with("  t0[\"Build\"]:::ready\n  t1[\"Ship #34;it#34;\"]:::blocked\n  t0 --> t1\n"));
/// # Ok::<(), agent_tasklist::Error>(())
/// ```
pub fn mermaid(list: &TaskList, max_chars: Option<usize>) -> String {
    let mut head = "flowchart TD\n".to_owned();
    for (state, fill, stroke, dashed) in STYLES {
        let dashes = if dashed { ",stroke-dasharray:4 3" } else { "" };
        let _ = writeln!(
            head,
            "  classDef {state} fill:{fill},stroke:{stroke},color:#212529{dashes}"
        );
    }
    Diagram {
        list,
        head,
        node: |place, label, state| format!("  t{place}[\"{}\"]:::{state}\n", for_mermaid(label)),
        edge: |from, to| format!("  t{from} --> t{to}\n"),
        note: |left_out| format!("  more[\"{left_out} more\"]\n"),
        tail: "",
    }
    .render(max_chars)
}

/// The graph of dependencies in Graphviz's DOT: a node for each task, an arrow from each task to those
/// that wait for it, coloured by state.
///
/// Labels are the subjects, escaped.
///
/// ```
/// use agent_tasklist::render::dot;
/// use agent_tasklist::{TaskDraft, TaskList};
///
/// let mut list = TaskList::new();
/// list.create(TaskDraft::new("Build").id("build"))?;
/// list.create(TaskDraft::new("Ship").id("ship").blocked_by(["build"]))?;
/// assert!(dot(&list, None).ends_with("  t0 -> t1;\n}\n"));
/// # Ok::<(), agent_tasklist::Error>(())
/// ```
pub fn dot(list: &TaskList, max_chars: Option<usize>) -> String {
    Diagram {
        list,
        head: "digraph tasks {\n  node [shape=box, fontname=\"sans-serif\"];\n".to_owned(),
        node: |place, label, state| {
            let style = STYLES.iter().find(|style| style.0 == state);
            let &(_, fill, stroke, dashed) = style.unwrap_or(&STYLES[1]);
            let dashed = if dashed { ",dashed" } else { "" };
            format!(
                "  t{place} [label=\"{}\", style=\"rounded,filled{dashed}\", fillcolor=\"{fill}\", color=\"{stroke}\"];\n",
                for_dot(label)
            )
        },
        edge: |from, to| format!("  t{from} -> t{to};\n"),
        note: |left_out| format!("  more [label=\"{left_out} more\", shape=plaintext];\n"),
        tail: "}\n",
    }
    .render(max_chars)
}

/// A diagram of a list, and how its parts are written. Nodes are named by their place in the list.
struct Diagram<'l> {
    list: &'l TaskList,
    head: String,
    node: fn(usize, &str, State) -> String,
    edge: fn(usize, usize) -> String,
    note: fn(usize) -> String,
    tail: &'static str,
}

impl<'l> Diagram<'l> {
    fn render(&self, max_chars: Option<usize>) -> String {
        let tasks: Vec<&Task> = by_urgency(self.list).collect();
        let whole = |kept: &dyn Fn(&Task) -> bool, left_out: usize| {
            let mut text = self.head.clone();
            let shown = || self.list.tasks().filter(|task| kept(task));
            shown().for_each(|task| text.push_str(&self.node(task)));
            for task in shown() {
                let blockers = self.blockers(task).into_iter().filter(|task| kept(task));
                blockers.for_each(|blocker| text.push_str(&self.edge(blocker, task)));
            }
            if left_out > 0 {
                text.push_str(&(self.note)(left_out));
            }
            text + self.tail
        };
        let cost = |task: &'l Task, kept: &HashSet<&'l TaskId>| {
            let among =
                |tasks: Vec<&'l Task>| tasks.into_iter().filter(|task| kept.contains(&task.id));
            let waits_for = among(self.blockers(task)).map(|blocker| self.edge(blocker, task));
            let waiting = among(self.list.blocks(&task.id).unwrap_or_default());
            let waiting = waiting.map(|blocked| self.edge(task, blocked));
            let edges: usize = waits_for.chain(waiting).map(|edge| chars(&edge)).sum();
            chars(&self.node(task)) + edges
        };
        within(&tasks, max_chars, whole, cost)
    }

    fn node(&self, task: &Task) -> String {
        let state = self.list.state(&task.id).unwrap_or(State::Ready);
        (self.node)(self.place(task), &task.subject, state)
    }

    fn edge(&self, from: &Task, to: &Task) -> String {
        (self.edge)(self.place(from), self.place(to))
    }

    fn blockers(&self, task: &Task) -> Vec<&'l Task> {
        self.list.blocked_by(&task.id).unwrap_or_default()
    }

    fn place(&self, task: &Task) -> usize {
        self.list.position(&task.id).unwrap_or_default()
    }
}

/// A text in a quoted label of Mermaid: everything that its grammar, its directives, Markdown or HTML could take
/// for their own is written as a number. Only Mermaid's own marks for those, `ﬂ°` and `¶ß`, cannot be written: it shows
/// them as `&` and `;`.
fn for_mermaid(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    let mut in_words = false;
    for c in text.chars().map(one_line) {
        in_words |= c.is_alphabetic();
        // An allow list: what the grammar of a later release takes for its own is then a number already.
        let is_plain = match c {
            ' ' | ',' | '(' | '/' | '=' | '!' | '?' | '\'' => true,
            // Before the first word they may start a list, and after `www` an address.
            '-' | '+' | ')' => in_words,
            '.' => in_words && !escaped.ends_with(['w', 'W']),
            c => !c.is_ascii_punctuation(),
        };
        match is_plain {
            true => escaped.push(c),
            false => _ = write!(escaped, "#{};", u32::from(c)),
        }
    }
    escaped
}

/// A text in a quoted label of DOT.
fn for_dot(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars().map(one_line) {
        match c {
            '"' | '\\' => escaped.extend(['\\', c]),
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            // XML, and so SVG, has no such characters.
            '\u{fffe}' | '\u{ffff}' => escaped.push(char::REPLACEMENT_CHARACTER),
            c => escaped.push(c),
        }
    }
    escaped
}
