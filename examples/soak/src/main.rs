//! A million random tool calls by eight agents on one shared list, each held against the reference model.
//!
//! The README says what is done and what is proved.

mod agent;
mod calls;
mod check;
mod in_process;
mod logged;
mod measure;
#[allow(dead_code)] // Some of it is for the state machine test alone.
#[path = "../../../tests/model/mod.rs"]
mod model;
mod random;
mod sloppy;
mod supervisor;

use std::path::PathBuf;
use std::process::ExitCode;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

const HELP: &str = "\
usage: soak [--calls N] [--seed N] [--agents N] [--folder DIR] [--log FILE] [--kill-every MS]
            [--answers-every N] [--replay] [--corrupt swap|drop|lost|stale]
       soak --check FILE
  --calls N          how many calls, 1000000 unless said
  --seed N           what the calls are made from, 7 unless said
  --agents N         how many agents, 8 unless said
  --folder DIR       where the database is, a new folder in /dev/shm unless said
  --log FILE         writes each call that was checked to a file, for --check
  --kill-every MS    how long an agent is left alone on average, 1000 unless said; 0 kills none
  --answers-every N  how often all answers of the list are compared too, each 20th revision unless said
  --replay           all agents in this process, in an order that follows from the seed
  --corrupt KIND     the first agent's store is broken, which must be found
  --check FILE       checks a written log again";

/// What the command line asks for.
pub struct Options {
    pub calls: u64,
    pub seed: u64,
    pub agents: usize,
    pub folder: PathBuf,
    pub log: Option<PathBuf>,
    pub kill_every: u64,
    pub answers_every: u64,
    pub corrupt: Option<String>,
    replay: bool,
    check: Option<PathBuf>,
    /// Name, number of its life; for an agent process.
    agent: Option<(String, u64)>,
}

impl Options {
    fn read() -> Outcome<Options> {
        let shared = PathBuf::from("/dev/shm");
        let parent = if shared.is_dir() {
            shared
        } else {
            std::env::temp_dir()
        };
        let mut options = Options {
            calls: 1_000_000,
            seed: 7,
            agents: 8,
            folder: parent.join(format!("soak-{}", std::process::id())),
            log: None,
            kill_every: 1000,
            answers_every: 20,
            corrupt: None,
            replay: false,
            check: None,
            agent: None,
        };
        let mut args = std::env::args().skip(1);
        while let Some(arg) = args.next() {
            let mut value = || args.next().ok_or(HELP);
            match arg.as_str() {
                "--calls" => options.calls = value()?.parse()?,
                "--seed" => options.seed = value()?.parse()?,
                "--agents" => options.agents = value()?.parse::<usize>()?.max(1),
                "--folder" => options.folder = value()?.into(),
                "--log" => options.log = Some(value()?.into()),
                "--kill-every" => options.kill_every = value()?.parse()?,
                "--answers-every" => options.answers_every = value()?.parse::<u64>()?.max(1),
                "--corrupt" => options.corrupt = Some(value()?),
                "--replay" => options.replay = true,
                "--check" => options.check = Some(value()?.into()),
                "--agent" => options.agent = Some((value()?, value()?.parse()?)),
                _ => return Err(HELP.into()),
            }
        }
        Ok(options)
    }

    /// The database.
    pub fn file(&self) -> PathBuf {
        self.folder.join("lists.db")
    }

    /// The names of the agents.
    pub fn names(&self) -> Vec<String> {
        (1..=self.agents).map(|n| format!("w{n}")).collect()
    }
}

fn run() -> Outcome<()> {
    let options = Options::read()?;
    if let Some((name, life)) = &options.agent {
        return agent::process(&options, name, *life);
    }
    if let Some(file) = &options.check {
        return check::check_log(file, &options);
    }
    std::fs::create_dir_all(&options.folder)?;
    let done = match options.replay {
        true => in_process::run(&options),
        false => supervisor::run(&options),
    };
    match &done {
        Ok(()) => std::fs::remove_dir_all(&options.folder)?,
        Err(_) => eprintln!("the database is left in {}", options.folder.display()),
    }
    done.map_err(|error| format!("seed {}: {error}", options.seed).into())
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
