//! Medians side by side, and where this project is not ahead.

use crate::measure::{Measurement, Operation, median};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Whose figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Side {
    Tools,
    Todos,
    Short,
    Store,
    Library,
    Mastra,
    LangChain,
    Taskchampion,
}

impl Side {
    pub const OURS: [Side; 5] = [
        Side::Tools,
        Side::Todos,
        Side::Short,
        Side::Store,
        Side::Library,
    ];
    pub const PEERS: [Side; 3] = [Side::Mastra, Side::LangChain, Side::Taskchampion];

    pub fn name(self) -> &'static str {
        match self {
            Side::Tools => "tools",
            Side::Todos => "todos",
            Side::Short => "short",
            Side::Store => "store",
            Side::Library => "library",
            Side::Mastra => "Mastra",
            Side::LangChain => "LangChain",
            Side::Taskchampion => "taskchampion",
        }
    }

    /// The side of ours that does what a peer's does.
    fn like(self) -> Side {
        match self {
            Side::Mastra => Side::Store,
            Side::LangChain => Side::Todos,
            Side::Taskchampion => Side::Library,
            ours => ours,
        }
    }
}

/// The medians of all rounds.
#[derive(Debug, Default)]
pub struct Results {
    rows: BTreeMap<(Operation, usize), BTreeMap<Side, Vec<f64>>>,
}

impl Results {
    /// Takes in what a measuring process told.
    pub fn add(&mut self, side: Side, measured: &[Measurement]) {
        for line in measured {
            let row = self.rows.entry((line.operation, line.tasks)).or_default();
            row.entry(side).or_default().push(line.micros);
        }
    }

    /// The median of the rounds' medians, in µs.
    fn micros(&self, row: (Operation, usize), side: Side) -> Option<f64> {
        let mut rounds = self.rows.get(&row)?.get(&side)?.clone();
        Some(median(&mut rounds))
    }

    /// A peer's time and how many times ours it is.
    fn ratio(&self, row: (Operation, usize), peer: Side, ours: Side) -> Option<(f64, f64)> {
        let (theirs, ours) = (self.micros(row, peer)?, self.micros(row, ours)?);
        Some((theirs, theirs / ours))
    }

    /// All medians, and beside each of a peer how many times that of our like side it is.
    pub fn table(&self) -> String {
        let mut table = String::from("| median µs | tasks |");
        for side in Side::OURS {
            let _ = write!(table, " {} |", side.name());
        }
        for peer in Side::PEERS {
            let _ = write!(table, " {} (÷ {}) |", peer.name(), peer.like().name());
        }
        table.push_str("\n| --- | ---: |");
        table.push_str(&" ---: |".repeat(Side::OURS.len() + Side::PEERS.len()));
        for &row in self.rows.keys() {
            let _ = write!(table, "\n| {} | {} |", row.0.title(), grouped(row.1));
            for side in Side::OURS {
                let cell = self.micros(row, side).map_or("–".to_owned(), short);
                let _ = write!(table, " {cell} |");
            }
            for peer in Side::PEERS {
                let cell = match self.ratio(row, peer, peer.like()) {
                    Some((micros, times)) => format!("{} ({} ×)", short(micros), short(times)),
                    None => "–".to_owned(),
                };
                let _ = write!(table, " {cell} |");
            }
        }
        table
    }

    /// Where a peer takes no longer than the side of ours that does the same.
    pub fn behind(&self) -> Vec<String> {
        let like = |peer: Side| (peer, peer.like());
        self.not_ahead(&Side::PEERS.map(like))
    }

    /// Where taskchampion's bare calls take no longer than our whole tool calls, with the JSON and the text of
    /// all tasks, which it does not have.
    pub fn behind_with_replies(&self) -> Vec<String> {
        self.not_ahead(&[(Side::Taskchampion, Side::Tools)])
    }

    fn not_ahead(&self, pairs: &[(Side, Side)]) -> Vec<String> {
        let mut behind = Vec::new();
        for &row in self.rows.keys() {
            for &(peer, ours) in pairs {
                let Some((micros, times)) = self.ratio(row, peer, ours) else {
                    continue;
                };
                if times <= 1.0 {
                    behind.push(format!(
                        "{}, {} tasks: {} {} µs, {} {} µs",
                        row.0.title(),
                        grouped(row.1),
                        peer.name(),
                        short(micros),
                        ours.name(),
                        short(micros / times),
                    ));
                }
            }
        }
        behind
    }

    /// Which operations of which sizes nobody told of, of those that a side has.
    pub fn missing(&self, side: Side, operations: &[Operation], sizes: &[usize]) -> Vec<String> {
        let mut missing = Vec::new();
        for &operation in operations {
            for &size in sizes {
                if self.micros((operation, size), side).is_none() {
                    missing.push(format!("{}: {operation:?}, {size} tasks", side.name()));
                }
            }
        }
        missing
    }
}

/// With two digits, or all those before the point.
fn short(value: f64) -> String {
    match value {
        0.995.. if value < 9.95 => format!("{value:.1}"),
        9.95.. => grouped(value.round() as usize),
        _ => format!("{value:.2}"),
    }
}

fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(operation: Operation, tasks: usize, micros: f64) -> Measurement {
        Measurement {
            operation,
            tasks,
            micros,
            calls: 3,
        }
    }

    fn results() -> Results {
        let mut results = Results::default();
        for (side, rounds) in [
            (Side::Tools, [9.0, 10.0, 30.0]),
            (Side::Store, [20.0, 20.0, 20.0]),
            (Side::Library, [0.5, 0.5, 0.5]),
            (Side::Mastra, [12_340.0, 12_341.0, 1.0]),
            (Side::Taskchampion, [0.4, 0.5, 0.6]),
        ] {
            for micros in rounds {
                results.add(side, &[line(Operation::Update, 1_000, micros)]);
            }
        }
        results
    }

    #[test]
    fn the_table_has_medians_and_ratios() {
        assert_eq!(
            results().table(),
            "\
| median µs | tasks | tools | todos | short | store | library | Mastra (÷ store) | LangChain (÷ todos) | taskchampion (÷ library) |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
| update one task | 1,000 | 10 | – | – | 20 | 0.50 | 12,340 (617 ×) | – | 0.50 (1.0 ×) |"
        );
    }

    #[test]
    fn a_peer_that_is_as_fast_is_named() {
        let mut results = results();
        let behind = ["update one task, 1,000 tasks: taskchampion 0.50 µs, library 0.50 µs"];
        assert_eq!(results.behind(), behind);
        assert_eq!(results.behind_with_replies().len(), 1);
        for _ in 0..4 {
            results.add(
                Side::Taskchampion,
                &[line(Operation::Update, 1_000, 1_000.0)],
            );
        }
        assert!(results.behind().is_empty());
        assert!(results.behind_with_replies().is_empty());
    }

    #[test]
    fn what_was_not_measured_is_named() {
        let (results, operations) = (results(), [Operation::Update, Operation::Check]);
        let missing = results.missing(Side::Mastra, &operations, &[1_000]);
        assert_eq!(missing, ["Mastra: Check, 1000 tasks"]);
    }

    #[test]
    fn figures() {
        for (value, text) in [
            (0.123, "0.12"),
            (0.999, "1.0"),
            (1.25, "1.2"),
            (9.96, "10"),
            (6_224_554.4, "6,224,554"),
        ] {
            assert_eq!(short(value), text);
        }
    }
}
