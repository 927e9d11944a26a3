//! What each operation costs, beside a floor measured in the same run.
//!
//! ```text
//! cargo bench --bench ratios            # the table; exit code 1 where a target is missed
//! cargo bench --bench ratios -- load    # the operations whose names begin so
//! ```
//!
//! An operation and its floor are measured in processes of their own, in turns, so that neither finds the heap of
//! the other, and what else the machine does hits both. Each process takes the best of many runs; the figure is
//! the median of the processes.

#[expect(dead_code, reason = "other benches use the rest")]
#[path = "support/work.rs"]
mod work;

use std::process::{Command, ExitCode};
use std::time::Duration;
use work::{Case, Target, cases};

/// How often an operation and its floor are measured, in turns.
const ROUNDS: usize = 7;
/// How long one process may take: a bound, not a measure.
const PATIENCE: Duration = Duration::from_secs(60);

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args()
        .skip(1)
        .filter(|arg| arg != "--bench")
        .collect();
    if let [flag, name, size, what] = &args[..]
        && flag == "--measure"
    {
        return measure(name, size, what);
    }
    let prefix = args.first().map_or("", String::as_str);
    let mut missed = 0;
    println!("| operation | size | ours | floor | ratio | target |");
    println!("| --- | ---: | ---: | ---: | ---: | ---: |");
    for case in cases()
        .into_iter()
        .filter(|case| case.name.starts_with(prefix))
    {
        match row(&case) {
            Ok(is_met) => missed += usize::from(!is_met),
            Err(problem) => {
                println!("{} {}: {problem}", case.name, case.size);
                missed += 1;
            }
        }
    }
    println!("\n{missed} missed");
    match missed {
        0 => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}

/// Measures one side of a case, and prints nanoseconds.
fn measure(name: &str, size: &str, what: &str) -> ExitCode {
    let case = cases()
        .into_iter()
        .find(|case| case.name == name && case.size.to_string() == size);
    match case {
        Some(case) => {
            let run = if what == "ours" {
                case.ours
            } else {
                case.floor
            };
            println!("{}", run(case.size));
            ExitCode::SUCCESS
        }
        None => ExitCode::FAILURE,
    }
}

fn row(case: &Case) -> Result<bool, String> {
    let (mut ours, mut floor) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        ours.push(child(case, "ours")?);
        floor.push(child(case, "floor")?);
    }
    let (ours, floor) = (median(ours), median(floor));
    let (ratio, target, is_met) = match case.target {
        Target::Ratio(most) => {
            let ratio = ours / floor;
            (format!("{ratio:.2}"), format!("≤ {most}"), ratio <= most)
        }
        Target::Nanoseconds(most) => ("".into(), format!("≤ {most} ns"), ours <= most),
    };
    let mark = if is_met { "" } else { " **missed**" };
    println!(
        "| {} | {} | {} | {} | {ratio} | {target}{mark} |",
        case.name,
        case.size,
        time(ours),
        time(floor)
    );
    Ok(is_met)
}

fn child(case: &Case, what: &str) -> Result<f64, String> {
    let this = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut command = Command::new("timeout");
    command.arg(PATIENCE.as_secs().to_string()).arg(this);
    command.args(["--measure", case.name, &case.size.to_string(), what]);
    let output = command.output().map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout);
    let last = text.lines().last().unwrap_or_default();
    last.parse()
        .map_err(|_| format!("{what}: {}", String::from_utf8_lossy(&output.stderr)))
}

fn median(mut all: Vec<f64>) -> f64 {
    all.sort_by(f64::total_cmp);
    all[all.len() / 2]
}

fn time(nanoseconds: f64) -> String {
    match nanoseconds {
        ns if ns < 1e3 => format!("{ns:.0} ns"),
        ns if ns < 1e6 => format!("{:.1} µs", ns / 1e3),
        ns => format!("{:.2} ms", ns / 1e6),
    }
}
