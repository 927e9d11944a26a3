//! A task list in a JSON file, worked from the command line, and a gate for shell scripts.
//!
//! ```text
//! cargo run --example tasks -- --help
//! ```
//!
//! Every command takes an exclusive lock, and a change is written to a temporary file that then
//! takes the place of the old one: two commands at once lose nothing, and a command that is
//! killed leaves the list as it was. A file that is not a list is refused, and left as it is.

use agent_tasklist::render::progress;
use agent_tasklist::{Activation, PathStyle, Status, Task, TaskDraft, TaskList, TaskPatch};
use serde_json::{Value, json};
use std::error::Error;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const HELP: &str = "\
usage: tasks [--file FILE] COMMAND

  ls [--active] [--json]   list the tasks; --active: those that hold up the finish
  create SUBJECT [-d TEXT] [--id ID] [--owner NAME] [--blocked-by ID]... [--until PATTERN]...
                           add a task; --until: asleep until a file that matches is pushed
  update ID [--status pending|in_progress|completed|deleted] [--subject TEXT] [-d TEXT]
         [--owner NAME] [--blocked-by ID]... [--not-blocked-by ID]... [--until PATTERN]...
                           change a task
  get ID                   show a task
  complete ID              mark a task completed
  restore ID               bring a deleted task back
  push PATH...             tell that files were modified; absolute paths are below the folder that this runs in
  begin-run ID             begin a run: files pushed before no longer count
  check                    say whether the agent may finish; exit 1 while it may not
  --help                   this text

The list is in FILE, else in $TASKS_FILE, else in tasks.json.";

fn main() -> ExitCode {
    match run(std::env::args().skip(1).collect()) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("tasks: {error}");
            ExitCode::from(2)
        }
    }
}

fn run(args: Vec<String>) -> Result<ExitCode, Box<dyn Error>> {
    let mut args = Args(args);
    if args.flag("--help") || args.0.is_empty() {
        println!("{HELP}");
        return Ok(ExitCode::SUCCESS);
    }
    let file = args
        .option("--file")?
        .or_else(|| std::env::var("TASKS_FILE").ok());
    let store = Store::open(file.unwrap_or_else(|| "tasks.json".into()).into())?;
    let mut list = store.load()?;
    let before = list.clone();
    let mut code = ExitCode::SUCCESS;
    match args.word("a command")?.as_str() {
        "ls" => {
            let (active, as_json) = (args.flag("--active"), args.flag("--json"));
            let tasks: Vec<&Task> = match active {
                true => list.open_tasks().collect(),
                false => list.tasks().collect(),
            };
            match as_json {
                true => println!(
                    "{}",
                    tasks
                        .iter()
                        .map(|task| to_json(&list, task))
                        .collect::<Value>()
                ),
                false => tasks
                    .iter()
                    .for_each(|task| println!("{}", line(&list, task))),
            }
        }
        "create" => {
            let draft = TaskDraft::new(args.word("a subject")?)
                .id(args.option("--id")?.unwrap_or_default())
                .description(args.option("-d")?.unwrap_or_default())
                .owner(args.option("--owner")?.unwrap_or_default())
                .blocked_by(args.options("--blocked-by")?);
            let draft = match args.activation()? {
                Some(activation) => draft.activation(activation),
                None => draft,
            };
            println!("{}", list.create(draft)?.id);
        }
        "update" => {
            let id = args.word("an id")?;
            let mut patch = TaskPatch::new()
                .subject(args.option("--subject")?.unwrap_or_default())
                .description(args.option("-d")?.unwrap_or_default())
                .owner(args.option("--owner")?.unwrap_or_default())
                .add_blocked_by(args.options("--blocked-by")?)
                .remove_blocked_by(args.options("--not-blocked-by")?);
            if let Some(status) = args.option("--status")? {
                patch = patch.status(serde_json::from_value::<Status>(json!(status))?);
            }
            if let Some(activation) = args.activation()? {
                patch = patch.activation(activation);
            }
            tell(&list.update(&id, patch)?);
        }
        "get" => {
            let id = args.word("an id")?;
            let (Some(why), Some(task)) = (list.explain(&id), list.get(&id)) else {
                return Err(format!("there is no task {id}").into());
            };
            println!("{why}");
            println!("{:#}", to_json(&list, task));
        }
        "complete" => tell(&list.complete(args.word("an id")?)?),
        "restore" => tell(&list.restore(args.word("an id")?)?),
        "push" => {
            // A shell and an editor may give absolute paths.
            let style = match cfg!(windows) {
                true => PathStyle::windows(),
                false => PathStyle::unix(),
            };
            let here = std::env::current_dir()?;
            let style = style.below(here.to_string_lossy());
            tell(&list.files_modified_as(&style, &args.0)?);
            args.0.clear();
        }
        "begin-run" => tell(&list.begin_run(args.word("an id")?)?),
        "check" => {
            println!("{}", progress(&list, None));
            for task in list.open_tasks() {
                println!("{}", line(&list, task));
            }
            if !list.can_finish() {
                println!("The agent may not finish yet.");
                code = ExitCode::FAILURE;
            }
        }
        other => return Err(format!("unknown command {other:?}; see --help").into()),
    }
    args.finish()?;
    if list != before {
        store.save(&list)?;
    }
    Ok(code)
}

fn tell(changes: &agent_tasklist::Changes) {
    let effects = &changes.effects;
    for (what, ids) in [
        ("now ready", &effects.unblocked),
        ("now blocked", &effects.now_blocked),
        ("woken", &effects.woken),
        ("fallen asleep", &effects.fallen_asleep),
    ] {
        ids.iter().for_each(|id| println!("{what}: {id}"));
    }
    effects
        .demoted
        .iter()
        .for_each(|demoted| println!("back to pending: {}", demoted.id));
}

fn line(list: &TaskList, task: &Task) -> String {
    let subject: String = task
        .subject
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    let why = list
        .explain(&task.id)
        .map_or(String::new(), |why| why.to_string());
    format!(
        "{:<24} {subject:<40} {}",
        task.id,
        why.trim_start_matches(task.id.as_str())
            .trim_start_matches(" is ")
    )
}

fn to_json(list: &TaskList, task: &Task) -> Value {
    let blocked_by = list.blocked_by(&task.id).unwrap_or_default();
    json!({
        "id": task.id,
        "subject": &*task.subject,
        "description": task.description,
        "owner": task.owner,
        "status": task.status,
        "state": list.state(&task.id).map(|state| state.as_str()),
        "blocked_by": blocked_by.iter().map(|task| task.id.as_str()).collect::<Vec<_>>(),
        "until": task.activation.as_ref().map(|activation| activation.patterns().collect::<Vec<_>>()),
    })
}

/// A file that this process alone works on, until it is dropped.
struct Store {
    file: PathBuf,
    _lock: File,
}

impl Store {
    fn open(file: PathBuf) -> io::Result<Store> {
        let lock = File::create(beside(&file, ".lock"))?;
        lock.lock()?;
        Ok(Store { file, _lock: lock })
    }

    /// The list, empty where there is no file. A damaged file is an error.
    fn load(&self) -> Result<TaskList, Box<dyn Error>> {
        let name = self.file.display();
        match fs::read_to_string(&self.file) {
            Ok(json) => {
                TaskList::from_json(&json).map_err(|error| format!("{name}: {error}").into())
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(TaskList::new()),
            Err(error) => Err(format!("{name}: {error}").into()),
        }
    }

    fn save(&self, list: &TaskList) -> io::Result<()> {
        let temporary = beside(&self.file, ".new");
        let mut file = File::create(&temporary)?;
        file.write_all(list.to_json().as_bytes())?;
        file.sync_all()?;
        fs::rename(&temporary, &self.file)
    }
}

fn beside(file: &Path, suffix: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// What is left of the command line.
struct Args(Vec<String>);

impl Args {
    fn flag(&mut self, name: &str) -> bool {
        let at = self.0.iter().position(|arg| arg == name);
        at.map(|at| self.0.remove(at)).is_some()
    }

    fn option(&mut self, name: &str) -> Result<Option<String>, String> {
        let Some(at) = self.0.iter().position(|arg| arg == name) else {
            return Ok(None);
        };
        self.0.remove(at);
        match at < self.0.len() {
            true => Ok(Some(self.0.remove(at))),
            false => Err(format!("{name} wants a value")),
        }
    }

    fn options(&mut self, name: &str) -> Result<Vec<String>, String> {
        std::iter::from_fn(|| self.option(name).transpose()).collect()
    }

    fn activation(&mut self) -> Result<Option<Activation>, Box<dyn Error>> {
        match self.options("--until")? {
            patterns if patterns.is_empty() => Ok(None),
            patterns => Ok(Some(Activation::files_modified(patterns)?)),
        }
    }

    fn word(&mut self, what: &str) -> Result<String, String> {
        match self.0.is_empty() {
            true => Err(format!("{what} is missing; see --help")),
            false => Ok(self.0.remove(0)),
        }
    }

    fn finish(self) -> Result<(), String> {
        match self.0.first() {
            None => Ok(()),
            Some(left) => Err(format!("what is {left:?}? see --help")),
        }
    }
}
