//! One list, several agents: which calls race, what a conflict means, and what a model is told.
//!
//! Everything said here of calls is tested in `tests/owners.rs` and `tests/store.rs`.
//!
//! # What is shared
//!
//! Agents that share work share one list under one [`ListKey`](crate::store::ListKey) of one
//! [`Store`](crate::store::Store). Each has its own handle, [`ListTools`](crate::tools::ListTools) for a model or
//! [`update`](crate::store::update) for a program, that says who acts. Agents with runs of their own, whose files
//! wake their own tasks, have lists of their own: a list has one run.
//!
//! ```
//! use agent_tasklist::Policy;
//! use agent_tasklist::policy::InProgress;
//! use agent_tasklist::store::{ListKey, MemoryStore, block_on};
//! use agent_tasklist::tools::{ListTools, Toolset};
//! use serde_json::json;
//!
//! let store = MemoryStore::new();
//! let policy = Policy::default().with_in_progress(InProgress::PerOwner);
//! let agent = |name: &str| {
//!     let tools = Toolset::full().with_policy(policy).acting_as(name).unwrap();
//!     ListTools::new(store.clone(), ListKey::new("release-2").unwrap(), tools)
//! };
//! block_on(agent("planner").call("task_write", &json!({"tasks": [
//!     {"id": "build", "content": "Build"},
//!     {"id": "docs", "content": "Write the docs"},
//!     {"id": "ship", "content": "Ship", "blockedBy": ["build", "docs"]},
//! ]})));
//! let claim = |name| block_on(agent(name).call("task_claim", &json!({}))).data["claimed"].clone();
//! assert_eq!(claim("jo"), "build");
//! assert_eq!(claim("al"), "docs");
//! assert_eq!(claim("li"), json!(null)); // ship is blocked
//!
//! let refused = block_on(agent("li").call("task_complete", &json!({"id": "build"})));
//! assert!(refused.text.starts_with("Task build belongs to jo, who has not finished it."));
//! ```
//!
//! # Which calls race
//!
//! All that change the list: two calls that load the same revision both want to write the next one. The
//! store lets one of them through, and the other is a [`Conflict`](crate::store::StoreError::Conflict). That is no
//! error of anybody's: the call is run again, on the list as the other left it, and decides
//! anew. So two agents that claim at the same moment get different tasks, two that create the same thing
//! get two ids, and five that complete five tasks all count.
//!
//! What is run again is the whole call, never a stored result. A call that was right on the old list may be
//! refused on the new one: the task was claimed, completed or deleted meanwhile. The model is then told
//! what is so now. Nothing is retried after a failure of the store itself
//! ([`Backend`](crate::store::StoreError::Backend)), since nobody knows whether it wrote; the model is told to look first.
//!
//! # Replacing the whole list
//!
//! `task_write` replaces what it does not know of. It is run again on a conflict like any other call, and
//! so a task that somebody created a moment ago would be left out of the new list. Three things keep
//! that from hurting: the unfinished tasks of other owners cannot be dropped, whatever the policy;
//! [`Dropped::Keep`](crate::policy::Dropped::Keep) keeps those of nobody too; and a write that gives `baseRevision`, the
//! revision of the reply that it was made from, is refused when the list has moved on, with the list as it is.
//!
//! # Who owns what
//!
//! A call that says who acts leaves the unfinished tasks of other owners as they are, and is refused with the owner's name
//! ([`OwnedByOther`](crate::Error::OwnedByOther)) where it would not. What that means for each kind of call:
//!
//! | a call of ann's | to an unfinished task of bob's |
//! | --- | --- |
//! | edits, starts, completes, deletes or leaves it out | refused |
//! | gives it a dependency, or takes one off it | refused |
//! | deletes or leaves out a task that it waits for | refused, unless that one is ann's or nobody's; then it is told as an effect |
//! | takes a finished task back to pending that it waits for | refused, since it would be held up |
//! | starts another where only one may be in progress | refused, if it is bob's that would have to yield |
//! | writes the list in another order | bob's tasks keep their order among themselves |
//! | sets a task in progress in bob's name, or a name that nobody acts under | refused ([`StartedForOther`](crate::Error::StartedForOther)) |
//! | makes a pending task in bob's name | done, and noted |
//!
//! Tasks of nobody, and finished tasks, are free for all. A host that does not know who acts leaves it out; a blank name is
//! an error, so that a variable that was not set does not lift the protection.
//!
//! A worker that is done asks whether *it* may stop:
//! [`TaskList::can_finish_for`](crate::TaskList::can_finish_for), by which a toolset that acts for an owner answers too. What is
//! left to do for it are its own unfinished tasks that are awake, and those of nobody that are ready or in progress. The
//! list's own gate stays shut while anybody has work.
//!
//! ([`TaskList::release`](crate::TaskList::release)); the crate has no clock, so how long is too long is the
//! host's to say. A worker that comes back late finds its task owned by another, and its completion refused.
//! What a process sent to the store just before it died may be committed after it was seen dead: whoever
//! watches releases again for as long as the list is worked on.
//!
//! # How far it goes
//!
//! A list is stored whole, so each change costs a load and a save, and more writers mean more
//! conflicts, not more throughput. `examples/store-postgres` and `examples/store-redis` each have a
//! `workers` that shows it: 8 processes on one list of 400 tasks do some 200 claims a second. Where that is not
//! enough, share the work over more lists.
