//! A checklist in Markdown, out and in.
//!
//! What a line says is read here, for people's checklists and for the lines that models send as tasks. Tested by
//! `tests/render.rs`, `tests/checklists.rs`, `tests/diagrams.rs` with a real parser, and fuzzing.

use super::budget::{by_urgency, chars, within};
use crate::id::TaskId;
use crate::list::TaskList;
use crate::status::Status;
use crate::task::{Task, TaskDraft};
use crate::text::{breaks_line, is_blank, without_byte_order_mark};
use std::borrow::Cow;
use std::fmt::Write;

/// A list as a checklist in GitHub's Markdown, for people to read and to edit: a line for each task, with its id and
/// the tasks that it waits for.
///
/// Subjects are escaped, and read back as they were by [`from_markdown`]. Descriptions, owners and activations are
/// not shown; where an edited checklist is written back, tasks that kept their ids keep them too.
///
/// ```
/// use agent_tasklist::render::markdown;
/// use agent_tasklist::{Status, TaskDraft, TaskList};
///
/// let mut list = TaskList::new();
/// list.write([
///     TaskDraft::new("Read [the report](https://example.com)").id("read").status(Status::Completed),
///     TaskDraft::new("Fix `parse_line`").id("fix").status(Status::InProgress),
///     TaskDraft::new("Ship").id("ship").blocked_by(["fix"]),
/// ])?;
/// let lines = [
///     r"- [x] Read \[the report\](https://example.com) {#read}",
///     r"- [-] Fix \`parse_line\` {#fix}",
///     r"- [ ] Ship {#ship} {after #fix}",
/// ];
/// assert!(markdown(&list, None).lines().eq(lines));
/// # Ok::<(), agent_tasklist::Error>(())
/// ```
pub fn markdown(list: &TaskList, max_chars: Option<usize>) -> String {
    let tasks: Vec<&Task> = by_urgency(list).collect();
    let whole = |kept: &dyn Fn(&Task) -> bool, left_out: usize| {
        let mut text = String::new();
        for task in list.tasks().filter(|task| kept(task)) {
            text.push_str(&line(list, task));
        }
        if left_out > 0 {
            let _ = writeln!(text, "<!-- {left_out} more -->");
        }
        text
    };
    within(&tasks, max_chars, whole, |task, _| chars(&line(list, task)))
}

fn line(list: &TaskList, task: &Task) -> String {
    let mark = match task.status {
        Status::Completed => 'x',
        Status::InProgress => '-',
        _ => ' ',
    };
    let mut text = format!(
        "- [{mark}] {} {{#{}}}",
        escaped(&task.subject),
        escaped(task.id.as_str())
    );
    for blocker in list.blocked_by(&task.id).unwrap_or_default() {
        let _ = write!(text, " {{after #{}}}", escaped(blocker.id.as_str()));
    }
    text.push('\n');
    text
}

/// A text on one line of Markdown that reads as the text does.
fn escaped(text: &str) -> String {
    let inner = text.len() - text.trim_start().len()..text.trim_end().len();
    let mut escaped = String::with_capacity(text.len());
    let mut before = None;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let after = chars.peek().map(|&(_, c)| c);
        let in_word = [before, after]
            .iter()
            .all(|c| c.is_some_and(char::is_alphanumeric));
        match c {
            c if breaks_line(c) || !inner.contains(&at) => {
                _ = write!(escaped, "&#{};", u32::from(c))
            }
            // In the middle of a word it means nothing in Markdown, and `parse_line` reads better as it is.
            '_' if in_word => escaped.push('_'),
            '\\' | '`' | '*' | '_' | '{' | '}' | '[' | ']' | '<' | '>' | '|' | '&' | '~' | '$' => {
                escaped.extend(['\\', c]);
            }
            c => escaped.push(c),
        }
        before = Some(c);
    }
    let words = escaped.split(' ').map(plain_address);
    words.collect::<Vec<_>>().join(" ")
}

/// An escaped word, as no link where that would show its escapes: GitHub takes them for a part of the address.
fn plain_address(word: &str) -> Cow<'_, str> {
    let lower = word.to_ascii_lowercase();
    let starts = ["://", "www."].into_iter();
    let start = starts.filter_map(|start| lower.find(start)).min();
    match start.map(|at| word.split_at(at)) {
        Some((before, address)) if address.contains(['\\', '&']) => {
            let address = address.replace("://", "\\://").replace('.', "\\.");
            format!("{before}{address}").into()
        }
        _ => word.into(),
    }
}

/// What a checklist says.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Checklist {
    /// The tasks, in order, for [`TaskList::write`].
    pub tasks: Vec<TaskDraft>,
    /// The lines that are neither blank nor a task, in order.
    pub unread: Vec<Unread>,
}

/// A line of a checklist that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Unread {
    /// Its number, from 1.
    pub line: usize,
    /// The line.
    pub text: String,
}

/// Reads a checklist that [`markdown`] made, or that a person wrote.
///
/// A line of it is a task if it starts with `-`, `*`, `+` or a number. `[ ]` is pending, `[x]` completed, `[-]` or
/// `[~]` in progress, followed by white space; without a box the status is not given. The brackets may be escaped, as
/// some editors do. A line with another mark in its box, or with none, is reported: only its writer knows what it means.
/// `{#id}` at the end is the id, `{after #id}` a task that it waits for; a task with an id waits for those alone, one
/// without an id for what it did before. Indentation means nothing.
///
/// Fenced code and HTML comments are passed over, and so is a byte order mark. Every other line that is not blank is
/// reported, and the first line of a block that never ends: look at [`unread`](Checklist::unread) before the tasks are
/// written, for a line that was left out by a budget is among them too.
///
/// ```
/// use agent_tasklist::render::{from_markdown, markdown};
/// use agent_tasklist::{TaskDraft, TaskList};
///
/// let mut list = TaskList::new();
/// list.create(TaskDraft::new("Build").id("build").owner("jo"))?;
/// let edited = markdown(&list, None).replace("[ ] Build", "[x] Build it") + "- [ ] Ship {after #build}\nsoon\n";
/// let checklist = from_markdown(&edited);
/// assert_eq!((checklist.unread[0].line, &*checklist.unread[0].text), (3, "soon"));
/// list.write(checklist.tasks)?;
/// assert_eq!(list.get("build").unwrap().owner.as_deref(), Some("jo"));
/// assert_eq!(list.blocked_by("task_ship").unwrap()[0].subject.as_ref(), "Build it");
/// # Ok::<(), agent_tasklist::Error>(())
/// ```
pub fn from_markdown(text: &str) -> Checklist {
    let mut checklist = Checklist::default();
    let mut block: Option<(Block, Unread)> = None;
    for (i, text) in without_byte_order_mark(text).lines().enumerate() {
        let line = text.trim();
        if block.as_ref().is_some_and(|(block, _)| block.ends(line)) {
            block = None;
            continue;
        }
        if line.is_empty() || block.is_some() {
            continue;
        }
        let unread = Unread {
            line: i + 1,
            text: text.to_owned(),
        };
        if let Some(begun) = Block::begun(line) {
            block = Some((begun, unread));
        } else if !is_comment(line) {
            match item(line).and_then(Item::draft) {
                Some(draft) => checklist.tasks.push(draft),
                None => checklist.unread.push(unread),
            }
        }
    }
    // Else a forgotten end would drop the rest of a list without a word.
    checklist.unread.extend(block.map(|(_, first)| first));
    checklist
}

/// A block whose lines are no tasks.
enum Block {
    /// Code, up to a line of nothing but at least so many of these characters.
    Fence(char, usize),
    Comment,
}

const COMMENT: &str = "<!--";
const COMMENT_END: &str = "-->";

impl Block {
    /// The block that a line begins, and does not end.
    fn begun(line: &str) -> Option<Self> {
        if line.starts_with(COMMENT) && !line.contains(COMMENT_END) {
            return Some(Block::Comment);
        }
        let mark = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
        let language = line.trim_start_matches(mark);
        let length = line.len() - language.len();
        // Three and more may stand around code within a line, too.
        let is_fence = length >= 3 && !(mark == '`' && language.contains(mark));
        is_fence.then_some(Block::Fence(mark, length))
    }

    fn ends(&self, line: &str) -> bool {
        match *self {
            Block::Fence(mark, length) => {
                line.len() >= length && line.trim_start_matches(mark).is_empty()
            }
            Block::Comment => line.contains(COMMENT_END),
        }
    }
}

/// Whether a line is a comment and nothing else.
fn is_comment(line: &str) -> bool {
    let inside = line
        .strip_prefix(COMMENT)
        .and_then(|rest| rest.strip_suffix(COMMENT_END));
    // What a budget left out must be seen, or writing the checklist back would drop it. What stands between two comments
    // is no comment.
    inside.is_some_and(|inside| !inside.contains(COMMENT_END) && !is_left_out(line))
}

/// Whether a line is the note of a rendering that left tasks out.
fn is_left_out(line: &str) -> bool {
    let number = line
        .strip_prefix("<!-- ")
        .and_then(|rest| rest.strip_suffix(" more -->"));
    number.is_some_and(|number| number.parse::<usize>().is_ok())
}

/// A line of a checklist.
#[derive(Debug, Default)]
pub(crate) struct Item {
    pub(crate) subject: String,
    pub(crate) status: Option<Status>,
    /// The id, and the ids of tasks that it waits for: those of which one is wanted, and more.
    pub(crate) ids: Vec<String>,
    pub(crate) after: Vec<String>,
}

impl Item {
    fn draft(self) -> Option<TaskDraft> {
        let mut draft = TaskDraft::new(&*self.subject);
        if let Some(status) = self.status {
            draft = draft.status(status);
        }
        let is_id = |id: &String| TaskId::new(id).is_ok();
        if !self.ids.iter().chain(&self.after).all(is_id) {
            return None;
        }
        match &self.ids[..] {
            [] if is_blank(&self.subject) => None,
            [] if self.after.is_empty() => Some(draft),
            [] => Some(draft.blocked_by(self.after)),
            [id] => Some(draft.id(id).blocked_by(self.after)),
            _ => None,
        }
    }
}

/// A line that is an item of a Markdown list, as a task.
pub(crate) fn item(line: &str) -> Option<Item> {
    let line = line.trim();
    let bullet = line.strip_prefix(['-', '*', '+']);
    let numbered = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let numbered = Some(numbered).filter(|rest| rest.len() < line.len());
    let rest = bullet.or_else(|| numbered?.strip_prefix(['.', ')']))?;
    if !rest.starts_with([' ', '\t', '[']) {
        return None;
    }
    let (status, text) = match boxed(rest.trim_start()) {
        Mark::None => (None, rest.trim_start()),
        Mark::Known(status, text) => (Some(status), text.trim()),
        Mark::Unknown => return None,
    };
    let mut item = Item {
        status,
        ..Item::default()
    };
    let subject = attributes(text, &mut item);
    item.subject = unescaped(subject.trim());
    Some(item)
}

/// What the box before a text says.
enum Mark<'a> {
    None,
    Known(Status, &'a str),
    Unknown,
}

/// Reads a box, of whose brackets each may be escaped, and what follows it: white space or nothing.
fn boxed(text: &str) -> Mark<'_> {
    let open = text.strip_prefix('\\').unwrap_or(text).strip_prefix('[');
    let inside = open.and_then(|rest| rest.split_once(']'));
    let Some((mark, text)) = inside else {
        return Mark::None;
    };
    let mark = mark.strip_suffix('\\').unwrap_or(mark);
    let status = match mark {
        " " => Some(Status::Pending),
        "x" | "X" => Some(Status::Completed),
        "-" | "~" => Some(Status::InProgress),
        _ => None,
    };
    // A word in brackets is a part of the subject, `[WIP]`; one character, or some signs, are a mark.
    let is_mark = mark.chars().count() == 1 || !mark.contains(char::is_alphanumeric);
    match status {
        Some(status) if text.is_empty() || text.starts_with(char::is_whitespace) => {
            Mark::Known(status, text)
        }
        // The text of a link may be one character long.
        _ if is_mark && !text.starts_with(['(', '[', ':']) => Mark::Unknown,
        _ => Mark::None,
    }
}

/// Takes the `{#id}` and `{after #id}` at the end of a text, and gives what stands before them.
fn attributes<'a>(text: &'a str, item: &mut Item) -> &'a str {
    let mut rest = text.trim_end();
    loop {
        let attribute = rest.strip_suffix('}').and_then(|open| {
            let at = open.rfind('{')?;
            // A brace after an odd number of backslashes is text.
            let is_escaped = open[..at].chars().rev().take_while(|&c| c == '\\').count() % 2 == 1;
            (!is_escaped).then(|| (&open[..at], open[at + 1..].trim()))
        });
        let Some((before, inside)) = attribute else {
            break;
        };
        let after = inside.strip_prefix("after").map(str::trim_start);
        match (
            inside.strip_prefix('#'),
            after.and_then(|id| id.strip_prefix('#')),
        ) {
            (Some(id), _) => item.ids.push(unescaped(id)),
            (None, Some(id)) => item.after.push(unescaped(id)),
            (None, None) => break,
        }
        rest = before.trim_end();
    }
    item.ids.reverse();
    item.after.reverse();
    rest
}

/// The text that a line of Markdown reads as.
fn unescaped(text: &str) -> String {
    let mut unescaped = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['\\', '&']) {
        unescaped.push_str(&rest[..at]);
        let (c, after) = rest[at..].split_at(1);
        let escaped = after.chars().next().filter(char::is_ascii_punctuation);
        rest = match (c, escaped, entity(after)) {
            ("\\", Some(c), _) => {
                unescaped.push(c);
                &after[1..]
            }
            ("&", _, Some((c, after))) => {
                unescaped.push(c);
                after
            }
            _ => {
                unescaped.push_str(c);
                after
            }
        };
    }
    unescaped + rest
}

/// The character that an entity stands for, of which this is what follows the `&`, and what follows it.
fn entity(text: &str) -> Option<(char, &str)> {
    const LONGEST: usize = 9;
    let end = text.bytes().take(LONGEST).position(|byte| byte == b';')?;
    let c = match &text[..end] {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        name => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16),
                None => number.parse(),
            };
            char::from_u32(code.ok()?)?
        }
    };
    Some((c, &text[end + 1..]))
}
