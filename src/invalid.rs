//! What is wrong with a text that has rules: one type for ids, keys, owners, patterns, paths and stored tasks.
//!
//! The rules themselves are in the files of those kinds; here are only the words. Tested by the tests of each
//! kind, and in `tests/security.rs`: a text quotes at most 80 characters of what was given.

use crate::text::Quote;
use std::fmt;
use std::sync::Arc;

/// A text that cannot be what it was given as.
///
/// It holds the text whole; its own text quotes at most 80 characters of it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct InvalidText {
    /// What it was given as.
    pub kind: TextKind,
    /// The text.
    pub text: Arc<str>,
    /// What is wrong with it.
    pub problem: Problem,
}

/// What a text was given as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TextKind {
    /// The id of a task or of a run.
    TaskId,
    /// The key of a list.
    ListKey,
    /// The name of an owner.
    Owner,
    /// The kind of a condition.
    Condition,
    /// A pattern that a task waits for.
    Pattern,
    /// The path of a modified file.
    Path,
}

/// What is wrong with a text, or with a stored task.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Problem {
    /// Nothing is left after trimming.
    Blank,
    /// It is longer than allowed.
    TooLong {
        /// Its length in bytes.
        bytes: usize,
    },
    /// It has a character that is not allowed there.
    Character(char),
    /// It is `.` or `..`, or has such a segment.
    Dots,
    /// It goes up with a `..` segment.
    ParentFolder,
    /// It has an empty segment.
    EmptySegment,
    /// A name is wanted, and it is a path.
    NotAName,
    /// It is not the workspace of the list, or the list has none.
    OtherWorkspace,
    /// There is no such word.
    Unknown,
    /// There is no pattern at all.
    Missing,
    /// It starts with `!`, and there is no negation.
    Negated,
    /// It is not a glob.
    Syntax(Box<str>),
    /// It is too complex to be compiled.
    TooComplex,
    /// It is an absolute path, and is not below the root that was given, or none was.
    OutsideRoot,
    /// It is not in the form that a list stores. Only what is loaded is refused for that.
    NotNormal,
    /// It is there twice. Only what is loaded is refused for that.
    Duplicate,
    /// The subject of a stored task is blank.
    BlankSubject,
    /// Another text of a stored task is there but blank.
    BlankText,
    /// The status of a stored task is `deleted`; deleted tasks are among the retired.
    DeletedStatus,
    /// The metadata of a stored task is there but empty.
    EmptyMetadata,
    /// A stored task names the same blocker twice.
    DuplicateBlocker,
    /// A stored task is retired and has a blocker.
    RetiredDependency,
}

impl InvalidText {
    pub(crate) fn new(kind: TextKind, text: &str, problem: Problem) -> Self {
        InvalidText {
            kind,
            text: text.into(),
            problem,
        }
    }
}

impl fmt::Display for InvalidText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let quoted = Quote(&self.text).to_string();
        let problem = &self.problem;
        match self.kind {
            TextKind::TaskId => write!(
                f,
                "Invalid task id {quoted:?}: {problem}. Use 1 to 128 bytes without control characters, / \\ {{ }}."
            ),
            TextKind::ListKey => write!(f, "Invalid list key {quoted:?}: {problem}"),
            TextKind::Owner if self.problem == Problem::Blank => {
                f.write_str("The name of an owner must not be blank.")
            }
            TextKind::Owner => write!(f, "Invalid name of an owner {quoted:?}: {problem}"),
            TextKind::Condition => {
                write!(f, "Unknown condition {quoted:?}. Allowed: files_modified.")
            }
            TextKind::Pattern => write!(f, "Invalid pattern {quoted:?}: {problem}"),
            TextKind::Path => write!(f, "Invalid path {quoted:?}: {problem}"),
        }
    }
}

impl std::error::Error for InvalidText {}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Problem::TooLong { bytes } => return write!(f, "it is {bytes} bytes long"),
            Problem::Character(c) => return write!(f, "it contains {c:?}"),
            Problem::Syntax(problem) => problem,
            Problem::Blank => "it is blank",
            Problem::Dots => "it has a . or .. segment",
            Problem::ParentFolder => "it goes up with ..; give it from the root",
            Problem::EmptySegment => "it has an empty segment",
            Problem::NotAName => "a name without / is wanted, or an absolute path",
            Problem::OtherWorkspace => "it is not the workspace of that list",
            Problem::Unknown => "it is not known",
            Problem::Missing => "there is no pattern; an empty one matches any file",
            Problem::Negated => "there is no negation; write \\! for a name that starts with !",
            Problem::TooComplex => "it is too complex",
            Problem::OutsideRoot => {
                "it is an absolute path that is not below the root; give the root, or a path from it"
            }
            Problem::NotNormal => "it is not in its stored form",
            Problem::Duplicate => "it is there twice",
            Problem::BlankSubject => "its subject is blank",
            Problem::BlankText => "one of its texts is there but blank",
            Problem::DeletedStatus => "its status is deleted",
            Problem::EmptyMetadata => "its metadata is there but empty",
            Problem::DuplicateBlocker => "it names the same blocker twice",
            Problem::RetiredDependency => "it is retired and has a blocker",
        })
    }
}
