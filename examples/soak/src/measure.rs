//! Memory and disk over time.

use crate::Options;
use std::fs;

/// Resident memory of a process in KiB.
pub fn resident(pid: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

/// The database with what belongs to it, in KiB.
pub fn on_disk(options: &Options) -> u64 {
    let files = fs::read_dir(&options.folder)
        .into_iter()
        .flatten()
        .flatten();
    let sizes = files.filter_map(|file| file.metadata().ok());
    sizes.map(|file| file.len()).sum::<u64>() / 1024
}

/// Figures in the order of time.
#[derive(Default)]
pub struct Series(Vec<u64>);

impl Series {
    /// What is judged needs so many figures.
    const ENOUGH: usize = 16;

    pub fn add(&mut self, figure: u64) {
        self.0.push(figure);
    }

    fn most(&self, quarter: usize) -> u64 {
        let (from, to) = (self.0.len() * quarter / 4, self.0.len() * (quarter + 1) / 4);
        self.0[from..to].iter().copied().max().unwrap_or_default()
    }

    /// Whether the last quarter is at most 1.3 times the second; `None` of too few figures.
    pub fn is_flat(&self) -> Option<bool> {
        (self.0.len() >= Series::ENOUGH).then(|| self.most(3) * 10 <= self.most(1) * 13)
    }
}

/// The most in each quarter, in MiB.
impl std::fmt::Display for Series {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mib = |quarter| format!("{:.1}", self.most(quarter) as f64 / 1024.0);
        let quarters = [0, 1, 2, 3].map(mib).join(", ");
        let verdict = match self.is_flat() {
            Some(true) => "flat",
            Some(false) => "GROWS",
            None => "too short to judge",
        };
        write!(f, "{quarters} MiB in the quarters of the run: {verdict}")
    }
}
