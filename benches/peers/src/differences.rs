//! What the figures do not show. Read off the sources of the pinned versions.

/// What the columns and rows are.
pub const HOW: &str = "\
- tools: a whole call, JSON text in, all of the reply as JSON text out, on a list that the host holds.
  todos: the same with tasks that have no active forms. short: as tools, with `Detail::Changed`. store: as tools,
  with a `MemoryStore`, each change a commit. library: `TaskList`'s own calls, without text.
- Mastra: a whole call, JSON text in and out, over its store in memory. LangChain: a whole call, JSON text in,
  the list and a text out; nothing is kept. taskchampion: its own calls on a replica in memory.
- In brackets: how many times the figure of ours that does the like. –: there is no such operation.
- LangChain has one tool: to update one task is to write all again. It knows no active forms: it is compared with
  todos, where ours are given none either.
- taskchampion's write again: all tasks looked up by id, what differs set, one commit; non-Latin: new tasks in one
  commit. Its ready asks each pending task whether it is blocked, after a change; joined by the caller: the
  pending tasks' own dependencies looked up among the pending ones.";

/// A list for each peer: what it leaves out, and what it has that is not here.
pub const PEERS: [&str; 3] = [
    "\
**Mastra's task tools** (`@mastra/core` 1.71.0) have no
- dependencies, ready or claimed tasks, owners, tasks that sleep, creates or deletes of one task;
- edit under compare-and-set: of parallel calls the last to store its list wins, the others are lost unsaid;
- match of a rewritten task that differs in case, occurs twice or comes back after it was left out; an id can
  pass to other work;
- word on unfinished tasks that a write drops or that an update puts back to pending;
- short replies, or repairs of arguments that are not quite right.

They have that agent-tasklist leaves to the host: an agent around them, which sends the list to the model in
snapshots and deltas and events to a user interface, and stores for several databases.",
    "\
**LangChain's write_todos** (langchain 1.5.2) has no
- ids, so nothing is told apart, kept or matched from one write to the next;
- updates of one task, finish gate, dependencies, ready or claimed tasks, owners, tasks that sleep;
- rule on how many tasks are in progress (several are allowed), or word on what a write dropped;
- parallel calls: all of them are refused, and none is carried out.

It has that agent-tasklist leaves to the host: an agent around it, instructions in the system prompt, and the
list in the agent's state, with its checkpoints and streams.",
    "\
**taskchampion** (3.1.0), the library of Taskwarrior, has no
- tools for a model, texts for it to correct itself from, or replies;
- write of a whole list, match of tasks without ids, or order that a caller sets;
- refusal of cycles, of dependencies on nothing, of starting or completing what is blocked, or of several
  started tasks; no finish gate, claims or owners;
- index of what is blocked: the dependency map is made anew after each commit, and a task looks through all
  of it.

It has, and agent-tasklist has not: synchronisation between replicas with servers, encrypted; undo, and the
history of each task; tags, annotations, priorities, due and wait dates; storage in SQLite and
IndexedDB. Its storage in memory, which is measured here, copies everything at each commit and is meant for
tests.",
];
