//! The first inputs of each target, from the recorded calls of `tests/conformance` and the reported cases.

use crate::SEPARATOR;
use crate::make::{PATHS, PATTERNS};
use crate::tools::TOOLS;
use agent_tasklist::TaskList;
use agent_tasklist::render::markdown;
use agent_tasklist::tools::Toolset;
use serde_json::Value;
use std::fs;
use std::io;
use std::path::Path;

/// The longest input, as `run` has it.
const LONGEST: usize = 4096;

/// Writes the first inputs of a target into its folder in `corpus/`, if it has none yet.
pub fn plant(target: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("corpus")
        .join(target);
    let planted = match folder.join("seed-0").exists() {
        true => Ok(()),
        false => seeds().and_then(|seeds| seeds.write(target, &folder)),
    };
    if let Err(error) = planted {
        eprintln!("no seeds for {target}: {error}");
    }
}

fn seeds() -> io::Result<Seeds> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let files = [
        here.join("../conformance/mastra-scripted.jsonl"),
        here.join("../conformance/mastra-random.jsonl"),
        here.join("cases.jsonl"),
    ];
    let mut seeds = Seeds::default();
    for file in files {
        for line in fs::read_to_string(file)?.lines() {
            let case: Value = serde_json::from_str(line)?;
            play(&mut seeds, &case);
        }
    }
    for n in 0..32u8 {
        let noise = noise(n);
        seeds.add("projector", noise.clone());
        seeds.add("markdown", [&[0], &noise[..]].concat());
        seeds.add("load", [&[SEPARATOR], &noise[..]].concat());
        let calls = noise.chunks(64).take(6).collect::<Vec<_>>();
        seeds.add("tools", calls.join(&SEPARATOR));
        let few = |all: &[&str]| {
            all.iter()
                .skip(usize::from(n) % 8)
                .step_by(3)
                .copied()
                .collect::<Vec<_>>()
                .join("\0")
        };
        seeds.add(
            "globs",
            format!("{}\0\0{}", few(PATTERNS), few(PATHS)).into(),
        );
    }
    Ok(seeds)
}

/// Plays the calls of a case, and keeps them and what they make.
fn play(seeds: &mut Seeds, case: &Value) {
    let mut list = TaskList::new();
    let mut calls = vec![0];
    for step in case["steps"].as_array().into_iter().flatten() {
        let name = step["tool"].as_str().or(step["call"].as_str());
        let name = name.unwrap_or_default().trim_start_matches("task_");
        let args = step.get("input").unwrap_or(step);
        let Some(tool) = TOOLS.iter().position(|tool| tool[5..] == *name) else {
            continue;
        };
        Toolset::full().call(&mut list, TOOLS[tool], args);
        calls.extend([SEPARATOR, tool as u8]);
        calls.extend(args.to_string().bytes());
    }
    seeds.add("tools", calls);
    seeds.add("load", list.to_json().into());
    seeds.add("markdown", format!("\u{1}{}", markdown(&list, None)).into());
}

/// The same bytes for the same number.
fn noise(seed: u8) -> Vec<u8> {
    let mut state = u32::from(seed).wrapping_mul(2_654_435_761) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        (state >> 8) as u8 & 0x7f
    };
    (0..64 + 32 * usize::from(seed)).map(|_| next()).collect()
}

#[derive(Default)]
struct Seeds(Vec<(&'static str, Vec<u8>)>);

impl Seeds {
    fn add(&mut self, target: &'static str, input: Vec<u8>) {
        if input.len() <= LONGEST {
            self.0.push((target, input));
        }
    }

    fn write(self, target: &str, folder: &Path) -> io::Result<()> {
        fs::create_dir_all(folder)?;
        let inputs = self.0.into_iter().filter(|(of, _)| *of == target);
        for (n, (_, input)) in inputs.enumerate() {
            fs::write(folder.join(format!("seed-{n}")), input)?;
        }
        Ok(())
    }
}
