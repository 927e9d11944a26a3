//! taskchampion's side: a replica in memory, by its own calls, without text or replies.
//!
//! Each write and update starts from a replica of its own: it keeps every operation that it ever carried out, and
//! copies them all with each commit.

use crate::measure::{Measurement, Operation, measure, timed};
use crate::work::{Item, Work, blocker, items, non_latin, ready};
use agent_tasklist::Status;
use agent_tasklist::store::block_on;
use std::collections::{HashMap, HashSet};
use std::hint::black_box;
use std::time::Duration;
use taskchampion::chrono::Utc;
use taskchampion::storage::inmemory::InMemoryStorage;
use taskchampion::{Error, Operations, Replica, TaskData, Uuid};

type Tasks = Replica<InMemoryStorage>;

/// Each operation that it has a notion of.
pub fn library(work: &Work, budget: Duration) -> Vec<Measurement> {
    let (tasks, completed) = (work.tasks, work.completed);
    let versions = [0, 1].map(|version| items(tasks, version));
    let ids: Vec<Uuid> = (0..tasks).map(|_| Uuid::new_v4()).collect();
    let begun = || {
        let mut replica = Replica::new(InMemoryStorage::new());
        done(build(&mut replica, &ids, &versions[0], false));
        replica
    };
    let mut measured = Vec::new();
    measured.push(measure(Operation::WriteExplicit, tasks, budget, || {
        let mut replica = begun();
        let (written, micros) = timed(|| block_on(rewrite(&mut replica, &ids, &versions[1])));
        written.expect("it may be written");
        confirm(&mut replica, tasks, completed[1]);
        micros
    }));
    let other = non_latin(tasks);
    measured.push(measure(Operation::WriteNonLatin, tasks, budget, || {
        let mut replica = Replica::new(InMemoryStorage::new());
        let (written, micros) = timed(|| {
            let ids: Vec<Uuid> = other.iter().map(|_| Uuid::new_v4()).collect();
            block_on(build(&mut replica, &ids, &other, false))
        });
        written.expect("it may be written");
        confirm(&mut replica, tasks, completed[0]);
        micros
    }));
    measured.push(measure(Operation::Update, tasks, budget, || {
        let mut replica = begun();
        let (updated, micros) = timed(|| block_on(complete(&mut replica, ids[tasks - 1])));
        updated.expect("it may be completed");
        confirm(&mut replica, tasks, completed[0] + 1);
        micros
    }));

    let mut replica = begun();
    measured.push(measure(Operation::Check, tasks, budget, || {
        let (found, micros) = timed(|| done(check(&mut replica)));
        assert_eq!(found, (tasks, completed[0], tasks - completed[0]));
        micros
    }));

    let mut replica = Replica::new(InMemoryStorage::new());
    done(build(&mut replica, &ids, &versions[0], true));
    let expected = ready(&versions[0]);
    measured.push(measure(Operation::Ready, tasks, budget, || {
        let (found, micros) = timed(|| done(ready_by_task(&mut replica)));
        assert_eq!(found, expected);
        micros
    }));
    measured.push(measure(Operation::ReadyJoined, tasks, budget, || {
        let (found, micros) = timed(|| done(ready_joined(&mut replica)));
        assert_eq!(found, expected);
        micros
    }));
    measured
}

/// New tasks, in one commit.
async fn build(
    replica: &mut Tasks,
    ids: &[Uuid],
    items: &[Item],
    blockers: bool,
) -> Result<(), Error> {
    let mut operations = Operations::new();
    let now = Utc::now().timestamp().to_string();
    for (n, item) in items.iter().enumerate() {
        let mut task = TaskData::create(ids[n], &mut operations);
        let mut set = |key: &str, value: &str| {
            task.update(key, Some(value.to_owned()), &mut operations);
        };
        set("description", &item.content);
        set("status", status(item));
        set("entry", &now);
        set("modified", &now);
        match item.status {
            Status::InProgress => set("start", &now),
            Status::Completed => set("end", &now),
            _ => {}
        }
        if let Some(blocker) = blocker(n).filter(|_| blockers) {
            set(&format!("dep_{}", ids[blocker]), "");
        }
    }
    replica.commit_operations(operations).await
}

/// The tasks as they are given: what differs is set, in one commit.
async fn rewrite(replica: &mut Tasks, ids: &[Uuid], items: &[Item]) -> Result<(), Error> {
    let mut operations = Operations::new();
    let now = Utc::now().timestamp().to_string();
    let mut tasks = replica.all_task_data().await?;
    for (id, item) in ids.iter().zip(items) {
        let task = tasks.get_mut(id).expect("the task was created");
        let (started, ended) = (
            item.status == Status::InProgress,
            item.status == Status::Completed,
        );
        let wanted = [
            ("description", Some(item.content.as_str())),
            ("status", Some(status(item))),
            ("start", started.then_some(&now)),
            ("end", ended.then_some(&now)),
        ];
        let mut changed = false;
        for (key, value) in wanted {
            let same = match key {
                "start" | "end" => task.has(key) == value.is_some(),
                _ => task.get(key) == value,
            };
            if !same {
                task.update(key, value.map(str::to_owned), &mut operations);
                changed = true;
            }
        }
        if changed {
            task.update("modified", Some(now.clone()), &mut operations);
        }
    }
    replica.commit_operations(operations).await
}

/// What `Task::done` and a commit do, without the dependency map that `Replica::get_task` makes.
async fn complete(replica: &mut Tasks, id: Uuid) -> Result<(), Error> {
    let mut operations = Operations::new();
    let task = replica.get_task_data(id).await?;
    let mut task = task.expect("the task was created");
    let now = Utc::now().timestamp().to_string();
    task.update("modified", Some(now.clone()), &mut operations);
    task.update("end", Some(now), &mut operations);
    task.update("status", Some("completed".to_owned()), &mut operations);
    replica.commit_operations(operations).await
}

/// How many tasks there are, how many are completed and how many open; the open ones are collected.
async fn check(replica: &mut Tasks) -> Result<(usize, usize, usize), Error> {
    let tasks = replica.all_task_data().await?;
    let of = |status| {
        tasks
            .values()
            .filter(move |task| task.get("status") == Some(status))
    };
    let open: Vec<Uuid> = of("pending").map(TaskData::get_uuid).collect();
    Ok((tasks.len(), of("completed").count(), black_box(open).len()))
}

/// The pending tasks that say of themselves that they are neither active, waiting nor blocked, after a change.
async fn ready_by_task(replica: &mut Tasks) -> Result<usize, Error> {
    replica.dependency_map(true).await?;
    let tasks = replica.pending_tasks().await?;
    let ready = tasks
        .iter()
        .filter(|task| !task.is_active() && !task.is_waiting() && !task.is_blocked())
        .map(|task| task.get_uuid());
    Ok(black_box(ready.collect::<Vec<_>>()).len())
}

/// The pending tasks of which no dependency is among the pending ones.
async fn ready_joined(replica: &mut Tasks) -> Result<usize, Error> {
    let tasks = replica.pending_task_data().await?;
    let pending: HashSet<Uuid> = tasks.iter().map(TaskData::get_uuid).collect();
    let blocked = |task: &TaskData| {
        task.properties()
            .filter_map(|key| Uuid::parse_str(key.strip_prefix("dep_")?).ok())
            .any(|blocker| pending.contains(&blocker))
    };
    let ready = tasks
        .iter()
        .filter(|task| !task.has("start") && !task.has("wait") && !blocked(task))
        .map(TaskData::get_uuid);
    Ok(black_box(ready.collect::<Vec<_>>()).len())
}

fn status(item: &Item) -> &'static str {
    match item.status {
        Status::Completed => "completed",
        _ => "pending",
    }
}

fn confirm(replica: &mut Tasks, tasks: usize, completed: usize) {
    let found = done(replica.all_task_data());
    let ended: HashMap<_, _> = found
        .iter()
        .filter(|(_, task)| task.get("status") == Some("completed"))
        .collect();
    let found = (found.len(), ended.len());
    assert_eq!(found, (tasks, completed), "the work was not done");
}

fn done<T>(future: impl Future<Output = Result<T, Error>>) -> T {
    block_on(future).expect("a replica in memory does what it is asked")
}
