//! From the descriptions of the tools to the end of the loop.
//!
//! # Describe the tools
//!
//! [`Toolset::specs`](crate::tools::Toolset::specs) gives a description of each tool, in a style of JSON Schema that all
//! providers accept. [`ToolSpec`](crate::tools::ToolSpec) writes itself in the shapes of OpenAI, Anthropic and MCP:
//!
//! ```
//! use agent_tasklist::tools::Toolset;
//!
//! let specs = Toolset::full().specs();
//! assert_eq!(specs[0].openai()["function"]["name"], "task_write");
//! assert!(specs[0].anthropic()["input_schema"].is_object());
//! assert_eq!(specs[0].mcp()["annotations"]["destructiveHint"], true);
//! ```
//!
//! OpenAI's strict mode wants every property to be required: [`strict`](crate::tools::ToolSpec::strict). Some providers
//! refuse the word `additionalProperties`:
//! [`without_additional_properties`](crate::tools::ToolSpec::without_additional_properties).
//!
//! | set | for |
//! | --- | --- |
//! | [`Toolset::mastra`](crate::tools::Toolset::mastra) | a model or a program that knows Mastra's task tools; four tools, short descriptions |
//! | [`Toolset::murmur`](crate::tools::Toolset::murmur) | one that knows Murmur's |
//! | [`Toolset::full`](crate::tools::Toolset::full) | everything: dependencies, owners, claims, tasks that sleep |
//!
//! # Carry out calls
//!
//! `call` takes the arguments as a [`Value`](serde_json::Value), or as the text that OpenAI's protocol sends. It never
//! fails: whatever is wrong, a text that is no JSON included, is said in the reply, which goes back to the model as the
//! result of its call. Do not parse the arguments first and give up where that fails; the reply tells the model what to
//! correct.
//!
//! ```
//! use agent_tasklist::TaskList;
//! use agent_tasklist::tools::{RefusalKind, Toolset};
//!
//! let tools = Toolset::full();
//! let mut list = TaskList::new();
//! let reply = tools.call(&mut list, "task_create", r#"{"content": "Fix the bug"#);
//! assert_eq!(reply.refusal.unwrap().kind, RefusalKind::InvalidArguments);
//! let reply = tools.call(&mut list, "task_create", r#"{"content": "Fix the bug"}"#);
//! assert!(!reply.is_error());
//! ```
//!
//! Of a [`Reply`](crate::tools::Reply), the model gets `text`, in the role of a tool result, marked as an error where your
//! protocol has a mark for that and [`is_error`](crate::tools::Reply::is_error) says so. `data` is the same as JSON, for
//! protocols with structured results and for a user interface. `changes` says what happened: save the list when they
//! are not empty. `refusal` has the kind of a refusal, to map to a status of your own.
//!
//! # What a model must not destroy
//!
//! Small models that are asked to add a task send a list of that task alone, and a write replaces the list. The reply names
//! what it removed and how to keep it, which most models act on. Where that is not enough, let the policy keep unfinished
//! tasks, or refuse the write: [`Dropped`](crate::policy::Dropped). `merge: true` adds and changes, and removes nothing:
//!
//! ```
//! use agent_tasklist::TaskList;
//! use agent_tasklist::tools::Toolset;
//!
//! let (tools, mut list) = (Toolset::full(), TaskList::new());
//! tools.call(&mut list, "task_write", r#"{"tasks": ["Fix the bug"]}"#);
//! let added = tools.call(&mut list, "task_write", r#"{"merge": true, "tasks": ["Run the tests"]}"#);
//! assert!(added.changes.facts.removed.is_empty());
//! assert_eq!(list.len(), 2);
//!
//! let reply = tools.call(&mut list, "task_write", r#"{"tasks": ["Ship"]}"#);
//! assert!(reply.text.contains("Removed, since this list does not have them: task_fix_the_bug \"Fix the bug\""));
//! ```
//!
//! Both are in the retired tasks still, from where [`TaskList::restore`](crate::TaskList::restore) brings them back. What
//! else is understood of a call that is not quite right, and what never is, is in [`tools`](crate::tools).
//!
//! # End the loop at the finish gate
//!
//! A model that stops calling tools believes that it is done. Ask the list before you believe it too, and where work is
//! open, say so in a user message and go on. Bound the number of times: a model that cannot go on must be able to stop.
//!
//! ```
//! use agent_tasklist::render::reminder;
//! use agent_tasklist::tools::Toolset;
//! use agent_tasklist::TaskList;
//!
//! // What a model would answer, turn by turn: calls, or none when it believes that it is done.
//! let mut model = [
//!     vec![("task_write", r#"{"tasks": [{"id": "fix", "content": "Fix", "status": "in_progress"},
//!                                       {"id": "test", "content": "Test", "blockedBy": ["fix"]}]}"#)],
//!     vec![("task_complete", r#"{"id": "fix"}"#)],
//!     vec![], // too early
//!     vec![("task_complete", r#"{"id": "test"}"#)],
//!     vec![],
//! ]
//! .into_iter();
//!
//! let tools = Toolset::full();
//! let mut list = TaskList::new();
//! let mut messages = vec!["user: Fix the bug, and see that it stays fixed.".to_owned()];
//! let mut held = 0;
//! while let Some(calls) = model.next() {
//!     for (name, args) in &calls {
//!         messages.push(format!("tool: {}", tools.call(&mut list, name, *args).text));
//!     }
//!     if !calls.is_empty() {
//!         continue;
//!     }
//!     if list.can_finish() || held == 3 {
//!         break;
//!     }
//!     held += 1;
//!     let open = reminder(&list, 0, None).unwrap_or_default();
//!     messages.push(format!("user: Tasks are still open. Go on with them, or delete what is not needed.\n{open}"));
//! }
//! assert_eq!(held, 1);
//! assert!(list.can_finish());
//! assert!(messages[3].contains("[ready] {id: test} Test"));
//! ```
//!
//! Over a store, [`ListTools::can_finish`](crate::tools::ListTools::can_finish) asks the stored list. A store that fails is
//! an error there, never a yes. The model can ask for itself with `task_check`.
