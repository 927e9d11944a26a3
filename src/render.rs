//! What a model and people see of a list: a signal for each request, a reminder, a checklist,
//! diagrams and a line of progress.
//!
//! ```
//! use agent_tasklist::render::{markdown, progress, reminder};
//! use agent_tasklist::{TaskDraft, TaskList};
//!
//! let mut list = TaskList::new();
//! list.create(TaskDraft::new("Build").id("build"))?;
//! list.create(TaskDraft::new("Ship").id("ship").blocked_by(["build"]))?;
//! assert_eq!(markdown(&list, None), "- [ ] Build {#build}\n- [ ] Ship {#ship} {after #build}\n");
//! assert_eq!(progress(&list, None), "0/2 done · 1 ready · 1 blocked");
//! assert!(reminder(&list, 0, None).unwrap().contains("[blocked] {id: ship} Ship (blocked by build)"));
//! # Ok::<(), agent_tasklist::Error>(())
//! ```
//!
//! All are plain functions of the list. Texts of tasks show on one line whatever they hold, and are escaped
//! in the way of the format, so that no text can pass for a line, a tag, an id or a fence of its own.
//!
//! | what | for whom | budget |
//! | --- | --- | --- |
//! | [`Projector`] | a model: the list, then what changed | none |
//! | [`reminder`] | a model: what is open, at the tail of a request | yes |
//! | [`markdown`], [`from_markdown`] | people: a checklist to read and to edit | yes |
//! | [`mermaid`], [`dot`] | people: the graph of dependencies | yes |
//! | [`progress`] | people: one line | yes |
//!
//! A budget is a number of characters (Unicode scalar values) that the rendering stays within, or `None`.
//! What does not fit is left out whole, never cut: what is in progress is kept first, then what is ready,
//! blocked, dormant and done, each in list order, and a task that does not fit makes room for later ones that do.
//! A note says how many are left out, and counts too; where not even that fits, the rendering is
//! empty. The same list and budget give the same text.
//!
//! Files, from low to high: `budget`, `words`, then one for each format. They know lists and the number of a stored
//! version, and nothing of tools.

mod budget;
mod diagram;
mod markdown;
mod signal;
mod words;

pub use diagram::{dot, mermaid};
pub use markdown::{Checklist, Unread, from_markdown, markdown};
pub(crate) use markdown::{Item, item};
pub use signal::{Mode, Projector, Signal, reminder, reminder_for};
pub use words::progress;
pub(crate) use words::suffix;
