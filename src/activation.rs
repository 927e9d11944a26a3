//! Conditions that a task sleeps until, the evidence of a run that they are judged by, and
//! how the two are matched.
//!
//! The only file that knows globset. It knows nothing of tasks: who asks hands in activations. Tested by
//! `tests/activation.rs`, against a plain matcher in `tests/fuzz`, and here for the cache of compiled patterns.

use crate::error::{Error, Place};
use crate::invalid::{InvalidText, Problem, TextKind};
use crate::limit::{Exceeded, Limit, Limits};
use crate::text::is_blank;
use globset::{Candidate, Glob, GlobBuilder, GlobSet, GlobSetBuilder};
use serde::ser::{Serialize, SerializeMap, Serializer};
use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::{Arc, OnceLock};

/// The condition that a task is dormant until: that a file which matches one of some patterns
/// is modified in the current run.
///
/// A dormant task is not worked on, does not block other tasks, and does not keep the agent
/// from finishing. Once started or completed a task never goes dormant again.
///
/// # Patterns
///
/// | pattern | matches |
/// | --- | --- |
/// | `*.rs`, `docs` | no `/`: the name of a file, or of a folder that it is in, at any depth |
/// | `src/*.rs`, `/Makefile` | with a `/`: the whole path from the root |
/// | `docs/` | everything below that folder, from the root |
/// | the empty pattern, `**` | any file |
///
/// `*` and `?` do not cross a `/`; `**` does, whether it stands alone between slashes (then
/// for no folder too: `**/*.rs` matches `a.rs`) or is glued to other characters (`src/**.rs`).
/// `{a,b}` and `[a-z]` are alternatives, `\` takes the meaning from the next character,
/// on every platform. Case matters. `?` and classes stand for one byte, so they do not match
/// a character outside ASCII: use `*`.
///
/// White space around a pattern does not count (`\` before it keeps the last), and `./` and `//` are taken out, so that
/// equal patterns are the same text. There is no negation: a leading `!` is refused.
///
/// # Letters
///
/// Patterns and paths are compared as they are given, byte by byte. An `é` is one character (composed) or an `e` and an
/// accent (decomposed), and these differ: macOS hands out some names in the second form, while models and most keyboards write the
/// first. A host that has such files brings both into one form before they come here, or writes `*` for the letter.
///
/// ```
/// use agent_tasklist::{Activation, State, TaskDraft, TaskList};
///
/// let mut list = TaskList::new();
/// let docs = Activation::files_modified(["docs/**", "*.md"])?;
/// let id = list.create(TaskDraft::new("Build the site").activation(docs))?.id;
/// assert_eq!(list.state(&id), Some(State::Dormant));
/// assert!(list.can_finish());
///
/// let changes = list.files_modified(["src/README.md"])?;
/// assert_eq!(changes.effects.woken, [id.clone()]);
/// assert_eq!(list.state(&id), Some(State::Ready));
/// # Ok::<(), agent_tasklist::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Activation {
    patterns: Vec<Arc<str>>,
}

impl Activation {
    /// The name of the one kind of condition there is.
    pub const FILES_MODIFIED: &'static str = "files_modified";

    /// The condition that a file which matches any of the patterns is modified. Patterns are trimmed, and blank ones
    /// are the empty one; one given twice counts once.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] with the pattern, what is wrong with it and its place among those given, or where there is
    /// none at all; [`Error::LimitExceeded`] for too many ([`Limit::Patterns`](crate::policy::Limit::Patterns)) or
    /// too long ones.
    pub fn files_modified<I>(patterns: I) -> Result<Self, Error>
    where
        I: IntoIterator,
        I::Item: AsRef<str>,
    {
        let mut kept: Vec<Arc<str>> = Vec::new();
        let mut patterns = patterns.into_iter();
        let mut given = 0;
        while let Some(pattern) = patterns.next() {
            // Before the next is read: an iterator may have no end.
            if given == Limit::Patterns.highest() {
                Limits::HIGHEST.check(Limit::Patterns, given + 1 + patterns.size_hint().0)?;
            }
            let pattern = compilable(pattern.as_ref());
            let pattern = pattern.map_err(|error| error.at(Place::Item(given)))?;
            // At most 64 of them: a set would cost more than it saves.
            if !kept.contains(&pattern) {
                kept.push(pattern);
            }
            given += 1;
        }
        Activation::of(kept)
    }

    fn of(patterns: Vec<Arc<str>>) -> Result<Self, Error> {
        match patterns.is_empty() {
            true => Err(invalid("", Problem::Missing).into()),
            false => Ok(Activation { patterns }),
        }
    }

    /// The condition of a kind that is given by name, as tools and stored lists give it.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] for every kind but [`Activation::FILES_MODIFIED`], and
    /// otherwise as for [`Activation::files_modified`].
    pub fn of_kind<I>(kind: &str, patterns: I) -> Result<Self, Error>
    where
        I: IntoIterator,
        I::Item: AsRef<str>,
    {
        match kind.trim() {
            Self::FILES_MODIFIED => Self::files_modified(patterns),
            kind => Err(InvalidText::new(TextKind::Condition, kind, Problem::Unknown).into()),
        }
    }

    /// The patterns.
    pub fn patterns(&self) -> impl ExactSizeIterator<Item = &str> {
        self.patterns.iter().map(|pattern| &**pattern)
    }

    /// Refuses more or longer patterns than the limits allow.
    pub(crate) fn check(&self, limits: &Limits) -> Result<(), Exceeded> {
        limits.check(Limit::Patterns, self.patterns.len())?;
        (self.patterns.iter())
            .try_for_each(|pattern| limits.check(Limit::PatternBytes, pattern.len()))
    }

    pub(crate) fn shared_patterns(&self) -> &[Arc<str>] {
        &self.patterns
    }

    /// The activation of a stored list, which holds its patterns in their one form.
    pub(crate) fn loaded(patterns: Vec<Arc<str>>) -> Result<Self, Error> {
        Limits::HIGHEST.check(Limit::Patterns, patterns.len())?;
        for (i, pattern) in patterns.iter().enumerate() {
            // Version 0.1.0 did not trim: such a pattern goes on matching what it did.
            let is_normal = canonical(pattern)? == *pattern || *tidied(pattern)? == **pattern;
            if !is_normal || patterns[..i].contains(pattern) {
                return Err(invalid(pattern, Problem::NotNormal).into());
            }
            // Whether it is too complex to compile is not asked: that depends on the release of globset, and a list
            // that was stored must load. One that does not compile counts as met.
            glob(pattern).map_err(|problem| invalid(pattern, problem))?;
        }
        Activation::of(patterns)
    }
}

/// As `{"files_modified": [...]}`, which is also the form in stored lists.
impl Serialize for Activation {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(1))?;
        map.serialize_entry(Self::FILES_MODIFIED, &self.patterns)?;
        map.end()
    }
}

fn invalid(pattern: &str, problem: Problem) -> InvalidText {
    InvalidText::new(TextKind::Pattern, pattern, problem)
}

/// The canonical text of a pattern that was tried out.
fn compilable(pattern: &str) -> Result<Arc<str>, Error> {
    let pattern = canonical(pattern)?;
    compile(&[&*pattern]).map_err(|problem| invalid(&pattern, problem))?;
    Ok(pattern)
}

/// The one text of all patterns that are the same but for white space around them, `.` and empty segments.
fn canonical(pattern: &str) -> Result<Arc<str>, Error> {
    Limits::HIGHEST.check(Limit::PatternBytes, pattern.len())?;
    let mut canonical = tidied(trimmed(pattern))?;
    // `./ a` means a name that starts with a space, and must when it is read back.
    if canonical.starts_with(char::is_whitespace) {
        canonical.insert(0, '/');
    }
    Ok(canonical.into())
}

/// A pattern without the white space around it, but for one character that is escaped.
fn trimmed(pattern: &str) -> &str {
    let pattern = pattern.trim_start();
    let trimmed = pattern.trim_end();
    let backslashes = trimmed.len() - trimmed.trim_end_matches('\\').len();
    let escaped = pattern[trimmed.len()..].chars().next();
    match escaped.filter(|_| backslashes % 2 == 1) {
        Some(escaped) => &pattern[..trimmed.len() + escaped.len_utf8()],
        None => trimmed,
    }
}

/// The one text of all patterns that are the same but for `.` and empty segments.
fn tidied(pattern: &str) -> Result<String, InvalidText> {
    if is_blank(pattern) {
        return Ok(String::new());
    }
    if pattern.starts_with('!') {
        return Err(invalid(pattern, Problem::Negated));
    }
    let segments = || pattern.split('/');
    if segments().any(|segment| segment == "..") {
        return Err(invalid(pattern, Problem::ParentFolder));
    }
    // Read off before empty segments are dropped: a trailing slash and a leading one carry the meaning.
    let is_folder = matches!(segments().next_back(), Some("" | "."));
    let is_anchored = segments().count() > 1;
    let mut canonical = String::with_capacity(pattern.len());
    for segment in segments().filter(|segment| !matches!(*segment, "" | ".")) {
        if !canonical.is_empty() {
            canonical.push('/');
        }
        canonical.push_str(segment);
    }
    // A pattern that lost its only slash would match a name at any depth, and one that now starts with `!` would
    // be refused when it is read back. The root slash keeps its meaning.
    let needs_root = canonical.starts_with('!') || (!is_folder && !canonical.contains('/'));
    if is_anchored && needs_root {
        canonical.insert(0, '/');
    }
    if is_folder {
        canonical.push('/');
    }
    Ok(canonical)
}

/// A canonical pattern in globset's syntax, which matches whole paths. That a name may be that of a folder is left to who
/// asks: see [`is_name`].
fn glob(canonical: &str) -> Result<Glob, Problem> {
    let glob = match (
        canonical,
        canonical.strip_suffix('/'),
        canonical.strip_prefix('/'),
    ) {
        ("" | "/", ..) => "**".to_owned(),
        (_, Some(folder), _) => {
            let folder = folder.strip_prefix('/').unwrap_or(folder);
            format!("{}/**", crossing(folder))
        }
        (_, _, Some(file)) => crossing(file),
        _ if canonical.contains('/') => crossing(canonical),
        _ => format!("**/{}", crossing(canonical)),
    };
    GlobBuilder::new(&glob)
        .literal_separator(true)
        // globset would take `\` for a separator on Windows, and stored lists move between platforms.
        .backslash_escape(true)
        .empty_alternates(true)
        .build()
        .map_err(|error| Problem::Syntax(error.kind().to_string().into()))
}

/// Whether a canonical pattern means the name of a file or of a folder.
///
/// For those the folders of a file are asked about as if they were files. A glob for both, `{**/p,**/p/**}`, would say the
/// same, but globset looks names and extensions up in a table only while nothing follows them.
fn is_name(canonical: &str) -> bool {
    !canonical.is_empty() && !canonical.contains('/')
}

/// Makes each `**` that is glued to other characters cross folders, which globset takes for
/// two single stars.
fn crossing(pattern: &str) -> String {
    // globset reads a `**` beside other characters as two stars, which stop at `/`. CI path filters, which models know,
    // let it cross.
    const ANYTHING: &str = "{*,*/**/*}";
    let mut glob = String::with_capacity(pattern.len());
    let mut before = None;
    let mut rest = pattern;
    while let Some(c) = rest.chars().next() {
        let length = match c {
            '\\' => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
            // Stars inside a class are characters.
            '[' => class_length(rest),
            '*' => rest.len() - rest.trim_start_matches('*').len(),
            _ => c.len_utf8(),
        };
        let (token, after) = rest.split_at(length);
        let is_segment =
            matches!(before, None | Some('/')) && (after.is_empty() || after.starts_with('/'));
        match (c, length) {
            ('*', 2..) if is_segment => glob.push_str("**"),
            ('*', 2..) => glob.push_str(ANYTHING),
            _ => glob.push_str(token),
        }
        before = token.chars().next_back();
        rest = after;
    }
    glob
}

/// How long the class at the start of a text is, or 1 where it is not closed.
fn class_length(text: &str) -> usize {
    let start = match text[1..].starts_with(['!', '^']) {
        true => 2,
        false => 1,
    };
    let mut at = start;
    while let Some(c) = text[at..].chars().next() {
        let named = text[at..]
            .strip_prefix("[:")
            .and_then(|name| name.find(":]").filter(|&end| is_class_name(&name[..end])));
        match (c, named) {
            (_, Some(name)) => at += name + 4,
            (']', _) if at > start => return at + 1,
            _ => at += c.len_utf8(),
        }
    }
    1
}

/// Whether globset takes that for the name of a class, be there one or not.
fn is_class_name(name: &str) -> bool {
    name.len() <= 8 && name.bytes().all(|byte| byte.is_ascii_lowercase())
}

fn compile(patterns: &[impl AsRef<str>]) -> Result<GlobSet, Problem> {
    let mut set = GlobSetBuilder::new();
    for pattern in patterns {
        set.add(glob(pattern.as_ref())?);
    }
    // The error of globset stays inside: its next release may have another.
    set.build().map_err(|_| Problem::TooComplex)
}

/// How the paths of modified files are written, for
/// [`TaskList::files_modified_as`](crate::TaskList::files_modified_as).
///
/// ```
/// use agent_tasklist::{Activation, PathStyle, State, TaskDraft, TaskList};
///
/// let mut list = TaskList::new();
/// let sources = Activation::files_modified(["src/**"])?;
/// list.create(TaskDraft::new("Run the tests").id("test").activation(sources))?;
/// let style = PathStyle::windows().below(r"C:\work\project");
/// list.files_modified_as(&style, [r"C:\work\project\src\main.rs"])?;
/// assert_eq!(list.state("test"), Some(State::Ready));
/// # Ok::<(), agent_tasklist::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PathStyle {
    /// Whether paths are those of Windows: with `\` between segments too, and drives.
    is_windows: bool,
    /// What absolute paths are below.
    root: Option<Absolute>,
}

/// What is before the first segment of an absolute path.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Start {
    Root,
    /// In lower case.
    Drive(char),
    Server,
    /// `C:x`, from where the process stands on that drive, which is not known here.
    DriveWithoutRoot,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Absolute {
    start: Start,
    path: String,
}

impl PathStyle {
    /// `/` between segments; a `\` is a character of a name.
    pub fn unix() -> Self {
        PathStyle::default()
    }

    /// `/` or `\` between segments, and absolute paths that start with a drive (`C:\`), whose letter has no case, or with a
    /// server (`\\server\share`).
    pub fn windows() -> Self {
        PathStyle {
            is_windows: true,
            root: None,
        }
    }

    /// The same, knowing the folder that absolute paths are below, the root of the work. It is taken off them; one that is
    /// not below it is refused, and so is every absolute path where the root is not absolute itself. What is not
    /// absolute counts from the root already.
    #[must_use]
    pub fn below(mut self, root: impl AsRef<str>) -> Self {
        let root = root.as_ref();
        self.root = match self.start(root) {
            (None | Some(Start::DriveWithoutRoot), _) => None,
            (Some(start), rest) => segments(rest).ok().map(|path| Absolute { start, path }),
        };
        self
    }

    /// How an absolute path starts, and the rest of it, with `/` between segments.
    fn start<'p>(&self, path: &'p str) -> (Option<Start>, Cow<'p, str>) {
        if !self.is_windows {
            return (path.starts_with('/').then_some(Start::Root), path.into());
        }
        let path = path.replace('\\', "/");
        // The long form, which `std::fs::canonicalize` gives.
        let (path, is_server) = match path.strip_prefix("//?/") {
            Some(long) => match long.strip_prefix("UNC/") {
                Some(server) => (server, true),
                None => (long, false),
            },
            None => (&*path, path.starts_with("//")),
        };
        let mut chars = path.chars();
        let start = match (chars.next(), chars.next()) {
            _ if is_server => Some(Start::Server),
            (Some(drive @ ('a'..='z' | 'A'..='Z')), Some(':')) => {
                let rest = chars.as_str();
                let start = match rest.is_empty() || rest.starts_with('/') {
                    true => Start::Drive(drive.to_ascii_lowercase()),
                    false => Start::DriveWithoutRoot,
                };
                return (Some(start), rest.to_owned().into());
            }
            (Some('/'), _) => Some(Start::Root),
            _ => None,
        };
        (start, path.to_owned().into())
    }

    /// A path as it counts: from the root, without empty and `.` segments; `None` where nothing is left.
    pub(crate) fn normal(&self, path: &str) -> Result<Option<String>, InvalidText> {
        let refused = |problem| InvalidText::new(TextKind::Path, path, problem);
        let (start, rest) = self.start(path);
        let mut normal = segments(rest).map_err(refused)?;
        if let Some(start) = start {
            let root = self.root.as_ref().filter(|root| root.start == start);
            let below = root.and_then(|root| below(&normal, &root.path));
            normal = below
                .ok_or_else(|| refused(Problem::OutsideRoot))?
                .to_owned();
        }
        Ok((!normal.is_empty()).then_some(normal))
    }
}

/// The segments of a path that count, with `/` between them.
fn segments(path: impl AsRef<str>) -> Result<String, Problem> {
    let path = path.as_ref();
    let mut normal = String::with_capacity(path.len());
    for segment in path.split('/') {
        match segment {
            "" | "." => continue,
            ".." => return Err(Problem::ParentFolder),
            _ if normal.is_empty() => {}
            _ => normal.push('/'),
        }
        normal.push_str(segment);
    }
    Ok(normal)
}

/// What of a path is below a folder, nothing where it is the folder.
fn below<'p>(path: &'p str, folder: &str) -> Option<&'p str> {
    let rest = path.strip_prefix(folder)?;
    match folder.is_empty() || rest.is_empty() {
        true => Some(rest),
        false => rest.strip_prefix('/'),
    }
}

/// One stretch of an agent's work, and the files modified in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) id: Option<Arc<str>>,
    pub(crate) evidence: Evidence,
}

/// What is known of the files modified in a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Evidence {
    Files(BTreeSet<Arc<str>>),
    /// There were too many to keep. Every condition counts as met.
    Incomplete,
}

impl Default for Evidence {
    fn default() -> Self {
        Evidence::Files(BTreeSet::new())
    }
}

impl Evidence {
    /// Those of the paths that it does not have yet, normalised, each once.
    pub(crate) fn news<'p>(
        &self,
        paths: impl Iterator<Item = &'p str>,
        style: &PathStyle,
        limits: &Limits,
    ) -> Result<BTreeSet<Arc<str>>, Error> {
        let mut news = BTreeSet::new();
        for (i, path) in paths.enumerate() {
            let at = |error: Error| error.at(Place::Item(i));
            // A path of nothing but dots and slashes names the root itself, which no pattern can mean.
            let Some(path) = style.normal(path).map_err(|invalid| at(invalid.into()))? else {
                continue;
            };
            if let Evidence::Files(files) = self
                && files.contains(path.as_str())
            {
                continue;
            }
            let checked = limits.check(Limit::PathBytes, path.len());
            checked.map_err(|exceeded| at(exceeded.into()))?;
            // Nothing is kept of evidence that is incomplete, but a bad path is refused all the same.
            if let Evidence::Files(_) = self {
                news.insert(path.into());
            }
        }
        Ok(news)
    }

    /// The evidence of a stored list: normalised paths, each once, at most as many as are kept.
    pub(crate) fn loaded(paths: Vec<Arc<str>>) -> Result<Self, Error> {
        Limits::HIGHEST.check(Limit::Evidence, paths.len())?;
        let mut files = BTreeSet::new();
        for (i, path) in paths.into_iter().enumerate() {
            let checked = Limits::HIGHEST.check(Limit::PathBytes, path.len());
            checked.map_err(|exceeded| Error::from(exceeded).at(Place::Item(i)))?;
            let problem = match segments(&path) {
                Ok(normal) if normal == *path && !path.is_empty() => None,
                Ok(_) => Some(Problem::NotNormal),
                Err(problem) => Some(problem),
            };
            let problem = problem.or((!files.insert(path.clone())).then_some(Problem::Duplicate));
            if let Some(problem) = problem {
                return Err(InvalidText::new(TextKind::Path, &path, problem).into());
            }
        }
        Ok(Evidence::Files(files))
    }
}

/// The patterns of a list, compiled when they are first needed and in chunks, as one set of
/// thousands takes gigabytes. It is a cache: what it holds does not change what matches.
#[derive(Clone, Debug, Default)]
pub(crate) struct Matcher {
    chunks: Vec<Arc<Chunk>>,
    /// The chunk of each pattern.
    places: HashMap<Arc<str>, usize>,
}

#[derive(Debug, Default)]
struct Chunk {
    patterns: Vec<Arc<str>>,
    /// Whether any of them means the name of a folder too.
    has_names: bool,
    parts: OnceLock<Vec<Part>>,
}

/// Patterns of a chunk that compile together: mostly all of them.
#[derive(Debug)]
struct Part {
    first: usize,
    /// `None` for a single one that does not compile. It counts as matched.
    set: Option<GlobSet>,
}

impl Chunk {
    const MOST: usize = 128;

    fn parts(&self) -> &[Part] {
        self.parts.get_or_init(|| {
            let mut parts = Vec::new();
            compile_parts(&self.patterns, 0, &mut parts);
            parts
        })
    }
}

/// Compiles patterns together, or where they are too complex for that, each half by itself.
fn compile_parts(patterns: &[Arc<str>], first: usize, parts: &mut Vec<Part>) {
    let set = compile(patterns).ok();
    if set.is_some() || patterns.len() == 1 {
        parts.push(Part { first, set });
        return;
    }
    let (left, right) = patterns.split_at(patterns.len() / 2);
    compile_parts(left, first, parts);
    compile_parts(right, first + left.len(), parts);
}

impl Matcher {
    /// Whether each of these is an activation that the evidence does not meet.
    pub(crate) fn unmet<'a>(
        this: &mut Arc<Self>,
        activations: impl Iterator<Item = Option<&'a Arc<Activation>>> + Clone,
        evidence: &Evidence,
    ) -> Vec<bool> {
        let matched = match evidence {
            // Without knowing the files, to wake is the safe answer: a task that sleeps lets the agent finish.
            Evidence::Incomplete => return activations.map(|_| false).collect(),
            Evidence::Files(files) => {
                let patterns = activations.clone().flatten().flat_map(|a| &a.patterns);
                Matcher::matched(this, patterns, files)
            }
        };
        // Any of its patterns is enough.
        let is_unmet = |activation: &Arc<Activation>| {
            let mut patterns = activation.patterns.iter();
            !patterns.any(|pattern| matched.contains(pattern))
        };
        activations.map(|a| a.is_some_and(is_unmet)).collect()
    }

    /// Those of the patterns that match any of the files.
    fn matched<'p>(
        this: &mut Arc<Self>,
        patterns: impl Iterator<Item = &'p Arc<str>>,
        files: &BTreeSet<Arc<str>>,
    ) -> HashSet<Arc<str>> {
        let mut missing: HashSet<&Arc<str>> = patterns.collect();
        let mut matched = HashSet::new();
        // Before anything is compiled: most lists have no evidence for most of their life.
        if missing.is_empty() || files.is_empty() {
            return matched;
        }
        Matcher::provide(this, &missing);
        let mut open: HashMap<usize, usize> = HashMap::new();
        // How many patterns of each chunk are still wanted, so that a chunk is dropped when it has nothing more to say.
        for &pattern in &missing {
            *open.entry(this.places[pattern]).or_default() += 1;
        }
        let mut open: Vec<(&Chunk, usize)> = (open.into_iter())
            .map(|(place, count)| (&*this.chunks[place], count))
            .collect();
        let mut hits = Vec::new();
        let has_names = open.iter().any(|(chunk, _)| chunk.has_names);
        for (path, is_folder) in with_folders(files, has_names) {
            // Made once for all sets: it finds the name and the extension.
            let candidate = Candidate::new(path);
            for (chunk, count) in
                (open.iter_mut()).filter(|(chunk, _)| chunk.has_names || !is_folder)
            {
                for part in chunk.parts() {
                    match &part.set {
                        Some(set) => set.matches_candidate_into(&candidate, &mut hits),
                        None => hits = vec![0],
                    }
                    for hit in &hits {
                        let pattern = &chunk.patterns[part.first + hit];
                        if (!is_folder || is_name(pattern)) && missing.remove(pattern) {
                            matched.insert(pattern.clone());
                            *count -= 1;
                        }
                    }
                }
            }
            // A chunk whose patterns have all matched is not asked again: the cost is that of the files until then.
            open.retain(|&(_, count)| count > 0);
            if open.is_empty() {
                break;
            }
        }
        matched
    }

    /// Makes sure that the patterns are there, and that not much else is.
    fn provide(this: &mut Arc<Self>, patterns: &HashSet<&Arc<str>>) {
        // Twice what is asked for may stay, so that a list that goes back and forth does not compile each time; more
        // would grow with every pattern that ever was.
        if this.places.len() > 2 * patterns.len() + Chunk::MOST {
            *this = Arc::default();
        }
        let mut new: Vec<Arc<str>> = (patterns.iter())
            .filter(|pattern| !this.places.contains_key(**pattern))
            .map(|&pattern| pattern.clone())
            .collect();
        if new.is_empty() {
            return;
        }
        let this = Arc::make_mut(this);
        // The last chunk is filled up before another is begun; a chunk compiles anew as a whole, so only the last does.
        if let Some(last) = this.chunks.pop_if(|last| last.patterns.len() < Chunk::MOST) {
            new.splice(..0, last.patterns.iter().cloned());
        }
        for patterns in new.chunks(Chunk::MOST) {
            for pattern in patterns {
                this.places.insert(pattern.clone(), this.chunks.len());
            }
            this.chunks.push(Arc::new(Chunk {
                has_names: patterns.iter().any(|pattern| is_name(pattern)),
                patterns: patterns.to_vec(),
                parts: OnceLock::new(),
            }));
        }
    }
}

/// The files, each after the folders, if they are wanted, that it is the first to be in, and whether it is a folder.
fn with_folders(files: &BTreeSet<Arc<str>>, has_names: bool) -> impl Iterator<Item = (&str, bool)> {
    let mut before = "";
    files.iter().flat_map(move |file| {
        // In this order, the files of a folder stand together: what the last one shares was told with it.
        let shared = match has_names {
            true => (file.bytes().zip(before.bytes()))
                .take_while(|(a, b)| a == b)
                .count(),
            false => file.len(),
        };
        before = file;
        let slashes = (shared..file.len()).filter(|&at| file.as_bytes()[at] == b'/');
        (slashes.map(|at| (&file[..at], true))).chain([(&**file, false)])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn patterns(names: std::ops::Range<usize>) -> Vec<Arc<str>> {
        names.map(|n| format!("{n}.rs").into()).collect()
    }

    fn matched(matcher: &mut Arc<Matcher>, patterns: &[Arc<str>], files: &[&str]) -> usize {
        let files = files.iter().map(|&file| file.into()).collect();
        Matcher::matched(matcher, patterns.iter(), &files).len()
    }

    #[test]
    fn the_cache_is_kept_and_grows_by_whole_chunks() {
        let mut matcher = Arc::default();
        assert_eq!(matched(&mut matcher, &patterns(0..300), &[]), 0);
        assert!(matcher.chunks.is_empty(), "no file needs no pattern");
        for n in 1..=300 {
            let filled = matcher.chunks.first().cloned();
            assert_eq!(
                matched(&mut matcher, &patterns(0..n), &["0.rs", "299.rs"]),
                1 + n / 300
            );
            if let Some(chunk) = filled.filter(|chunk| chunk.patterns.len() == Chunk::MOST) {
                assert!(Arc::ptr_eq(&chunk, &matcher.chunks[0]), "compiled once");
            }
        }
        let sizes: Vec<usize> = (matcher.chunks.iter())
            .map(|chunk| chunk.patterns.len())
            .collect();
        assert_eq!(sizes, [128, 128, 44]);
        assert_eq!(matched(&mut matcher, &[], &["0.rs"]), 0);
        assert_eq!(matcher.places.len(), 300, "none asked for, none forgotten");
    }

    #[test]
    fn the_cache_forgets_what_nobody_asks_for() {
        let mut matcher = Arc::default();
        matched(&mut matcher, &patterns(0..138), &["x"]);
        matched(&mut matcher, &patterns(0..5), &["x"]);
        assert_eq!(matcher.places.len(), 138, "2 * 5 + 128 are kept");
        matched(&mut matcher, &patterns(0..4), &["x"]);
        assert_eq!(matcher.places.len(), 4, "2 * 4 + 128 were exceeded");
        for round in 0..50 {
            matched(&mut matcher, &patterns(round * 10..round * 10 + 10), &["x"]);
            assert!(matcher.places.len() <= 2 * 10 + Chunk::MOST + 10);
        }
    }

    #[test]
    fn patterns_that_do_not_compile_together_are_halved() {
        let bad: Arc<str> = "[".into();
        for at in 0..7 {
            let mut some = patterns(0..6);
            some.insert(at, bad.clone());
            let files: &[_] = &["3.rs"];
            assert_eq!(matched(&mut Arc::default(), &some, files), 2, "3.rs and [");
            let chunk = Chunk {
                patterns: some,
                ..Chunk::default()
            };
            let alone = |part: &&Part| part.set.is_none();
            let parts: Vec<&Part> = chunk.parts().iter().filter(alone).collect();
            assert_eq!(parts.len(), 1);
            assert_eq!(parts[0].first, at);
            assert!(chunk.parts().len() <= 4);
        }
        let chunk = Chunk {
            patterns: patterns(0..7),
            ..Chunk::default()
        };
        assert_eq!(chunk.parts().len(), 1);
    }
}
