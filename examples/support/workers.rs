//! `workers`: many operating-system processes that work off one shared list, and the proof that each
//! task was done exactly once and in the order of its dependencies.
//!
//! The first process writes a list, starts the workers, shows their progress and kills some of them
//! half-way. As long as it watches, it releases what a worker that has ended still holds: what a process sent
//! just before its end may be committed after it. Each worker claims, works and completes until nothing is
//! left, and logs what it does, with the revisions of its commits, which are the same clock for all.

use agent_tasklist::policy::InProgress;
use agent_tasklist::store::{ListKey, Revision, Store, UpdateError, update};
use agent_tasklist::{Changes, Policy, State, Task, TaskDraft, TaskList};
use std::collections::HashMap;
use std::error::Error;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

/// How long the list may stand still before the run is given up.
const STALLED: Duration = Duration::from_secs(60);

const HELP: &str = "usage: workers [--workers N] [--tasks N] [--kill N] [URL]";

type Outcome<T> = Result<T, Box<dyn Error>>;

/// What the command line asks for.
pub struct Options {
    pub workers: usize,
    pub tasks: usize,
    pub kill: usize,
    pub url: String,
    /// Name, key and log of a worker; `None` for the process that starts them.
    pub worker: Option<[String; 3]>,
}

impl Options {
    /// Reads the command line; the URL may come from this variable of the environment.
    pub fn read(variable: &str) -> Outcome<Options> {
        let mut options = Options {
            workers: 8,
            tasks: 400,
            kill: 0,
            url: String::new(),
            worker: None,
        };
        let mut args = std::env::args().skip(1);
        while let Some(arg) = args.next() {
            let mut value = || args.next().ok_or(HELP);
            match arg.as_str() {
                "--workers" => options.workers = value()?.parse()?,
                "--tasks" => options.tasks = value()?.parse()?,
                "--kill" => options.kill = value()?.parse()?,
                "--worker" => options.worker = Some([value()?, value()?, value()?]),
                "--help" => return Err(HELP.into()),
                _ => options.url = arg,
            }
        }
        if options.url.is_empty() {
            options.url =
                std::env::var(variable).map_err(|_| format!("{HELP}, or set {variable}"))?;
        }
        Ok(options)
    }
}

fn policy() -> Policy {
    let mut policy = Policy::default();
    policy.in_progress = InProgress::PerOwner;
    policy
}

/// An edit of the shared list, and how often it had to be run.
async fn edit(
    store: &impl Store,
    key: &ListKey,
    mut edit: impl FnMut(&mut TaskList) -> Result<Changes, agent_tasklist::Error>,
) -> Result<(Option<Revision>, TaskList, usize), UpdateError> {
    let mut runs = 0;
    let policy = policy();
    let updated = update(store, key, &policy, |list| {
        runs += 1;
        edit(list)
    });
    let updated = updated.await?;
    Ok((updated.revision, updated.list, runs))
}

/// Works until nothing is left. A line of the log: what, the revision, the task, the runs of the edit.
pub async fn work(store: &impl Store, [name, key, log]: &[String; 3]) -> Outcome<()> {
    let key = ListKey::new(key)?;
    let mut log = OpenOptions::new().create(true).append(true).open(log)?;
    let mut note = move |what: &str, revision: Option<Revision>, id: &str, runs: usize| {
        let revision = revision.map_or(0, Revision::get);
        // One write: a line is there whole or not at all, whenever the process is killed.
        log.write_all(format!("{what} {revision} {id} {runs}\n").as_bytes())
    };
    loop {
        let mut claimed = None;
        let (revision, list, runs) = edit(store, &key, |list| {
            let claim = list.claim(name)?;
            claimed = claim.id;
            Ok(claim.changes)
        })
        .await?;
        let Some(id) = claimed.take() else {
            if list.can_finish() {
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(5));
            continue;
        };
        note("claimed", revision, id.as_str(), runs)?;
        std::thread::sleep(Duration::from_millis(2));
        note("completing", None, id.as_str(), 0)?;
        let complete = edit(store, &key, |list| {
            list.acting_as(name).unwrap().complete(&id)
        });
        let (revision, _, runs) = complete.await?;
        note("completed", revision, id.as_str(), runs)?;
    }
}

/// A list of that many tasks, each of which waits for up to two that stand shortly before it.
fn tasks(count: usize) -> Vec<TaskDraft> {
    let mut random = 7_u64;
    let mut below = |bound: usize| {
        random = random
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (random >> 33) as usize % bound
    };
    let id = |n: usize| format!("t{n}");
    let draft = |n: usize| {
        let blockers: Vec<String> = match n {
            0 => Vec::new(),
            n => (0..below(3))
                .map(|_| id(n - 1 - below(n.min(20))))
                .collect(),
        };
        TaskDraft::new(format!("Task {n}"))
            .id(id(n))
            .blocked_by(blockers)
    };
    (0..count).map(draft).collect()
}

/// The worker processes, killed when they go out of scope.
struct Workers(Vec<Child>);

impl Drop for Workers {
    fn drop(&mut self) {
        for worker in &mut self.0 {
            let _ = worker.kill();
            let _ = worker.wait();
        }
    }
}

/// Starts the workers, and proves at the end what they did.
pub async fn run(store: &impl Store, options: &Options) -> Outcome<()> {
    let folder = std::env::temp_dir().join(format!("workers-{}", std::process::id()));
    fs::create_dir_all(&folder)?;
    let name = format!("workers-{}-{}", std::process::id(), options.kill);
    let key = ListKey::new(&name)?;
    edit(store, &key, |list| list.write(tasks(options.tasks))).await?;

    let start = Instant::now();
    let log = |n: usize| folder.join(format!("w{n}.log"));
    let mut workers = Workers(Vec::new());
    for n in 0..options.workers {
        let mut command = Command::new(std::env::current_exe()?);
        command.arg("--worker").arg(format!("w{n}")).arg(&name);
        workers
            .0
            .push(command.arg(log(n)).arg(&options.url).spawn()?);
    }
    let mut killed = 0;
    let mut seen = (Revision::new(0), Instant::now());
    loop {
        let stored = store.load(&key).await?.ok_or("the list is gone")?;
        let (list, summary) = (&stored.list, stored.list.summary());
        if stored.revision != seen.0 {
            seen = (stored.revision, Instant::now());
            eprint!(
                "\r{}/{} done, {} in progress ",
                summary.completed, summary.total, summary.in_progress
            );
        }
        if summary.can_finish {
            break;
        }
        if seen.1.elapsed() > STALLED {
            return Err("nothing has happened for a minute".into());
        }
        if summary.completed * 2 >= summary.total {
            for worker in workers.0[..options.kill.min(options.workers)]
                .iter_mut()
                .skip(killed)
            {
                worker.kill()?;
                worker.wait()?;
                killed += 1;
            }
        }
        let mut alive = 0;
        for (n, worker) in workers.0.iter_mut().enumerate() {
            let owner = format!("w{n}");
            let holds = |task: &Task| task.owner.as_deref() == Some(&*owner);
            match worker.try_wait()? {
                None => alive += 1,
                Some(_) if list.in_state(State::InProgress).any(holds) => {
                    edit(store, &key, |list| list.release(&owner)).await?;
                }
                Some(_) => {}
            }
        }
        if alive == 0 {
            return Err("all workers ended, and there is work left".into());
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    eprintln!();
    let took = start.elapsed();
    for worker in &mut workers.0[killed..] {
        if !worker.wait()?.success() {
            return Err("a worker failed".into());
        }
    }
    let list = store.load(&key).await?.ok_or("the list is gone")?.list;
    let logs = (0..options.workers)
        .map(|n| Log::read(&log(n)))
        .collect::<Outcome<Vec<_>>>()?;
    prove(&list, &logs)?;
    let commits: usize = logs
        .iter()
        .map(|log| log.claimed.len() + log.completed.len())
        .sum();
    let runs: usize = logs.iter().map(|log| log.runs).sum();
    println!(
        "{} tasks, {} workers, {killed} killed: each done exactly once and in order, in {took:.1?}\n\
         {:.0} claims a second; {commits} commits, {} conflicts, each tried again",
        options.tasks,
        options.workers,
        options.tasks as f64 / took.as_secs_f64(),
        runs - commits,
    );
    fs::remove_dir_all(&folder)?;
    Ok(())
}

/// What a worker says it did: tasks by the revision of the commit.
#[derive(Default)]
struct Log {
    claimed: Vec<(u64, String)>,
    completing: Vec<String>,
    completed: Vec<(u64, String)>,
    runs: usize,
}

impl Log {
    fn read(path: &Path) -> Outcome<Log> {
        let mut log = Log::default();
        for line in fs::read_to_string(path)?.lines() {
            let [what, revision, id, runs] = line.split(' ').collect::<Vec<_>>()[..] else {
                return Err(format!("what is {line:?}?").into());
            };
            let entry = (revision.parse()?, id.to_owned());
            log.runs += runs.parse::<usize>()?;
            match what {
                "claimed" => log.claimed.push(entry),
                "completed" => log.completed.push(entry),
                _ => log.completing.push(id.to_owned()),
            }
        }
        Ok(log)
    }
}

/// That each task was completed once, by the worker that the list names, and that each was claimed after
/// all that it waits for had been completed.
fn prove(list: &TaskList, logs: &[Log]) -> Outcome<()> {
    let mut completed: HashMap<&str, Vec<(usize, u64)>> = HashMap::new();
    for (worker, log) in logs.iter().enumerate() {
        for (revision, id) in &log.completed {
            completed.entry(id).or_default().push((worker, *revision));
        }
    }
    for task in list.tasks() {
        let id = task.id.as_str();
        let owner = task
            .owner
            .as_deref()
            .and_then(|name| name.strip_prefix('w')?.parse::<usize>().ok());
        let owner = owner
            .filter(|&worker| worker < logs.len())
            .ok_or(format!("nobody completed {id}"))?;
        match completed.get(id).map_or(&[][..], Vec::as_slice) {
            [(worker, _)] if *worker == owner => {}
            // Killed between the commit and the line that tells of it.
            [] if logs[owner].completing.last().is_some_and(|last| last == id) => {}
            others => {
                return Err(
                    format!("{id} is of worker {owner}, and was completed by {others:?}").into(),
                );
            }
        }
        let claims = logs[owner]
            .claimed
            .iter()
            .filter(|(_, claimed)| claimed == id);
        let claimed = claims
            .map(|(revision, _)| *revision)
            .max()
            .ok_or(format!("{id} was not claimed"))?;
        for blocker in list.blocked_by(&task.id).unwrap_or_default() {
            for (_, done) in completed.get(blocker.id.as_str()).into_iter().flatten() {
                if *done >= claimed {
                    return Err(
                        format!("{id} was claimed before {} was completed", blocker.id).into(),
                    );
                }
            }
        }
    }
    Ok(())
}
