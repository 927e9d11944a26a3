//! The house itself: which file may know which, and how much of it is explained.
//!
//! For whoever works on the crate. The layers are drawn in the crate's documentation, in `src/lib.rs`, and read from there;
//! `cargo test --test house -- --nocapture` prints the figures.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// A source file by the path that `use` gives it: `list/edit`, with what it says.
type Sources = BTreeMap<String, String>;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

fn sources() -> Sources {
    let src = root().join("src");
    let mut open = vec![src.clone()];
    let mut sources = Sources::new();
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let name = path.strip_prefix(&src).unwrap().with_extension("");
                let name = name.to_str().unwrap().replace('\\', "/");
                sources.insert(name, fs::read_to_string(&path).unwrap());
            }
        }
    }
    sources
}

/// The files in the order of the layers that the crate's documentation draws, low to high.
fn layers(sources: &Sources) -> Vec<String> {
    let page = &sources["lib"];
    let drawn = page
        .split("//! ```text\n")
        .nth(1)
        .expect("the layers are drawn");
    let drawn = drawn.split("//! ```").next().unwrap();
    let mut layers = Vec::new();
    for line in drawn.lines() {
        let (rooms, _) = line
            .trim_start_matches("//! ")
            .split_once(" — ")
            .expect("a reason");
        let (folder, files) = match rooms.split_once("/ ") {
            Some((folder, files)) => (format!("{folder}/"), files),
            None => (String::new(), rooms),
        };
        layers.extend(files.split(", ").map(|file| format!("{folder}{file}")));
    }
    layers
}

/// Whether a file is only a door: it has children, and says what can be seen of them.
fn is_door(name: &str, sources: &Sources) -> bool {
    name == "lib"
        || sources
            .keys()
            .any(|other| other.starts_with(&format!("{name}/")))
}

/// The code of a file: without comments and without tests.
fn code(text: &str) -> String {
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
    let lines = code
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"));
    lines.collect::<Vec<_>>().join("\n")
}

/// The paths that a file names other files by, as lists of segments, `crate` or `super` first.
fn paths<'c>(code: &'c str) -> Vec<Vec<&'c str>> {
    let mut paths = Vec::new();
    for start in ["crate::", "super::"] {
        for (at, _) in code.match_indices(start) {
            let before = code[..at].chars().next_back();
            let is_inside_a_name =
                before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '$' | ':'));
            if is_inside_a_name || code[..at].ends_with("(in ") {
                continue;
            }
            let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | ':');
            let end = (code[at..].find(|c| !is_name(c))).map_or(code.len(), |end| at + end);
            let segments = |path: &'c str| path.split("::").filter(|part| !part.is_empty());
            let path: Vec<&str> = segments(&code[at..end]).collect();
            match code[end..]
                .strip_prefix('{')
                .and_then(|group| group.split('}').next())
            {
                // A group of files: each is a path of its own.
                Some(group) => paths.extend(group.split(',').filter_map(|name| {
                    let name = name.trim();
                    let inner = segments(name).take_while(|part| *part != "self");
                    (!name.is_empty()).then(|| path.iter().copied().chain(inner).collect())
                })),
                None => paths.push(path),
            }
        }
    }
    paths
}

/// Where a file knows one that it must not: arrows that point up or to a sibling's door, files that are not drawn.
fn wrong_arrows(sources: &Sources) -> Vec<String> {
    let layers = layers(sources);
    let rank = |name: &str| layers.iter().position(|layer| layer == name);
    let mut wrong = Vec::new();
    for name in sources.keys().filter(|name| !is_door(name, sources)) {
        if rank(name).is_none() && !name.ends_with("/tests") {
            wrong.push(format!("{name} is not drawn"));
        }
    }
    for name in &layers {
        if !sources.contains_key(name) {
            wrong.push(format!("{name} is drawn and not there"));
        }
    }
    for (name, text) in sources {
        let (Some(own), false) = (rank(name), is_door(name, sources)) else {
            continue;
        };
        let code = code(text);
        for path in paths(&code) {
            let target = target(name, &path, sources);
            let inside = name.starts_with(&format!("{target}/"));
            let highest = match is_door(&target, sources) {
                true => {
                    let children = layers
                        .iter()
                        .filter(|layer| layer.starts_with(&format!("{target}/")));
                    children.filter_map(|child| rank(child)).max()
                }
                false => rank(&target),
            };
            if target == *name {
                continue;
            }
            if inside || target == "lib" {
                wrong.push(format!(
                    "{name} names {} by its door; name the file",
                    path.join("::")
                ));
            } else if highest.is_none_or(|highest| highest >= own) {
                wrong.push(format!("{name} knows {target}, which is not below it"));
            }
        }
    }
    wrong
}

/// The file that a path in another file leads to.
fn target(name: &str, path: &[&str], sources: &Sources) -> String {
    let mut folders: Vec<&str> = match path[0] {
        "crate" => Vec::new(),
        _ => name.split('/').collect(),
    };
    let mut rest = path;
    while let Some((&"super", after)) = rest.split_first() {
        folders.pop();
        rest = after;
    }
    if path[0] == "crate" {
        rest = &path[1..];
    }
    let mut found = folders.join("/");
    for part in rest {
        let next = if found.is_empty() {
            (*part).to_owned()
        } else {
            format!("{found}/{part}")
        };
        if !sources.contains_key(&next) {
            break;
        }
        found = next;
    }
    if found.is_empty() {
        "lib".to_owned()
    } else {
        found
    }
}

#[test]
fn every_file_knows_only_files_below_it() {
    let wrong = wrong_arrows(&sources());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn an_arrow_that_is_turned_round_is_found() {
    let found = |name: &str, line: &str| {
        let mut sources = sources();
        let text = sources.get_mut(name).unwrap();
        text.push_str(line);
        wrong_arrows(&sources)
    };
    assert_eq!(
        found("error", "\nuse crate::list::TaskList;\n"),
        ["error knows list, which is not below it"]
    );
    assert_eq!(
        found("list/edit", "\nfn f() { super::settle::f() }\n"),
        ["list/edit knows list/settle, which is not below it"]
    );
    assert_eq!(
        found("list/edit", "\nuse super::TaskList;\n"),
        ["list/edit names super::TaskList by its door; name the file"]
    );
    assert_eq!(
        found("tools/notes", "\nuse crate::task::Task;\n"),
        Vec::<String>::new()
    );
}

#[test]
fn a_door_has_no_items_of_its_own() {
    let sources = sources();
    for (name, text) in sources
        .iter()
        .filter(|(name, _)| *name != "lib" && is_door(name, &sources))
    {
        for line in code(text).lines().filter(|line| !line.trim().is_empty()) {
            let starts = [
                "mod ",
                "pub mod ",
                "pub use ",
                "pub(crate) use ",
                "pub(super) use ",
                "#[cfg(test)]",
                "    ",
                "};",
                "pub(crate) mod ",
                "pub(super) mod ",
            ];
            assert!(
                starts.iter().any(|start| line.starts_with(start)),
                "{name}: {line}"
            );
        }
    }
}

#[test]
fn every_file_says_what_it_is_for() {
    for (name, text) in sources() {
        assert!(text.starts_with("//! "), "{name}");
    }
}

#[test]
fn one_room_uses_each_library() {
    for (library, room) in [("petgraph", "graph/"), ("globset", "activation")] {
        for (name, text) in sources() {
            assert!(
                name.starts_with(room) || !code(&text).contains(&format!("{library}::")),
                "{name} uses {library}"
            );
        }
    }
}

/// Lines of code, of documentation and of other comments.
fn lines(text: &str) -> [usize; 3] {
    let mut counts = [0; 3];
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let sort = match line {
            line if line.starts_with("///") || line.starts_with("//!") => 1,
            line if line.starts_with("//") => 2,
            _ => 0,
        };
        counts[sort] += 1;
    }
    counts
}

/// The names that the root of the crate has beside its modules.
fn root_names(page: &str) -> BTreeSet<String> {
    let code = code(page);
    let uses = code
        .split("pub use ")
        .skip(1)
        .map(|rest| rest.split(';').next().unwrap());
    let mut names = BTreeSet::new();
    for path in uses {
        let last = path.rsplit("::").next().unwrap();
        let inside = path
            .split_once('{')
            .map_or(last, |(_, inside)| inside.trim_end_matches('}'));
        names.extend(
            inside
                .split(',')
                .map(|name| name.trim().to_owned())
                .filter(|name| !name.is_empty()),
        );
    }
    names
}

#[test]
fn the_house_is_explained_and_its_front_door_is_small() {
    let sources = sources();
    let [code, docs, comments] =
        sources
            .values()
            .map(|text| lines(text))
            .fold([0; 3], |mut sum, counts| {
                sum.iter_mut()
                    .zip(counts)
                    .for_each(|(sum, count)| *sum += count);
                sum
            });
    let names = root_names(&sources["lib"]);
    let readme = fs::read_to_string(root().join("README.md"))
        .unwrap()
        .lines()
        .count();
    let per_mille = |part: usize| part * 1000 / code;
    println!("files of src: {}, lines of code: {code}", sources.len());
    println!("docs ÷ code: 0.{:03}", per_mille(docs));
    println!("// ÷ code: 0.{:03}", per_mille(comments));
    println!(
        "names at the root: {} ({})",
        names.len(),
        names.iter().cloned().collect::<Vec<_>>().join(", ")
    );
    println!("lines of README: {readme}");
    assert!(
        per_mille(docs) >= 300,
        "documentation is under 0.3 of the code"
    );
    assert!(
        (20..=150).contains(&per_mille(comments)),
        "comments that say why are 2 to 15 % of the code"
    );
    assert!(
        (10..=25).contains(&names.len()),
        "the root has what a first hour needs"
    );
    assert!(readme <= 200, "the README fits its 200 lines");
}
