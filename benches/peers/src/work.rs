//! The lists and calls that all are given: the same bytes, made once.

use agent_tasklist::Status;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::cmp::Ordering;
use std::path::{Path, PathBuf};

/// How many tasks the lists have.
pub const SIZES: [usize; 4] = [10, 100, 1_000, 10_000];

/// A task of the lists.
#[derive(Clone, Debug)]
pub struct Item {
    pub id: String,
    pub content: String,
    pub active_form: String,
    pub status: Status,
}

/// The work with lists of one size, as the JSON texts of a model's calls.
///
/// Pairs are two versions, called in turns so that each call changes something.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Work {
    pub tasks: usize,
    /// How many tasks are completed in each version of the list.
    pub completed: [usize; 2],
    /// `task_write`, without and with ids; the first of `explicit` is the list to begin with.
    pub omitted: [String; 2],
    pub explicit: [String; 2],
    pub non_latin: String,
    /// `task_update`: the last task is pending again, and completed.
    pub update: [String; 2],
    /// `write_todos`: the list in both versions, in other words, and with the last task pending and completed.
    pub todos: [String; 2],
    pub todos_non_latin: String,
    pub todos_update: [String; 2],
}

impl Work {
    /// The work with lists of that many tasks.
    pub fn new(tasks: usize) -> Self {
        let lists = [0, 1].map(|version| items(tasks, version));
        let last = tasks - 1;
        let mut done = lists[0].clone();
        done[last].status = Status::Completed;
        let update = |status| json!({"id": lists[0][last].id, "status": status}).to_string();
        let other = non_latin(tasks);
        Work {
            tasks,
            completed: [tasks / 3, tasks / 3 + 1],
            omitted: [0, 1].map(|version| task_write(&lists[version], false)),
            explicit: [0, 1].map(|version| task_write(&lists[version], true)),
            non_latin: task_write(&other, false),
            update: ["pending", "completed"].map(update),
            todos: [0, 1].map(|version| write_todos(&lists[version])),
            todos_non_latin: write_todos(&other),
            todos_update: [&lists[0], &done].map(|list| write_todos(list)),
        }
    }

    fn file(folder: &Path, tasks: usize) -> PathBuf {
        folder.join(format!("{tasks}.json"))
    }

    /// Writes it to a folder.
    pub fn save(&self, folder: &Path) -> Result<(), String> {
        let file = Work::file(folder, self.tasks);
        let text = serde_json::to_string(self).map_err(|error| error.to_string())?;
        std::fs::write(&file, text).map_err(|error| format!("{}: {error}", file.display()))
    }

    /// The same work with tasks that have no active forms, as `write_todos` knows none.
    pub fn without_active_forms(&self) -> Self {
        let without = |text: &String| {
            let mut args: Value = serde_json::from_str(text).expect("it is JSON");
            for item in args["tasks"].as_array_mut().into_iter().flatten() {
                item.as_object_mut().map(|item| item.remove("activeForm"));
            }
            args.to_string()
        };
        Work {
            omitted: self.omitted.each_ref().map(without),
            explicit: self.explicit.each_ref().map(without),
            non_latin: without(&self.non_latin),
            ..self.clone()
        }
    }

    /// Reads it from a folder.
    pub fn load(folder: &Path, tasks: usize) -> Result<Self, String> {
        let file = Work::file(folder, tasks);
        let text = std::fs::read_to_string(&file)
            .map_err(|error| format!("{}: {error}", file.display()))?;
        serde_json::from_str(&text).map_err(|error| format!("{}: {error}", file.display()))
    }
}

/// A list of which a third is completed and one task in progress; in version 1 both went one task on.
pub fn items(tasks: usize, version: usize) -> Vec<Item> {
    let current = tasks / 3 + version;
    let item = |n: usize| Item {
        id: format!("task_check_the_module_number_{n}"),
        content: format!("Check the module number {n}"),
        active_form: format!("Checking the module number {n}"),
        status: match n.cmp(&current) {
            Ordering::Less => Status::Completed,
            Ordering::Equal => Status::InProgress,
            Ordering::Greater => Status::Pending,
        },
    };
    (0..tasks).map(item).collect()
}

/// The same list in other words: distinct texts without a letter that generated ids keep.
pub fn non_latin(tasks: usize) -> Vec<Item> {
    let digits: Vec<char> = "零一二三四五六七八九".chars().collect();
    let mut list = items(tasks, 0);
    for (n, item) in list.iter_mut().enumerate() {
        let number = n.to_string();
        let number = number
            .bytes()
            .map(|digit| digits[usize::from(digit - b'0')]);
        let number: String = number.collect();
        item.content = format!("检查第{number}号模块的文档");
        item.active_form = format!("正在检查第{number}号模块的文档");
    }
    list
}

/// Which task the n-th waits for, where tasks wait for others: half of them hold up the other half.
pub fn blocker(n: usize) -> Option<usize> {
    n.checked_sub(1).map(|n| n / 2)
}

/// How many tasks of a list with these blockers are ready.
pub fn ready(list: &[Item]) -> usize {
    let completed = |n: usize| list[n].status == Status::Completed;
    let pending = |n: &usize| list[*n].status == Status::Pending;
    let ready = |n: &usize| blocker(*n).is_none_or(completed);
    (0..list.len()).filter(pending).filter(ready).count()
}

fn task_write(list: &[Item], ids: bool) -> String {
    let item = |item: &Item| {
        let status = item.status.as_str();
        let mut value =
            json!({"content": item.content, "status": status, "activeForm": item.active_form});
        if ids {
            value["id"] = item.id.as_str().into();
        }
        value
    };
    json!({"tasks": list.iter().map(item).collect::<Vec<Value>>()}).to_string()
}

fn write_todos(list: &[Item]) -> String {
    let item = |item: &Item| json!({"content": item.content, "status": item.status.as_str()});
    json!({"todos": list.iter().map(item).collect::<Vec<Value>>()}).to_string()
}
