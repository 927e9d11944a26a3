//! The tools of a task list, for a model to call.
//!
//! A [`Toolset`] describes its tools and carries out what the model calls, whatever it sends:
//!
//! ```
//! use agent_tasklist::TaskList;
//! use agent_tasklist::tools::Toolset;
//!
//! let (tools, mut list) = (Toolset::mastra(), TaskList::new());
//! let specs = tools.specs(); // to be listed in the request to the model
//! assert_eq!(specs[0].anthropic()["name"], "task_write");
//!
//! // A call as a provider sends it.
//! let args = r#"{"tasks": [{"content": "Fix the bug", "status": "in_progress"}]}"#;
//! let reply = tools.call(&mut list, "task_write", args);
//! assert!(!reply.is_error());
//! assert!(reply.text.starts_with("Tasks updated: [0/1 completed]"));
//! ```
//!
//! Where the list is in a store there is [`ListTools`], and [`TaskSignals`] to show the model its list too.

mod catalogue;
mod interfaces;
mod notes;
mod params;
mod read;
mod refusal;
mod repair;
mod reply;
mod run;
mod schema;
mod shared;
mod signals;
mod spec;
mod toolset;
mod words;

pub use catalogue::Hints;
pub use read::Arguments;
pub use refusal::{Refusal, RefusalKind};
pub use reply::{Detail, Reply, ReplyData};
pub use shared::{Access, ListTools};
pub use signals::TaskSignals;
pub use spec::ToolSpec;
pub use toolset::{Strictness, Toolset};
