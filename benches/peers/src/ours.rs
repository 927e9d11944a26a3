//! This project's side: whole tool calls, the same over a store, and the bare list.

use crate::measure::{Measurement, Operation, measure, timed};
use crate::work::{Item, Work, blocker, items, non_latin, ready};
use agent_tasklist::store::{ListKey, MemoryStore, Store, block_on};
use agent_tasklist::tools::{Detail, ListTools, Reply, Toolset};
use agent_tasklist::{Status, Summary, TaskDraft, TaskList, TaskPatch};
use serde_json::Value;
use std::hint::black_box;
use std::time::Duration;

/// How many calls of the bare list are timed together: some take less than reading the clock.
const TOGETHER: usize = 100;

/// Each operation as a whole tool call on a list that the host holds: JSON text in, JSON text out.
pub fn tools(work: &Work, budget: Duration) -> Vec<Measurement> {
    held(&Toolset::mastra(), work, budget)
}

/// The same with the tasks that LangChain is given.
pub fn todos(work: &Work, budget: Duration) -> Vec<Measurement> {
    held(&Toolset::mastra(), &work.without_active_forms(), budget)
}

/// The same as tools with replies that tell what changed.
pub fn short(work: &Work, budget: Duration) -> Vec<Measurement> {
    held(
        &Toolset::mastra().with_detail(Detail::Changed),
        work,
        budget,
    )
}

fn held(tools: &Toolset, work: &Work, budget: Duration) -> Vec<Measurement> {
    let call = |list: &mut TaskList, name: &str, text: &str| {
        let ((), micros) = timed(|| answer(text, |args| tools.call(list, name, args)));
        micros
    };
    let begun = || {
        let mut list = TaskList::new();
        call(&mut list, "task_write", &work.explicit[0]);
        list
    };
    let mut list = begun();
    let mut measured = Vec::new();
    for (operation, name, texts, completed) in calls(work) {
        let mut turn = 0;
        measured.push(measure(operation, work.tasks, budget, || {
            turn = 1 - turn;
            let micros = call(&mut list, name, texts[turn]);
            confirm(&list, work.tasks, completed[turn]);
            micros
        }));
        list = begun();
    }
    measured.push(measure(
        Operation::WriteNonLatin,
        work.tasks,
        budget,
        || {
            let mut list = TaskList::new();
            let micros = call(&mut list, "task_write", &work.non_latin);
            confirm(&list, work.tasks, work.completed[0]);
            micros
        },
    ));
    measured
}

/// The same with a store in memory: each call loads the list, edits it and commits it.
pub fn store(work: &Work, budget: Duration) -> Vec<Measurement> {
    let key = ListKey::new("thread-1").expect("it is a key");
    let empty = || {
        let store = MemoryStore::new();
        let tools = ListTools::new(store.clone(), key.clone(), Toolset::mastra());
        (store, tools)
    };
    let call = |tools: &ListTools<MemoryStore>, name: &str, text: &str| {
        let ((), micros) = timed(|| answer(text, |args| block_on(tools.call(name, args))));
        micros
    };
    let stored = |store: &MemoryStore| {
        let stored = block_on(store.load(&key)).expect("a store in memory can be read");
        stored.expect("the list was written")
    };
    let begun = || {
        let (store, tools) = empty();
        call(&tools, "task_write", &work.explicit[0]);
        (store, tools)
    };
    let (mut lists, mut handle) = begun();
    let mut measured = Vec::new();
    for (operation, name, texts, completed) in calls(work) {
        let (mut turn, mut revision) = (0, 1);
        measured.push(measure(operation, work.tasks, budget, || {
            turn = 1 - turn;
            let micros = call(&handle, name, texts[turn]);
            let stored = stored(&lists);
            revision += u64::from(operation != Operation::Check);
            assert_eq!(stored.revision.get(), revision, "each change is a commit");
            confirm(&stored.list, work.tasks, completed[turn]);
            micros
        }));
        (lists, handle) = begun();
    }
    measured.push(measure(
        Operation::WriteNonLatin,
        work.tasks,
        budget,
        || {
            let (store, tools) = empty();
            let micros = call(&tools, "task_write", &work.non_latin);
            confirm(&stored(&store).list, work.tasks, work.completed[0]);
            micros
        },
    ));
    measured
}

/// The operations without text or replies, as taskchampion has them.
pub fn library(work: &Work, budget: Duration) -> Vec<Measurement> {
    let tasks = work.tasks;
    let versions = [0, 1].map(|version| items(tasks, version));
    let begun = || {
        let mut list = TaskList::new();
        write(&mut list, &versions[0], true);
        list
    };
    let mut measured = Vec::new();
    for (operation, ids) in [
        (Operation::WriteOmitted, false),
        (Operation::WriteExplicit, true),
    ] {
        let (mut list, mut turn) = (begun(), 0);
        measured.push(measure(operation, tasks, budget, || {
            turn = 1 - turn;
            let ((), micros) = timed(|| write(&mut list, &versions[turn], ids));
            confirm(&list, tasks, work.completed[turn]);
            micros
        }));
    }
    let other = non_latin(tasks);
    measured.push(measure(Operation::WriteNonLatin, tasks, budget, || {
        let mut list = TaskList::new();
        let ((), micros) = timed(|| write(&mut list, &other, false));
        confirm(&list, tasks, work.completed[0]);
        micros
    }));

    let (mut list, last) = (begun(), versions[0][tasks - 1].id.as_str());
    measured.push(measure(Operation::Update, tasks, budget, || {
        let ((), micros) = timed(|| {
            for _ in 0..TOGETHER / 2 {
                for status in [Status::Pending, Status::Completed] {
                    let patch = TaskPatch::new().status(status);
                    black_box(list.update(last, patch).expect("it may be changed"));
                }
            }
        });
        confirm(&list, tasks, work.completed[0] + 1);
        micros / TOGETHER as f64
    }));

    let list = begun();
    measured.push(measure(Operation::Check, tasks, budget, || {
        let (found, micros) = timed(|| {
            let mut found = None;
            for _ in 0..TOGETHER {
                let list = black_box(&list);
                let open: Vec<&str> = list.open_tasks().map(|task| task.id.as_str()).collect();
                found = Some((list.summary(), black_box(open).len()));
            }
            found
        });
        let (summary, open) = found.expect("it was called");
        expect(summary, tasks, work.completed[0]);
        assert_eq!(open, tasks - work.completed[0]);
        micros / TOGETHER as f64
    }));

    let list = waiting(&versions[0]);
    let ready = ready(&versions[0]);
    let mut found_ready = || {
        let (found, micros) = timed(|| {
            let mut found = 0;
            for _ in 0..TOGETHER {
                let ready: Vec<&str> = black_box(&list)
                    .ready()
                    .map(|task| task.id.as_str())
                    .collect();
                found = black_box(ready).len();
            }
            found
        });
        assert_eq!(found, ready);
        micros / TOGETHER as f64
    };
    for operation in [Operation::Ready, Operation::ReadyJoined] {
        measured.push(measure(operation, tasks, budget, &mut found_ready));
    }
    measured
}

/// The tool calls that are made in turns on one list, with how many tasks are completed after each.
fn calls<'a>(work: &'a Work) -> [(Operation, &'static str, [&'a str; 2], [usize; 2]); 4] {
    let [few, more] = work.completed;
    let texts = |texts: &'a [String; 2]| [0, 1].map(|n| texts[n].as_str());
    let (write, update, check) = ("task_write", "task_update", "task_check");
    [
        (
            Operation::WriteOmitted,
            write,
            texts(&work.omitted),
            [few, more],
        ),
        (
            Operation::WriteExplicit,
            write,
            texts(&work.explicit),
            [few, more],
        ),
        (
            Operation::Update,
            update,
            texts(&work.update),
            [few, few + 1],
        ),
        (Operation::Check, check, ["{}"; 2], [few, few]),
    ]
}

/// What a framework does with a call: parses the arguments, carries it out and writes the reply as text.
fn answer(text: &str, call: impl FnOnce(&Value) -> Reply) {
    let args: Value = serde_json::from_str(text).expect("the arguments are JSON");
    let reply = call(&args);
    let data = serde_json::to_string(&reply.data).expect("a reply can be written");
    assert!(!reply.is_error(), "{}", reply.text);
    black_box((data, reply.text));
}

fn write(list: &mut TaskList, items: &[Item], ids: bool) {
    let draft = |item: &Item| {
        let draft = TaskDraft::new(&item.content)
            .active_form(&item.active_form)
            .status(item.status);
        if ids { draft.id(&item.id) } else { draft }
    };
    black_box(
        list.write(items.iter().map(draft))
            .expect("it may be written"),
    );
}

/// A list in which tasks wait for others.
fn waiting(items: &[Item]) -> TaskList {
    let mut list = TaskList::new();
    let draft = |(n, item): (usize, &Item)| {
        let draft = TaskDraft::new(&item.content).id(&item.id);
        draft
            .status(item.status)
            .blocked_by(blocker(n).map(|n| items[n].id.as_str()))
    };
    list.write(items.iter().enumerate().map(draft))
        .expect("it may be written");
    list
}

fn confirm(list: &TaskList, tasks: usize, completed: usize) {
    expect(list.summary(), tasks, completed);
}

fn expect(summary: Summary, tasks: usize, completed: usize) {
    let found = (summary.total, summary.completed);
    assert_eq!(found, (tasks, completed), "the work was not done");
}
