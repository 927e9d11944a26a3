//! What a model is shown of its list beside the replies, when, and in which role.
//!
//! # Why show it at all
//!
//! The messages in which a model wrote its list are dropped or summarised sooner or later, and what other agents and
//! people change it never sees. A list that it does not see it does not keep to. But each message costs tokens, so show
//! what is news, and nothing else.
//!
//! # The signal
//!
//! [`TaskSignals`](crate::tools::TaskSignals) has the tools and the signal in one. Before each request, its `next` says
//! what to send: the whole list (nothing was shown yet, or what was shown is no longer in the window), what changed
//! since, or nothing.
//!
//! - **Role.** Send it as a user message, or in the role that your provider has for messages of the host (`developer`,
//!   `system` in the middle of a conversation), not as the model's own. It is marked by its tags.
//! - **Place.** At the end of the messages, so that the provider's prompt cache goes on working. Never between a tool
//!   call and its result: protocols refuse that. Where calls are made in parallel, after the last result.
//! - **Not twice.** The reply to a call tells what the call changed. Make calls through
//!   [`TaskSignals::call`](crate::tools::TaskSignals::call), and the next signal leaves that out, and tells only
//!   what others did.
//!
//! ```
//! use agent_tasklist::TaskDraft;
//! use agent_tasklist::store::{ListKey, MemoryStore, block_on, update};
//! use agent_tasklist::tools::{ListTools, TaskSignals, Toolset};
//!
//! # block_on(async {
//! let store = MemoryStore::new();
//! let key = ListKey::new("thread-1").unwrap();
//! let tools = Toolset::full();
//! let mut agent = TaskSignals::new(ListTools::new(store.clone(), key.clone(), tools));
//!
//! agent.call("task_create", r#"{"id": "fix", "content": "Fix the bug"}"#).await;
//! let first = agent.next(false).await.unwrap().unwrap();
//! assert!(first.text.starts_with("<current-task-list count=\"1\">"));
//!
//! // What the model does itself is not told again; what a person adds is.
//! agent.call("task_complete", r#"{"id": "fix"}"#).await;
//! assert!(agent.next(true).await.unwrap().is_none());
//! let policy = Default::default();
//! update(&store, &key, &policy, |list| list.create(TaskDraft::new("Write to the customer"))).await.unwrap();
//! let signal = agent.next(true).await.unwrap().unwrap();
//! assert_eq!(signal.text, "\
//! <task-list-update changes=\"1\">
//!   + {id: task_write_to_the_customer} [pending] Write to the customer
//! </task-list-update>");
//! # });
//! ```
//!
//! # The reminder
//!
//! [`reminder`](crate::render::reminder) names what is open, at the tail of a request, and belongs to that request alone: do
//! not keep it in the history. It is for the moment when the model wants to stop although work is open, and for models that
//! lose the thread; not for every turn.
//!
//! # People
//!
//! [`markdown`](crate::render::markdown) is a checklist that a person can edit and give back
//! ([`from_markdown`](crate::render::from_markdown)), [`mermaid`](crate::render::mermaid) and [`dot`](crate::render::dot) draw
//! the dependencies, [`progress`](crate::render::progress) is one line. All of them take a budget of characters.
