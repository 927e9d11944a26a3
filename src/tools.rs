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
//! # How a call is read
//!
//! Models do not always send what a schema asks for, and what they send instead is mostly clear. A lenient toolset
//! ([`Strictness::Lenient`], which is the default) reads what can mean one thing, says in a note what it understood,
//! and refuses the rest whole, with the place of each problem and an example of right arguments.
//!
//! | what is sent | what is understood |
//! | --- | --- |
//! | `{"title": "Fix the bug"}`, `{"depends_on": ["a"]}` | other names and spellings of what the tool takes |
//! | `"[{\"content\": …}]"`, `{"input": {"tasks": […]}}` | JSON in a text, and a wrapper around the arguments |
//! | `{"todos": […]}`, `{"plan": […], "explanation": "…"}` | the whole list, by another name of a whole list |
//! | `"- [x] Read\n- [ ] Fix"`, `["1. Read", "[-] Fix"]` | a checklist, as the list or as an item of it |
//! | `"status": "done"`, `"state": "completed"`, `"status": "[x]"`, `"isDone": true` | a status |
//! | `"id": 5`, `"id": 5.0` | the id `"5"` |
//! | `"blockedBy": ["Set up the schema"]` | the one task of the resulting list that has this text |
//! | `"subtasks": […]` in a task of `task_write` | tasks after it, for which it waits |
//! | `"owner": "none"`, `"description": "N/A"` | not given |
//! | `"filesModified": ["**/*.ts,**/*.tsx"]` | two patterns |
//!
//! # A call never does more than it says
//!
//! `task_write` replaces the list, and so it is the one tool that can destroy work by being understood too well:
//!
//! - A list under `add`, `updates`, `remove`, `ids` or any other name that is not one of the whole list is not taken
//!   for it. The refusal names the tool of the set that does what was meant.
//! - An argument that is not known refuses the call where it is `true`, a number, an object or an array, and so does
//!   a word under `mode`, `op`, `operation` or `action` that is none for replacing. A text beside the list, a reason or
//!   an explanation, is ignored and noted.
//! - `merge: true` turns the meaning round, and is understood so: the tasks are changed or added, and everything else
//!   stays where it is, finished tasks included. An item stands for the task with its id, else for the one task with
//!   its text; of that task it changes what it gives. `append: true` and `"mode": "merge"` say the same.
//! - A status that is given and not understood is refused, never taken for pending. Where two members of a task say
//!   different things of its status, none is picked. `"done": false` agrees with every status but completed.
//! - A box with a mark that nobody knows (`[/]`, `[!]`) is refused, and never becomes a part of a text.
//! - What a write left out and was not finished is named in the reply, with what to do to keep it.
//!
//! ```
//! use agent_tasklist::TaskList;
//! use agent_tasklist::tools::Toolset;
//! use serde_json::json;
//!
//! let (tools, mut list) = (Toolset::full(), TaskList::new());
//! tools.call(&mut list, "task_write", &json!({"tasks": "- [x] Read the code\n- [ ] Fix the bug"}));
//! assert_eq!(list.len(), 2);
//!
//! // A change is not the whole list.
//! let update = json!({"updates": [{"content": "Fix the bug", "status": "completed"}]});
//! let reply = tools.call(&mut list, "task_write", &update);
//! assert!(reply.is_error());
//! assert!(reply.text.contains("To change a task there is task_update"));
//!
//! // But it can be merged in.
//! let merge = json!({"merge": true, "tasks": [
//!     {"content": "Fix the bug", "done": true},
//!     {"content": "Run the tests", "blockedBy": ["Fix the bug"]},
//! ]});
//! let reply = tools.call(&mut list, "task_write", &merge);
//! assert!(reply.text.starts_with("Tasks updated: [2/3 completed]"));
//! assert!(reply.text.contains("Note: tasks[0].done was read as status completed."));
//! assert!(reply.text.contains("\"Fix the bug\" was read as task_fix_the_bug"));
//! ```
//!
//! A strict toolset ([`Strictness::Strict`]) takes what its schemas say, `merge` where they have it, and nothing of
//! the rest.
//!
//! Where the list is in a store there is [`ListTools`], and [`TaskSignals`] to show the model its list too.

mod catalogue;
mod ends;
mod interfaces;
mod merge;
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
