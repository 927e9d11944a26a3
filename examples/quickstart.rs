//! The main job in one page: a list, a dependency, an error that explains itself.
//!
//! ```text
//! cargo run --example quickstart
//! ```

use agent_tasklist::{Error, Status, TaskDraft, TaskList, TaskPatch};

/// The list that the example begins with.
pub(crate) fn plan() -> Result<TaskList, Error> {
    let mut list = TaskList::new();
    list.write([
        TaskDraft::new("Fix the bug")
            .id("fix")
            .status(Status::InProgress),
        TaskDraft::new("Run the tests")
            .id("test")
            .blocked_by(["fix"]),
        TaskDraft::new("Write the changelog"),
    ])?;
    Ok(list)
}

fn main() -> Result<(), Error> {
    let mut list = plan()?;
    print("The plan", &list);

    let error = list
        .update("test", TaskPatch::new().status(Status::InProgress))
        .unwrap_err();
    println!("Starting the tests now is refused:\n  {error}\n");

    let changes = list.complete("fix")?;
    println!(
        "Completing the fix unblocks {:?}.\n",
        changes.effects.unblocked
    );
    list.update("test", TaskPatch::new().status(Status::InProgress))?;
    print("Then", &list);

    println!(
        "May the agent stop? {}",
        if list.can_finish() {
            "Yes."
        } else {
            "Not yet."
        }
    );
    Ok(())
}

fn print(title: &str, list: &TaskList) {
    println!("{title}:");
    for task in list.tasks() {
        let mark = if task.status == Status::Completed {
            "x"
        } else {
            " "
        };
        let why = list
            .explain(&task.id)
            .map_or(String::new(), |why| why.to_string());
        println!("  [{mark}] {:<20} {why}", task.subject);
    }
    println!();
}
