//! Runs the same work through other task lists and through this one, each in processes of its own, and prints
//! one table. `run` in this folder installs the others first.

mod champion;
mod child;
mod differences;
mod measure;
mod ours;
mod table;
mod work;

use measure::{Measurement, Operation};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Duration;
use table::{Results, Side};
use work::{SIZES, Work};

/// The processes of each side are run this often, in turns.
const ROUNDS: usize = 3;
/// How long one operation at one size is called in one process.
const BUDGET: Duration = Duration::from_millis(250);
/// How long a process may take.
const LIMIT: Duration = Duration::from_secs(120);

/// Measures the work of one size on one side.
type Measure = fn(&Work, Duration) -> Vec<Measurement>;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let done = match args[..] {
        ["measure", side, folder, budget, ref sizes @ ..] => {
            measure_side(side, Path::new(folder), budget, sizes)
        }
        [clients] if !clients.starts_with('-') => compare(Path::new(clients)),
        _ => Err("usage: peers CLIENTS, the folder that `run` installs the peers in".to_owned()),
    };
    done.unwrap_or_else(|error| {
        eprintln!("peers: {error}");
        ExitCode::from(2)
    })
}

/// Measures all sides and prints the table. Fails where this project is not ahead.
fn compare(clients: &Path) -> Result<ExitCode, String> {
    let folder = clients.join("work");
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for tasks in SIZES {
        Work::new(tasks).save(&folder)?;
    }
    let mut results = Results::default();
    for round in 1..=ROUNDS {
        for side in Side::OURS.into_iter().chain(Side::PEERS) {
            eprintln!("round {round} of {ROUNDS}: {}", side.name());
            let measured = child::run(command(side, clients, &folder)?, LIMIT)?;
            results.add(side, &measured);
        }
    }
    for side in Side::OURS.into_iter().chain(Side::PEERS) {
        let missing = results.missing(side, operations(side), &SIZES);
        if !missing.is_empty() {
            return Err(format!("not measured: {}", missing.join("; ")));
        }
    }
    println!("{}\n\n{}\n", results.table(), differences::HOW);
    for differences in differences::PEERS {
        println!("{differences}\n");
    }
    let slower = results.behind_with_replies();
    if !slower.is_empty() {
        println!("Whole tool calls that take as long as taskchampion's bare ones:");
        slower.iter().for_each(|line| println!("- {line}"));
        println!();
    }
    let behind = results.behind();
    if behind.is_empty() {
        println!("Ahead of every peer at every size.");
        return Ok(ExitCode::SUCCESS);
    }
    println!("Not ahead:");
    behind.iter().for_each(|line| println!("- {line}"));
    Ok(ExitCode::FAILURE)
}

/// The operations that a side has.
fn operations(side: Side) -> &'static [Operation] {
    use Operation::{Check, Update, WriteExplicit, WriteNonLatin, WriteOmitted};
    match side {
        Side::Library => &Operation::ALL,
        Side::Tools | Side::Todos | Side::Short | Side::Store | Side::Mastra => {
            &Operation::ALL[..5]
        }
        Side::LangChain => &[WriteOmitted, WriteNonLatin, Update],
        Side::Taskchampion => &[
            WriteExplicit,
            WriteNonLatin,
            Update,
            Check,
            Operation::Ready,
            Operation::ReadyJoined,
        ],
    }
}

/// The process that measures a side.
fn command(side: Side, clients: &Path, folder: &Path) -> Result<Command, String> {
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    let (program, script): (PathBuf, Vec<PathBuf>) = match side {
        Side::Mastra => ("node".into(), vec![clients.join("mastra/measure.mjs")]),
        Side::LangChain => {
            let here = Path::new(env!("CARGO_MANIFEST_DIR"));
            let python = clients.join("langchain/bin/python");
            (python, vec![here.join("langchain/measure.py")])
        }
        _ => (own, vec!["measure".into(), side.name().into()]),
    };
    let mut command = Command::new(program);
    command.args(script).arg(folder);
    command.arg(BUDGET.as_millis().to_string());
    command.args(SIZES.map(|tasks| tasks.to_string()));
    command.env("LANGSMITH_TRACING", "false");
    command.env("MASTRA_TELEMETRY_DISABLED", "1");
    Ok(command)
}

/// Measures one of the sides that are written in Rust, in this process.
fn measure_side(
    side: &str,
    folder: &Path,
    budget: &str,
    sizes: &[&str],
) -> Result<ExitCode, String> {
    let measure: Measure = match side {
        "tools" => ours::tools,
        "todos" => ours::todos,
        "short" => ours::short,
        "store" => ours::store,
        "library" => ours::library,
        "taskchampion" => champion::library,
        _ => return Err(format!("{side:?} is not measured here")),
    };
    let number = |text: &str| {
        text.parse::<usize>()
            .map_err(|error| format!("{text:?}: {error}"))
    };
    let budget = Duration::from_millis(number(budget)? as u64);
    for size in sizes {
        for line in measure(&Work::load(folder, number(size)?)?, budget) {
            let line = serde_json::to_string(&line).map_err(|error| error.to_string())?;
            println!("{line}");
        }
    }
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sides assert that the work was done.
    #[test]
    fn all_sides_in_rust_do_the_work() {
        let sides: [(Side, Measure); 6] = [
            (Side::Tools, ours::tools),
            (Side::Todos, ours::todos),
            (Side::Short, ours::short),
            (Side::Store, ours::store),
            (Side::Library, ours::library),
            (Side::Taskchampion, champion::library),
        ];
        let (sizes, mut results) = ([3, 10, 100], Results::default());
        for (side, measure) in sides {
            for tasks in sizes {
                results.add(side, &measure(&Work::new(tasks), Duration::from_millis(1)));
            }
            let missing = results.missing(side, operations(side), &sizes);
            assert_eq!(missing, Vec::<String>::new());
        }
    }

    #[test]
    #[should_panic(expected = "the work was not done")]
    fn a_call_that_does_nothing_is_noticed() {
        let mut work = Work::new(10);
        work.update[1] = work.update[0].clone();
        ours::tools(&work, Duration::from_millis(1));
    }

    #[test]
    fn work_is_read_as_it_was_written() {
        let folder = std::env::temp_dir().join(format!("peers-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let work = Work::new(10);
        work.save(&folder).unwrap();
        let read = Work::load(&folder, 10).unwrap();
        std::fs::remove_dir_all(&folder).unwrap();
        assert_eq!(format!("{read:?}"), format!("{work:?}"));
        assert!(read.explicit[0].contains(r#""id":"task_check_the_module_number_9""#));
        assert!(read.non_latin.contains("检查第九号模块的文档"));
        let without = read.without_active_forms();
        for (with, without) in [
            (&read.omitted[1], &without.omitted[1]),
            (&read.explicit[1], &without.explicit[1]),
            (&read.non_latin, &without.non_latin),
        ] {
            assert!(with.contains("activeForm") && !without.contains("activeForm"));
        }
    }
}
