//! A task, and what a call gives of one: drafts for new and rewritten tasks, patches for changes.
//!
//! Here is what becomes of each field when something is given over it, and how large a task may be. What follows from
//! other tasks (states, yielding, owners' rights) is the list's. Tested by `tests/state_machine.rs`, whose model has
//! rules of its own for each field, and by `tests/limits.rs`.

use crate::activation::Activation;
use crate::error::Error;
use crate::id::TaskId;
use crate::limit::{Exceeded, Limit, Limits};
use crate::owner;
use crate::status::Status;
use crate::text;
use serde::Serialize;
use serde_json::{Map, Value};
use std::io;
use std::sync::Arc;

/// A task of a list, to read. It is changed through the list only.
///
/// Its dependencies are the list's to tell, since each has two ends:
/// [`TaskList::blocked_by`](crate::TaskList::blocked_by), [`TaskList::blocks`](crate::TaskList::blocks), and
/// [`TaskList::explain`](crate::TaskList::explain) for those that it still waits for. So is its
/// [`state`](crate::TaskList::state).
///
/// Cloning copies pointers, not text, and comparing looks at pointers first. It serialises with the fields that it
/// has, under these names.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Task {
    /// Unique in the list, among live and retired tasks.
    pub id: TaskId,
    /// What to do, a short imperative: `Run the tests`. Never blank.
    pub subject: Arc<str>,
    /// More about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<Arc<str>>,
    /// The subject in the present continuous, for showing while it is in
    /// progress: `Running the tests`. See [`Task::active_label`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub active_form: Option<Arc<str>>,
    /// Who works on it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner: Option<Arc<str>>,
    /// What the task sleeps until.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub activation: Option<Arc<Activation>>,
    /// Whatever the host keeps with the task; `None` rather than an empty object.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Arc<Map<String, Value>>>,
    /// How far it is, as it was last set.
    pub status: Status,
    /// Whether it ever was in progress or completed. If so it is never dormant again,
    /// whatever becomes of its activation.
    pub started: bool,
}

impl PartialEq for Task {
    fn eq(&self, other: &Self) -> bool {
        // An `Arc<str>` compares all its text even with itself.
        let same_text = |((_, a), (_, b)): (Text<'_>, Text<'_>)| match (a, b) {
            (Some(a), Some(b)) => Arc::ptr_eq(a, b) || a == b,
            (a, b) => a.is_none() && b.is_none(),
        };
        self.status == other.status
            && self.started == other.started
            && self.id == other.id
            && self.texts().into_iter().zip(other.texts()).all(same_text)
            && self.activation == other.activation
            && self.metadata == other.metadata
    }
}

impl Eq for Task {}

impl Task {
    /// The active form, or the subject where there is none.
    pub fn active_label(&self) -> &str {
        self.active_form.as_deref().unwrap_or(&self.subject)
    }

    fn texts(&self) -> Texts<'_> {
        [
            (Limit::SubjectBytes, Some(&self.subject)),
            (Limit::ActiveFormBytes, self.active_form.as_ref()),
            (Limit::DescriptionBytes, self.description.as_ref()),
            (Limit::OwnerBytes, self.owner.as_ref()),
        ]
    }

    /// Refuses what is larger than the limits allow. What it was before may stay, so that a host which lowers its
    /// limits does not lock the tasks that are there.
    pub(crate) fn check(&self, before: Option<&Task>, limits: &Limits) -> Result<(), Exceeded> {
        let texts_before = before.map(Task::texts);
        for (i, text) in self.texts().into_iter().enumerate() {
            if texts_before.is_none_or(|before| before[i] != text) {
                check_text(text, limits)?;
            }
        }
        let before = before.map(|before| (&before.metadata, &before.activation));
        if let Some(metadata) = &self.metadata
            && before.is_none_or(|(before, _)| *before != self.metadata)
        {
            limits.check(Limit::MetadataBytes, json_bytes(&**metadata))?;
        }
        match &self.activation {
            Some(activation) if before.is_none_or(|(_, before)| *before != self.activation) => {
                activation.check(limits)
            }
            _ => Ok(()),
        }
    }

    pub(crate) fn with_status(&self, status: Status) -> Self {
        Task {
            status,
            started: self.started || status.is_started(),
            ..self.clone()
        }
    }
}

/// A text of a task with the limit that holds for it.
type Text<'a> = (Limit, Option<&'a Arc<str>>);

/// Subject, active form, description and owner.
type Texts<'a> = [Text<'a>; 4];

fn check_text((limit, text): Text<'_>, limits: &Limits) -> Result<(), Exceeded> {
    text.map_or(Ok(()), |text| limits.check(limit, text.len()))
}

/// A field that a write or an update may leave out, clear or set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Given<T> {
    #[default]
    Kept,
    Cleared,
    Set(T),
}

impl<T> Given<T> {
    fn as_set(&self) -> Option<&T> {
        match self {
            Given::Set(given) => Some(given),
            Given::Kept | Given::Cleared => None,
        }
    }
}

impl<T: Clone> Given<T> {
    /// What a draft says that is to say everything.
    pub(crate) fn all_of(field: &Option<T>) -> Self {
        field.clone().map_or(Given::Cleared, Given::Set)
    }

    fn over(&self, old: Option<T>) -> Option<T> {
        match self {
            Given::Kept => old,
            Given::Cleared => None,
            Given::Set(new) => Some(new.clone()),
        }
    }
}

impl Given<Arc<str>> {
    fn set_text(&mut self, given: &str) {
        if let Some(given) = text::given(given) {
            *self = Given::Set(given);
        }
    }
}

/// An optional field of a task, for `clear`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Field {
    /// The description.
    Description,
    /// The active form.
    ActiveForm,
    /// The owner.
    Owner,
    /// The activation.
    Activation,
    /// The metadata.
    Metadata,
    /// All dependencies on other tasks.
    BlockedBy,
    /// All dependencies of other tasks on this one.
    Blocks,
}

/// What a draft and a patch have in common.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Fields {
    pub(crate) subject: Option<Arc<str>>,
    pub(crate) status: Option<Status>,
    pub(crate) description: Given<Arc<str>>,
    pub(crate) active_form: Given<Arc<str>>,
    pub(crate) owner: Given<Arc<str>>,
    pub(crate) activation: Given<Arc<Activation>>,
    pub(crate) metadata: Given<Arc<Map<String, Value>>>,
    /// Goes into the metadata, key by key.
    pub(crate) more_metadata: Option<Arc<Map<String, Value>>>,
    pub(crate) blocked_by: Option<Vec<Arc<str>>>,
    pub(crate) blocks: Option<Vec<Arc<str>>>,
}

impl Fields {
    fn clear(&mut self, field: Field) {
        match field {
            Field::Description => self.description = Given::Cleared,
            Field::ActiveForm => self.active_form = Given::Cleared,
            Field::Owner => self.owner = Given::Cleared,
            Field::Activation => self.activation = Given::Cleared,
            Field::Metadata => self.metadata = Given::Cleared,
            Field::BlockedBy => self.blocked_by = Some(Vec::new()),
            Field::Blocks => self.blocks = Some(Vec::new()),
        }
    }

    pub(crate) fn set_subject(&mut self, subject: &str) {
        if let Some(subject) = text::given(subject) {
            self.subject = Some(subject);
        }
    }

    pub(crate) fn set_description(&mut self, text: &str) {
        self.description.set_text(text);
    }

    pub(crate) fn set_active_form(&mut self, text: &str) {
        self.active_form.set_text(text);
    }

    pub(crate) fn set_owner(&mut self, name: &str) {
        if let Some(name) = owner::given(name) {
            self.owner = Given::Set(name);
        }
    }

    pub(crate) fn set_activation(&mut self, activation: Activation) {
        self.activation = Given::Set(Arc::new(activation));
    }

    pub(crate) fn set_blocked_by(&mut self, blockers: impl IntoIterator<Item: AsRef<str>>) {
        self.blocked_by = Some(ids(blockers));
    }

    pub(crate) fn set_blocks(&mut self, blocked: impl IntoIterator<Item: AsRef<str>>) {
        self.blocks = Some(ids(blocked));
    }

    /// Kept apart from what replaces the metadata: the order of the two must not matter.
    pub(crate) fn merge_metadata(&mut self, members: Map<String, Value>) {
        if !members.is_empty() {
            let more = self.more_metadata.get_or_insert_default();
            Arc::make_mut(more).extend(members);
        }
    }

    fn set_metadata(&mut self, metadata: Map<String, Value>) {
        self.metadata = if metadata.is_empty() {
            Given::Cleared
        } else {
            Given::Set(Arc::new(metadata))
        };
    }

    /// Refuses what no task may hold, as far as it can be told from what is given alone.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let texts: Texts<'_> = [
            (Limit::SubjectBytes, self.subject.as_ref()),
            (Limit::ActiveFormBytes, self.active_form.as_set()),
            (Limit::DescriptionBytes, self.description.as_set()),
            (Limit::OwnerBytes, self.owner.as_set()),
        ];
        for text in texts {
            check_text(text, &Limits::HIGHEST)?;
        }
        let metadata = self.metadata.as_set().into_iter();
        for metadata in metadata.chain(&self.more_metadata) {
            check_depth(metadata)?;
        }
        Ok(())
    }

    fn metadata_over(
        &self,
        old: Option<Arc<Map<String, Value>>>,
    ) -> Option<Arc<Map<String, Value>>> {
        match (self.metadata.over(old), &self.more_metadata) {
            (metadata, None) => metadata,
            (None, Some(more)) => Some(more.clone()),
            (Some(metadata), Some(more)) => {
                // The old map may be shared with the list before, with replies and with other clones.
                let mut merged = (*metadata).clone();
                merged.extend(more.iter().map(|(key, value)| (key.clone(), value.clone())));
                Some(Arc::new(merged))
            }
        }
    }

    /// The old task with these fields over it.
    pub(crate) fn over(&self, old: &Task) -> Task {
        // A missing status keeps the old one; it never means pending for a task that is there.
        let status = self.status.unwrap_or(old.status);
        Task {
            id: old.id.clone(),
            subject: self.subject.as_ref().unwrap_or(&old.subject).clone(),
            description: self.description.over(old.description.clone()),
            active_form: self.active_form.over(old.active_form.clone()),
            owner: self.owner.over(old.owner.clone()),
            activation: self.activation.over(old.activation.clone()),
            metadata: self.metadata_over(old.metadata.clone()),
            status,
            started: old.started || status.is_started(),
        }
    }

    /// A task of these fields alone, pending unless they say otherwise.
    pub(crate) fn alone(&self, id: TaskId, subject: Arc<str>) -> Task {
        self.over(&Task {
            id,
            subject,
            description: None,
            active_form: None,
            owner: None,
            activation: None,
            metadata: None,
            status: Status::Pending,
            started: false,
        })
    }
}

/// Refuses metadata that nests so deep that the stored list could not be read back.
pub(crate) fn check_depth(metadata: &Map<String, Value>) -> Result<(), Exceeded> {
    // Level by level, not by recursion: a host can hand in a value that nests deeper than the stack.
    let mut level: Vec<&Value> = metadata.values().collect();
    let mut depth = 1;
    while !level.is_empty() {
        Limits::HIGHEST.check(Limit::MetadataDepth, depth)?;
        let mut next = Vec::new();
        for value in level {
            match value {
                Value::Array(items) => next.extend(items),
                Value::Object(members) => next.extend(members.values()),
                _ => {}
            }
        }
        level = next;
        depth += 1;
    }
    Ok(())
}

/// How long a value is as JSON.
fn json_bytes(value: &impl Serialize) -> usize {
    struct Count(usize);
    impl io::Write for Count {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut count = Count(0);
    match serde_json::to_writer(&mut count, value) {
        Ok(()) => count.0,
        // String keys and a writer that takes everything: it cannot fail, and would be too large.
        Err(_) => usize::MAX,
    }
}

fn ids<I>(ids: I) -> Vec<Arc<str>>
where
    I: IntoIterator,
    I::Item: AsRef<str>,
{
    ids.into_iter()
        .filter_map(|id| text::given(id.as_ref().trim()))
        .collect()
}

macro_rules! common_setters {
    () => {
        /// Sets the description. Blank counts as not given.
        #[must_use]
        pub fn description(mut self, text: impl AsRef<str>) -> Self {
            self.fields.set_description(text.as_ref());
            self
        }

        /// Sets the present continuous form of the subject. Blank counts as not given.
        #[must_use]
        pub fn active_form(mut self, text: impl AsRef<str>) -> Self {
            self.fields.set_active_form(text.as_ref());
            self
        }

        /// Sets who works on the task. Trimmed; blank counts as not given.
        #[must_use]
        pub fn owner(mut self, name: impl AsRef<str>) -> Self {
            self.fields.set_owner(name.as_ref());
            self
        }

        /// Sets what the task sleeps until.
        #[must_use]
        pub fn activation(mut self, activation: Activation) -> Self {
            self.fields.set_activation(activation);
            self
        }

        /// Sets the metadata as a whole; an empty map clears it. It is limited to 64 KiB of JSON
        /// and 100 levels of nesting.
        #[must_use]
        pub fn metadata(mut self, metadata: Map<String, Value>) -> Self {
            self.fields.set_metadata(metadata);
            self
        }

        /// Puts members into the metadata, key by key, and leaves its others as they are. Several
        /// calls add up.
        #[must_use]
        pub fn merge_metadata(mut self, members: Map<String, Value>) -> Self {
            self.fields.merge_metadata(members);
            self
        }

        /// Sets the status.
        #[must_use]
        pub fn status(mut self, status: Status) -> Self {
            self.fields.status = Some(status);
            self
        }

        /// Sets the tasks that this one waits for, as a whole; none at all clears
        /// them. Blank ids are skipped.
        #[must_use]
        pub fn blocked_by<I>(mut self, blockers: I) -> Self
        where
            I: IntoIterator,
            I::Item: AsRef<str>,
        {
            self.fields.set_blocked_by(blockers);
            self
        }

        /// Sets the tasks that wait for this one, as a whole; none at all clears
        /// them. Blank ids are skipped.
        #[must_use]
        pub fn blocks<I>(mut self, blocked: I) -> Self
        where
            I: IntoIterator,
            I::Item: AsRef<str>,
        {
            self.fields.set_blocks(blocked);
            self
        }

        /// Clears an optional field. The last of `clear` and the field's setter holds.
        #[must_use]
        pub fn clear(mut self, field: Field) -> Self {
            self.fields.clear(field);
            self
        }
    };
}

/// A task as [`TaskList::write`](crate::TaskList::write) and
/// [`TaskList::create`](crate::TaskList::create) take it: what is left out is
/// kept where the draft stands for a task of the list, and empty where it is new.
///
/// ```
/// use agent_tasklist::TaskDraft;
///
/// let draft = TaskDraft::new("Run the tests")
///     .active_form("Running the tests")
///     .blocked_by(["write-code"]);
/// # let _ = draft;
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TaskDraft {
    pub(crate) id: Option<Arc<str>>,
    pub(crate) fields: Fields,
}

impl TaskDraft {
    /// A draft with a subject. A blank one counts as not given, as in [`TaskDraft::default`].
    pub fn new(subject: impl AsRef<str>) -> Self {
        TaskDraft {
            id: None,
            fields: Fields {
                subject: text::given(subject.as_ref()),
                ..Fields::default()
            },
        }
    }

    /// Names the task that the draft stands for, or the id that a new one is to
    /// have. Trimmed; blank counts as not given. Checked by the list.
    #[must_use]
    pub fn id(mut self, id: impl AsRef<str>) -> Self {
        self.id = text::given(id.as_ref().trim());
        self
    }

    common_setters!();
}

/// What [`TaskList::update`](crate::TaskList::update) changes of a task. What is
/// left out stays.
///
/// Dependencies can be set as a whole ([`blocked_by`](Self::blocked_by)) or one by
/// one ([`add_blocked_by`](Self::add_blocked_by),
/// [`remove_blocked_by`](Self::remove_blocked_by)), from either end. Where a call
/// does several, it sets first, then adds, then removes.
///
/// ```
/// use agent_tasklist::{Field, Status, TaskPatch};
///
/// let patch = TaskPatch::new().status(Status::InProgress).clear(Field::Description);
/// # let _ = patch;
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TaskPatch {
    pub(crate) fields: Fields,
    pub(crate) add_blocked_by: Vec<Arc<str>>,
    pub(crate) remove_blocked_by: Vec<Arc<str>>,
    pub(crate) add_blocks: Vec<Arc<str>>,
    pub(crate) remove_blocks: Vec<Arc<str>>,
}

macro_rules! edge_setters {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        #[must_use]
        pub fn $name<I>(mut self, tasks: I) -> Self
        where
            I: IntoIterator,
            I::Item: AsRef<str>,
        {
            self.$name.extend(ids(tasks));
            self
        }
    )*};
}

impl TaskPatch {
    /// A patch that changes nothing yet.
    pub fn new() -> Self {
        TaskPatch::default()
    }

    /// Whether the patch asks for nothing at all.
    pub fn is_empty(&self) -> bool {
        *self == TaskPatch::default()
    }

    /// Sets the subject. Blank counts as not given.
    #[must_use]
    pub fn subject(mut self, subject: impl AsRef<str>) -> Self {
        self.fields.set_subject(subject.as_ref());
        self
    }

    common_setters!();

    edge_setters! {
        /// Makes the task wait for these too.
        add_blocked_by
        /// Makes the task no longer wait for these.
        remove_blocked_by
        /// Makes these wait for the task too.
        add_blocks
        /// Makes these no longer wait for the task.
        remove_blocks
    }
}
