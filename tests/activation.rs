//! For the operator: a task sleeps exactly until a file that it waits for is modified, is in nobody's way while it
//! sleeps, and never falls asleep again once it was worked on. Patterns mean what CI path filters and `.gitignore` have
//! taught people, and one that cannot mean anything is refused when it is given.

use agent_tasklist::change::Demotion;
use agent_tasklist::error::{Place, Problem, TextKind};
use agent_tasklist::policy::Limit;
use agent_tasklist::tools::{Strictness, Toolset};
use agent_tasklist::{
    Activation, Error, Limits, PathStyle, State, Status, TaskDraft, TaskList, TaskPatch,
};
use proptest::prelude::*;
use serde_json::{Value, json};

/// Pattern, path, whether it matches, and the reason where somebody could expect otherwise.
///
/// The answers are those of CI path filters (as GitHub Actions and GitLab document them) and of
/// `.gitignore` where these agree.
const TABLE: &[(&str, &str, bool, &str)] = &[
    // No slash: the file name, at any depth, as .gitignore has it.
    ("*.rs", "main.rs", true, ""),
    ("*.rs", "src/main.rs", true, ""),
    ("*.rs", "src/a/b/main.rs", true, ""),
    ("*.rs", "main.rsx", false, ""),
    (
        "*.rs",
        ".rs",
        true,
        "a star may stand for nothing, and for a leading dot",
    ),
    ("Makefile", "Makefile", true, ""),
    ("Makefile", "sub/Makefile", true, ""),
    ("Makefile", "Makefile/x", true, "a folder of that name"),
    ("makefile", "Makefile", false, "case matters"),
    ("docs", "docs/a.md", true, ""),
    ("docs", "a/docs/b/x.md", true, "at any depth"),
    ("docs", "docsx/a.md", false, ""),
    ("docs", "a/xdocs/docs.md", false, ""),
    ("*.d", "etc/conf.d/10.conf", true, "a name with a star too"),
    ("{docs,man}", "man/x", true, ""),
    ("d?cs", "docs/x", true, ""),
    (
        "a,b",
        "a,b/x",
        true,
        "a comma outside braces is a character",
    ),
    ("a**b", "a/x/b/c", true, "below what it matches"),
    ("a**b", "a/x/bc/d", false, ""),
    // A slash: the whole path.
    ("src/*.rs", "src/b.rs", true, ""),
    ("src/*.rs", "src/a/b.rs", false, "* does not cross /"),
    ("src/*.rs", "x/src/b.rs", false, "anchored at the root"),
    ("src/*/x", "src/a/x", true, ""),
    ("src/*/x", "src/a/b/x", false, ""),
    ("src/*/x", "src/x", false, ""),
    ("/Makefile", "Makefile", true, ""),
    (
        "/Makefile",
        "sub/Makefile",
        false,
        "a leading / anchors at the root",
    ),
    ("/src/*.rs", "src/b.rs", true, ""),
    ("/*.md", "README.md", true, ""),
    ("/*.md", "docs/README.md", false, ""),
    ("./Makefile", "Makefile", true, ""),
    (
        "./Makefile",
        "sub/Makefile",
        false,
        "./ says where it is, so it anchors as / does",
    ),
    ("./src/./*.rs", "src/b.rs", true, ""),
    ("src//b.rs", "src/b.rs", true, ""),
    // A trailing slash: everything below.
    ("docs/", "docs/a.md", true, ""),
    ("docs/", "docs/a/b.md", true, ""),
    ("docs/", "docs", false, "a file is not below itself"),
    (
        "docs/",
        "x/docs/a.md",
        false,
        "from the root, as CI filters have it; .gitignore would match at any depth",
    ),
    ("a/b/", "a/b/c", true, ""),
    ("/docs/", "docs/a.md", true, ""),
    (
        "docs/.",
        "docs/a.md",
        true,
        "the folder itself is everything below it",
    ),
    ("*/", "a/b", true, ""),
    ("*/", "a", false, ""),
    ("/", "a", true, "everything below the root"),
    ("/", "a/b", true, ""),
    ("./", "a/b", true, ""),
    // Two stars between slashes: any number of folders, none too.
    ("**/*.ts", "x.ts", true, "none too"),
    ("**/*.ts", "a/x.ts", true, ""),
    ("**/*.ts", "a/b/x.ts", true, ""),
    ("**/*_test.go", "x_test.go", true, ""),
    ("a/**/b", "a/b", true, ""),
    ("a/**/b", "a/x/b", true, ""),
    ("a/**/b", "a/x/y/b", true, ""),
    ("a/**/b", "a/xb", false, ""),
    ("docs/**", "docs/a", true, ""),
    ("docs/**", "docs/a/b/c", true, ""),
    ("docs/**", "docs", false, "something below it"),
    ("docs/**", "docsx/a", false, ""),
    ("**", "a", true, ""),
    ("**", "a/b/c", true, ""),
    ("**/", "a/b", true, "everything below a folder at any depth"),
    ("a/***/b", "a/x/y/b", true, "more than two stars are two"),
    ("**/**/x", "x", true, ""),
    ("**/x/**", "a/x/b", true, ""),
    ("**/x/**", "x/b", true, ""),
    ("**/*x7*/**", "a/ax7b/c/d.rs", true, ""),
    ("**/*x7*/**", "a/b/x7", false, "a folder is wanted"),
    // Two stars glued to something: they cross folders, as CI filters have it.
    ("src/**.rs", "src/a/b.rs", true, "glued ** crosses /"),
    ("src/**.rs", "src/b.rs", true, ""),
    ("src/**.rs", "x/src/b.rs", false, ""),
    ("**.rs", "a/b.rs", true, ""),
    ("a**/x.cs", "abc/d/x.cs", true, ""),
    ("a**/x.cs", "a/x.cs", true, ""),
    (
        "a**b",
        "a/x/b",
        true,
        "no slash, so at any depth; the stars cross all the same",
    ),
    ("a**b", "z/ab", true, ""),
    ("foo**", "foo/bar/baz", true, ""),
    ("{**,x}/y", "a/b/y", true, "next to a brace is glued too"),
    // The empty pattern.
    ("", "README", true, "any file"),
    ("", "a/b/c", true, ""),
    ("  ", "a/b", true, "blank is empty"),
    // White space around.
    ("docs/** ", "docs/a", true, ""),
    (" *.md\r\n", "a.md", true, ""),
    ("a\\ ", "a ", true, "an escaped space is one of the name"),
    ("a\\  ", "a ", true, ""),
    ("a\\\\ ", "a\\", true, "the backslash is what is escaped"),
    ("./ a", " a", true, "not around the pattern"),
    ("./ a", "x/ a", false, ""),
    ("./ a/b", " a/b", true, ""),
    ("./ a/b", "a/b", false, ""),
    ("a/ /", "a/ /b", true, ""),
    // One character, classes, alternatives, escapes.
    ("?.rs", "a.rs", true, ""),
    ("?.rs", "ab.rs", false, ""),
    ("a?b", "a/b", false, "? does not cross /"),
    ("?.rs", "é.rs", false, "? is one byte"),
    ("*.rs", "é.rs", true, ""),
    ("é.rs", "é.rs", true, ""),
    ("[ab].c", "b.c", true, ""),
    ("[!ab].c", "c.c", true, ""),
    ("[!ab].c", "a.c", false, ""),
    ("[^ab].c", "c.c", true, ""),
    ("[a-c]x", "bx", true, ""),
    ("a[!x]b", "a/b", false, "a class does not cross /"),
    ("[**].c", "*.c", true, "stars in a class are stars"),
    ("[**].c", "{.c", false, ""),
    ("[!**].c", "{.c", true, ""),
    ("[!**].c", "*.c", false, ""),
    ("[]**].c", "{.c", false, ""),
    ("[!]**].c", "{.c", true, ""),
    ("[a]**.c", "ab/c.c", true, "stars after a class cross"),
    ("[[:digit:]].c", "5.c", true, "a class by its name"),
    ("[[:digit:]].c", ":.c", false, ""),
    ("[[:digit:]**].c", "*.c", true, "in a class too"),
    ("[[:digit:]**].c", "{.c", false, ""),
    ("[[:digit:][:upper:]**].c", "{.c", false, ""),
    ("[[:digit:]]**.c", "5/x.c", true, ""),
    (
        "[a[:]**:]",
        "ax/y:]",
        true,
        "no name, so the first ] ends the class",
    ),
    ("[[:X:]**:]", "Xa/y:]", true, ""),
    ("[[:abcdefghi:]**:]", "ax/y:]", true, ""),
    ("[é**].c", "{.c", false, ""),
    (
        "[]*].c",
        "].c",
        true,
        "a ] that stands first is one of the class",
    ),
    ("{a,b}.c", "a.c", true, ""),
    ("{a,b}.c", "x/b.c", true, ""),
    ("foo{,.txt}", "foo", true, "an alternative may be empty"),
    ("src/{a,b}/*.c", "src/b/x.c", true, ""),
    ("{src/**,docs}/x", "src/a/b/x", true, ""),
    ("\\*.rs", "*.rs", true, "\\ escapes on every platform"),
    ("\\*.rs", "a.rs", false, ""),
    (
        "\\**",
        "*x",
        true,
        "an escaped star and a star are not two stars",
    ),
    ("\\!important", "!important", true, ""),
    ("a,b", "a,b", true, ""),
    // Paths are normalised.
    ("src/*.rs", "./src//b.rs", true, ""),
    ("/a", "./a", true, ""),
    ("a b", "x/a b", true, ""),
    ("*.md", "a\nb.md", true, "a line break is a character"),
];

fn until(pattern: &str) -> Activation {
    Activation::files_modified([pattern]).expect("a valid pattern")
}

#[test]
fn patterns_match_as_ci_path_filters_do() {
    assert!(TABLE.len() >= 60);
    let mut wrong = Vec::new();
    for &(pattern, path, matches, reason) in TABLE {
        let mut list = TaskList::new();
        let id = list
            .create(TaskDraft::new("T").activation(until(pattern)))
            .unwrap()
            .id;
        list.files_modified([path]).unwrap();
        if (list.state(&id) == Some(State::Ready)) != matches {
            wrong.push(format!(
                "{pattern:?} on {path:?} should be {matches}: {reason}"
            ));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn bad_patterns_are_refused_when_given() {
    let problem = |pattern: &str| match Activation::files_modified([pattern]) {
        Err(Error::Invalid { invalid, place }) => {
            assert_eq!((invalid.kind, &*invalid.text), (TextKind::Pattern, pattern));
            assert_eq!(place, Some(Place::Item(0)));
            invalid.problem
        }
        other => panic!("{pattern:?}: {other:?}"),
    };
    assert_eq!(problem("!docs/**"), Problem::Negated);
    for up in ["..", "../a", "a/../b", "a/.."] {
        assert_eq!(problem(up), Problem::ParentFolder);
    }
    for bad in ["[ab", "{a", "a}", "[z-a]", "a\\", "[]", "[!]"] {
        assert!(
            matches!(problem(bad), Problem::Syntax(reason) if !reason.is_empty()),
            "{bad}"
        );
    }
    let error = Activation::files_modified([""; 0]).unwrap_err();
    assert!(matches!(
        error,
        Error::Invalid { invalid, .. } if invalid.problem == Problem::Missing
    ));
    let error = Activation::files_modified(["[ab"]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "Item 1: Invalid pattern \"[ab\": unclosed character class; missing ']'"
    );
    let error = Activation::of_kind("commit_pushed", ["*"]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "Unknown condition \"commit_pushed\". Allowed: files_modified."
    );
}

#[test]
fn patterns_are_limited() {
    let exceeded = |error: Error| match error {
        Error::LimitExceeded {
            limit, max, found, ..
        } => (limit, max, found),
        other => panic!("{other:?}"),
    };
    let many = |n: usize| Activation::files_modified((0..n).map(|n| format!("{n}")));
    assert_eq!(many(64).unwrap().patterns().len(), 64);
    assert_eq!(exceeded(many(65).unwrap_err()), (Limit::Patterns, 64, 65));
    assert_eq!(exceeded(many(999).unwrap_err()), (Limit::Patterns, 64, 999));
    let uncounted = (0..999).filter(|n| n % 2 < 2).map(|n| format!("{n}"));
    let error = Activation::files_modified(uncounted).unwrap_err();
    assert_eq!(exceeded(error), (Limit::Patterns, 64, 65));
    let long = |n: usize| Activation::files_modified(["x".repeat(n)]);
    assert!(long(1024).is_ok());
    assert_eq!(
        exceeded(long(1025).unwrap_err()),
        (Limit::PatternBytes, 1024, 1025)
    );
    for hard in [
        "*",
        "?",
        "a**",
        "{a,b}",
        "[a-z]",
        "{*a*,*b*}",
        "**/*a*/",
        "[!é]",
    ] {
        let pattern = hard.repeat(1024 / hard.len());
        let mut list = TaskList::new();
        list.create(TaskDraft::new("T").activation(until(&pattern)))
            .unwrap();
        list.files_modified(["a/".repeat(100) + &"b".repeat(2000)])
            .unwrap();
    }
}

#[test]
fn one_pattern_written_in_two_ways_is_one_pattern() {
    let patterns = [
        "./src//*.rs",
        "src/*.rs",
        "/src/*.rs",
        "docs/.",
        "docs/",
        "/docs/",
        "./x",
        "/x",
    ];
    let activation = Activation::files_modified(patterns).unwrap();
    assert_eq!(
        activation.patterns().collect::<Vec<_>>(),
        ["src/*.rs", "docs/", "/x"]
    );
    let rooted = Activation::files_modified(["./!a/*.rs", "/!a//*.rs", "/!b/", "./!c"]).unwrap();
    let texts: Vec<&str> = rooted.patterns().collect();
    assert_eq!(texts, ["/!a/*.rs", "/!b/", "/!c"]);
    assert_eq!(Activation::files_modified(&texts).unwrap(), rooted);
    for path in ["!a/x.rs", "!b/c/d", "!c"] {
        let mut list = TaskList::new();
        list.create(TaskDraft::new("T").activation(rooted.clone()))
            .unwrap();
        assert_eq!(
            list.files_modified([path]).unwrap().effects.woken.len(),
            1,
            "{path}"
        );
    }
}

fn ids(ids: &[agent_tasklist::TaskId]) -> Vec<&str> {
    ids.iter().map(|id| id.as_str()).collect()
}

#[test]
fn a_dormant_task_is_in_nobodys_way() {
    let mut list = TaskList::new();
    list.write([
        TaskDraft::new("Lint").id("lint").activation(until("*.rs")),
        TaskDraft::new("Ship")
            .id("ship")
            .blocked_by(["lint"])
            .status(Status::InProgress),
    ])
    .unwrap();
    assert_eq!(list.state("lint"), Some(State::Dormant));
    assert_eq!(list.open_tasks().count(), 1);
    assert!(list.ready().next().is_none());
    let error = list
        .update("lint", TaskPatch::new().status(Status::InProgress))
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "Cannot start lint: it is dormant until a file that matches *.rs is modified. Work on something else."
    );
    let changes = list.files_modified(["src/a.rs"]).unwrap();
    assert_eq!(ids(&changes.effects.woken), ["lint"]);
    assert_eq!(ids(&changes.effects.now_blocked), ["ship"]);
    assert_eq!(changes.effects.demoted[0].id, "ship");
    assert!(
        matches!(&changes.effects.demoted[0].cause, Demotion::MadeToWait { by } if ids(by) == ["lint"])
    );
    assert_eq!(list.get("ship").unwrap().status, Status::Pending);
}

#[test]
fn started_work_stays_awake() {
    let mut list = TaskList::new();
    list.create(TaskDraft::new("A").id("a").activation(until("*.rs")))
        .unwrap();
    list.create(TaskDraft::new("B").id("b").activation(until("*.rs")))
        .unwrap();
    list.files_modified(["a.rs"]).unwrap();
    list.update("a", TaskPatch::new().status(Status::InProgress))
        .unwrap();
    list.update("a", TaskPatch::new().status(Status::Pending))
        .unwrap();
    let changes = list.begin_run("r2").unwrap();
    assert_eq!(ids(&changes.effects.fallen_asleep), ["b"]);
    assert_eq!(list.state("a"), Some(State::Ready));
    list.update("a", TaskPatch::new().activation(until("docs/")))
        .unwrap();
    assert_eq!(
        list.state("a"),
        Some(State::Ready),
        "the bit outlives a changed activation"
    );
    let list = TaskList::from_json(&list.to_json()).unwrap();
    assert_eq!(list.state("a"), Some(State::Ready));
    assert_eq!(list.state("b"), Some(State::Dormant));
}

#[test]
fn work_under_a_taken_over_id_sleeps_by_itself() {
    let mut list = TaskList::new();
    list.create(TaskDraft::new("A").id("a")).unwrap();
    let b = TaskDraft::new("B").id("b").activation(until("*.rs"));
    list.create(b.status(Status::Completed)).unwrap();
    list.files_modified(["x.rs"]).unwrap();
    let taken_over = || [TaskDraft::new("A").id("b").activation(until("*.rs"))];
    list.write(taken_over()).unwrap();
    assert_eq!(list.state("b"), Some(State::Ready));

    let mut list = TaskList::new();
    list.create(TaskDraft::new("A").id("a")).unwrap();
    list.create(TaskDraft::new("B").id("b").activation(until("*.rs")))
        .unwrap();
    list.files_modified(["x.rs"]).unwrap();
    list.complete("b").unwrap();
    list.begin_run("r2").unwrap();
    list.write(taken_over()).unwrap();
    assert_eq!(list.state("b"), Some(State::Dormant));
}

#[test]
fn a_run_begins_once() {
    let mut list = TaskList::new();
    assert_eq!(
        list.begin_run("r1").unwrap().facts.run_began.as_deref(),
        Some("r1")
    );
    list.files_modified(["a"]).unwrap();
    assert!(list.begin_run("r1").unwrap().is_empty());
    let changes = list.files_modified(["./a", "a", "b"]).unwrap();
    assert_eq!(changes.facts.files_added, ["b".into()]);
    assert!(
        !changes.is_empty(),
        "new evidence is a fact, though it wakes nothing"
    );
    assert!(
        list.files_modified(["b", "", " "])
            .unwrap()
            .facts
            .files_added
            == [" ".into()]
    );
    assert!(matches!(list.begin_run("a/b"), Err(Error::Invalid { .. })));
    let before = list.clone();
    let error = list.files_modified(["c", "../d"]).unwrap_err();
    assert!(matches!(
        error,
        Error::Invalid { invalid, .. } if invalid.problem == Problem::ParentFolder
    ));
    assert_eq!(list, before);
    list.files_modified_as(&PathStyle::windows(), ["src\\x.rs"])
        .unwrap();
    list.create(TaskDraft::new("T").id("t").activation(until("src/*.rs")))
        .unwrap();
    assert_eq!(
        list.state("t"),
        Some(State::Ready),
        "created after the push, so awake at once"
    );
}

#[test]
fn incomplete_evidence_opens_no_gate() {
    let mut list = TaskList::new();
    list.set_policy(
        list.policy()
            .with_limits(Limits::default().with(Limit::Evidence, 2)),
    );
    list.create(TaskDraft::new("T").id("t").activation(until("docs/")))
        .unwrap();
    list.files_modified(["a", "b"]).unwrap();
    assert!(list.can_finish());
    let changes = list.files_modified(["c"]).unwrap();
    assert!(changes.facts.evidence_lost);
    assert_eq!(ids(&changes.effects.woken), ["t"]);
    assert!(!list.can_finish());
    assert!(list.files_modified(["d"]).unwrap().is_empty());
    let mut list = TaskList::from_json(&list.to_json()).unwrap();
    assert_eq!(list.state("t"), Some(State::Ready));
    list.begin_run("r2").unwrap();
    assert_eq!(list.state("t"), Some(State::Dormant));
}

#[test]
fn restore_brings_a_task_back_as_it_was() {
    let mut list = TaskList::new();
    list.create(
        TaskDraft::new("A")
            .id("a")
            .activation(until("*.rs"))
            .description("d"),
    )
    .unwrap();
    list.create(TaskDraft::new("B").id("b").blocked_by(["a"]))
        .unwrap();
    list.files_modified(["x.rs"]).unwrap();
    list.update("a", TaskPatch::new().status(Status::Completed))
        .unwrap();
    list.update("a", TaskPatch::new().status(Status::Deleted))
        .unwrap();
    assert_eq!(list.state("a"), Some(State::Deleted));
    assert!(matches!(
        list.restore("b"),
        Err(Error::IdTaken { retired: false, .. })
    ));
    let error = list.restore("x").unwrap_err();
    assert_eq!(error.to_string(), "No retired task has id x. Known ids: a.");
    list.begin_run("r2").unwrap();
    let changes = list.restore(" a ").unwrap();
    assert_eq!(changes.facts.revived[0].id, "a");
    let a = list.get("a").unwrap();
    assert_eq!(
        (a.status, a.description.as_deref()),
        (Status::Pending, Some("d"))
    );
    assert_eq!(list.state("a"), Some(State::Ready), "it was completed once");
    assert!(list.blocks("a").unwrap().is_empty());
    assert_eq!(list.tasks().next_back().unwrap().id, "a");
}

#[test]
fn stored_activations_are_checked() {
    let load = |activation: &str, run: &str| {
        TaskList::from_json(&format!(
            r#"{{"version":1,"tasks":[{{"id":"t","subject":"T","status":"pending","activation":{activation}}}],"run":{run}}}"#
        ))
    };
    let list = load(
        r#"{"files_modified":["docs/"]}"#,
        r#"{"id":"r","files":["docs/a"]}"#,
    )
    .unwrap();
    assert_eq!(list.state("t"), Some(State::Ready));
    assert_eq!(list.run(), Some("r"));
    for (activation, run) in [
        (r#"{"files_modified":[]}"#, "{}"),
        (r#"{"files_modified":["/docs/"]}"#, "{}"),
        (r#"{"files_modified":["a","a"]}"#, "{}"),
        (r#"{"files_modified":["[a"]}"#, "{}"),
        (r#"{"files_modified":["!a"]}"#, "{}"),
        (r#"{"files_modified":["a"]}"#, r#"{"files":["./a"]}"#),
        (r#"{"files_modified":["a"]}"#, r#"{"files":["a","a"]}"#),
        (r#"{"files_modified":["a"]}"#, r#"{"files":["../a"]}"#),
        (
            r#"{"files_modified":["a"]}"#,
            r#"{"files":["a"],"incomplete":true}"#,
        ),
        (r#"{"files_modified":["a"]}"#, r#"{"id":" r"}"#),
        (r#"{"commit_pushed":["a"]}"#, "{}"),
    ] {
        let error = load(activation, run).expect_err(activation);
        if activation.contains("commit_pushed") {
            assert!(
                error
                    .to_string()
                    .contains("unknown variant `commit_pushed`"),
                "{error}"
            );
        }
    }
}

/// What matches by a matcher compiled on the spot, for patterns without glued stars.
fn naive(pattern: &str, path: &str) -> bool {
    let folders = path.match_indices('/').map(|(at, _)| &path[..at]);
    let mut paths: Vec<&str> = folders.filter(|_| !pattern.contains('/')).collect();
    paths.push(path);
    let anchored = match pattern {
        "" => "**".to_owned(),
        folder if folder.ends_with('/') => format!("{folder}**"),
        path if path.contains('/') => path.trim_start_matches('/').to_owned(),
        name => format!("**/{name}"),
    };
    let glob = globset::GlobBuilder::new(&anchored)
        .literal_separator(true)
        .build()
        .unwrap();
    let matcher = glob.compile_matcher();
    paths.into_iter().any(|path| matcher.is_match(path))
}

fn pattern() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "",
        "*",
        "a",
        "*.x",
        "a/",
        "a/*",
        "a/**",
        "**/b",
        "/a",
        "**/a/**",
        "?",
        "{a,b}/*.x",
        "b.x",
        "a/b/c.x",
        "[ab].x",
        "**/*.x",
    ])
    .prop_map(str::to_owned)
}

fn path() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "a", "b", "a/b", "a/b.x", "b.x", "a/b/c.x", "c/a/b", "c/a.x", "x.y",
    ])
    .prop_map(str::to_owned)
}

fn sleepers() -> impl Strategy<Value = Vec<(Vec<String>, bool)>> {
    prop::collection::vec(
        (prop::collection::vec(pattern(), 0..3), any::<bool>()),
        1..6,
    )
}

fn list_of(sleepers: &[(Vec<String>, bool)]) -> TaskList {
    let mut list = TaskList::new();
    for (i, (patterns, _)) in sleepers.iter().enumerate() {
        let draft = TaskDraft::new("T").id(format!("t{i}"));
        let draft = match patterns.is_empty() {
            true => draft,
            false => draft.activation(Activation::files_modified(patterns).unwrap()),
        };
        list.create(draft).unwrap();
    }
    list
}

fn states(list: &TaskList) -> Vec<State> {
    list.tasks()
        .map(|task| list.state(&task.id).unwrap())
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_task_sleeps_exactly_until_a_file_that_it_waits_for_is_modified(
        sleepers in sleepers(),
        pushes in prop::collection::vec(prop::collection::vec(path(), 0..3), 0..4),
    ) {
        let mut list = list_of(&sleepers);
        let mut pushed: Vec<String> = Vec::new();
        for push in &pushes {
            let before = states(&list);
            let changes = list.files_modified(push).unwrap();
            pushed.extend(push.iter().cloned());
            let now = states(&list);
            for (i, (patterns, _)) in sleepers.iter().enumerate() {
                let awake = patterns.is_empty()
                    || pushed.iter().any(|path| patterns.iter().any(|pattern| naive(pattern, path)));
                prop_assert_eq!(now[i] == State::Ready, awake, "{:?} {:?}", patterns, pushed);
                prop_assert!(before[i] != State::Ready || now[i] == State::Ready, "it only wakes");
                let woken = ids(&changes.effects.woken).contains(&&*format!("t{i}"));
                prop_assert_eq!(woken, before[i] != now[i]);
            }
            let loaded = TaskList::from_json(&list.to_json()).unwrap();
            prop_assert_eq!(&loaded, &list);
            prop_assert_eq!(states(&loaded), now);
            prop_assert!(list.files_modified(push).unwrap().is_empty());
        }
        let mut backwards = list_of(&sleepers);
        for push in pushes.iter().rev() {
            backwards.files_modified(push).unwrap();
        }
        prop_assert_eq!(&backwards, &list);
        prop_assert_eq!(states(&backwards), states(&list));
        let mut after = TaskList::new();
        after.files_modified(&pushed).unwrap();
        after.write(list_of(&sleepers).drafts()).unwrap();
        prop_assert_eq!(states(&after), states(&list), "created after the pushes");
    }

    #[test]
    fn any_pattern_is_refused_or_works(pattern in r"[ab./*?\[\]{},!\\\-é]{0,12}", path in "[ab./é]{0,8}") {
        let activation = Activation::files_modified([&pattern]);
        let plain = !pattern.contains(['[', ']', '{', '}', '!', '\\']) && !pattern.contains("..");
        prop_assert!(activation.is_ok() || !plain, "{:?}", activation);
        if let Ok(activation) = activation {
            let mut list = TaskList::new();
            let id = list.create(TaskDraft::new("T").activation(activation)).unwrap().id;
            let goes_up = path.split('/').any(|segment| segment == "..");
            let pushed = list.files_modified([&path]);
            prop_assert_eq!(pushed.is_err(), goes_up || path.starts_with('/'));
            let woken = pushed.is_ok_and(|changes| changes.effects.woken == [id.clone()]);
            prop_assert_eq!(list.state(&id), Some(if woken { State::Ready } else { State::Dormant }));
            let loaded = TaskList::from_json(&list.to_json()).unwrap();
            prop_assert_eq!(loaded.state(&id), list.state(&id));
            prop_assert_eq!(&loaded, &list);
        }
    }
}

/// Peak memory and time of 5,000 tasks with infix patterns against 3,000 paths; run alone in a
/// release build under `/usr/bin/time -v`.
#[test]
fn of_thousands_of_patterns_those_that_match_wake_their_tasks() {
    let (tasks, paths) = if cfg!(debug_assertions) {
        (500, 300)
    } else {
        (5000, 3000)
    };
    let drafts = (0..tasks).map(|n| {
        TaskDraft::new("T")
            .id(format!("t{n}"))
            .activation(until(&format!("**/*x{n}*/**")))
    });
    let mut list = TaskList::new();
    let start = std::time::Instant::now();
    list.write(drafts).unwrap();
    println!("write {tasks} tasks: {:?}", start.elapsed());
    let start = std::time::Instant::now();
    let paths: Vec<String> = (0..paths)
        .map(|n| format!("src/m{n}/ax{}b/file{n}.rs", n * 2))
        .collect();
    let woken = list.files_modified(&paths).unwrap().effects.woken.len();
    println!(
        "push {} paths: {:?}, {woken} woken",
        paths.len(),
        start.elapsed()
    );
    let wait_for_one = (0..tasks).filter(|n| {
        let part = format!("x{n}");
        paths.iter().any(|path| path.contains(&part))
    });
    assert_eq!(woken, wait_for_one.count());
    assert!(woken < tasks);
    let start = std::time::Instant::now();
    list.files_modified(["src/zz/y.rs"]).unwrap();
    println!("push one more path: {:?}", start.elapsed());
}

#[test]
fn an_activation_has_one_condition() {
    let create = |activation: Value| {
        let args = json!({"content": "T", "activation": activation});
        Toolset::full().call(&mut TaskList::new(), "task_create", &args)
    };
    assert!(!create(json!({"filesModified": ["*.rs"]})).is_error());
    for activation in [
        json!({}),
        json!({"filesModified": ["*.rs"], "other": []}),
        json!({"a": [], "filesModified": ["*.rs"]}),
        json!([{"filesModified": ["*.rs"]}]),
    ] {
        let reply = create(activation);
        let wanted = "an object is wanted: {\"filesModified\": [\"docs/**\"]}";
        assert!(
            reply.is_error() && reply.text.contains(wanted),
            "{}",
            reply.text
        );
    }
    let reply = create(json!({"filesModified": "*.rs"}));
    assert!(reply.text.contains("(dormant until *.rs)"));
    assert!(
        reply
            .text
            .contains("Note: activation was read as a condition on modified files.")
    );
    let reply = create(json!({"commitPushed": ["*.rs"]}));
    let unknown = "- activation: unknown condition \"commitPushed\"; an object is wanted: ";
    assert!(reply.text.contains(unknown), "{}", reply.text);
    let strict = Toolset::full().with_strictness(Strictness::Strict);
    for kind in ["files_modified", "FilesModified", " filesModified"] {
        let args = json!({"content": "T", "activation": {kind: ["*.rs"]}});
        let mut list = TaskList::new();
        let reply = strict.call(&mut list, "task_create", &args);
        assert!(reply.text.contains("unknown condition"), "{}", reply.text);
        assert!(list.is_empty(), "no pattern is lost");
    }
}

/// A list of one task `t` that waits for a file.
fn waiting(pattern: &str) -> TaskList {
    let mut list = TaskList::new();
    list.create(TaskDraft::new("T").id("t").activation(until(pattern)))
        .unwrap();
    list
}

fn wakes(list: &TaskList, style: &PathStyle, path: &str) -> bool {
    let changes = list.clone().files_modified_as(style, [path]);
    !changes.expect(path).effects.woken.is_empty()
}

/// The same task as the tools of each interface make it that can say what a task waits for.
fn made_by_tools(pattern: &str) -> [TaskList; 3] {
    let calls = [
        (
            Toolset::full(),
            "task_create",
            json!({"id": "t", "content": "T", "activation": {"filesModified": [pattern]}}),
        ),
        (
            Toolset::full(),
            "task_write",
            json!({"tasks": [{"id": "t", "content": "T", "status": "pending",
                              "activation": {"filesModified": [pattern]}}]}),
        ),
        (
            Toolset::murmur(),
            "task_create",
            json!({"subject": "T", "activate_when": "files_modified", "pattern": pattern}),
        ),
    ];
    calls.map(|(tools, name, args)| {
        let mut list = TaskList::new();
        let reply = tools.call(&mut list, name, &args);
        assert!(!reply.is_error(), "{}", reply.text);
        list
    })
}

const UNIX: fn() -> PathStyle = PathStyle::unix;

#[test]
fn n16_composed_and_decomposed_letters_differ() {
    let (composed, decomposed) = ("docs/caf\u{e9}.md", "docs/cafe\u{301}.md");
    assert!(!wakes(&waiting(composed), &UNIX(), decomposed));
    assert!(!wakes(&waiting(decomposed), &UNIX(), composed));
    for form in [composed, decomposed] {
        assert!(wakes(&waiting(form), &UNIX(), form), "byte by byte");
        assert!(
            wakes(&waiting("docs/caf*.md"), &UNIX(), form),
            "a star is either"
        );
    }
}

#[test]
fn n16_in_names_through_tools_and_in_the_stored_form() {
    // The name of a folder, and both forms as alternatives.
    assert!(!wakes(
        &waiting("caf\u{e9}"),
        &UNIX(),
        "cafe\u{301}/menu.md"
    ));
    let either = waiting("{caf\u{e9},cafe\u{301}}");
    assert!(wakes(&either, &UNIX(), "cafe\u{301}/menu.md"));
    assert!(wakes(&either, &UNIX(), "caf\u{e9}/menu.md"));
    for list in made_by_tools("caf\u{e9}.md") {
        assert!(!wakes(&list, &UNIX(), "cafe\u{301}.md"));
        assert!(wakes(&list, &UNIX(), "caf\u{e9}.md"));
    }
    // Neither form is changed into the other on the way: one pattern each, one file each.
    let both = Activation::files_modified(["\u{e9}", "e\u{301}"]).unwrap();
    assert_eq!(both.patterns().len(), 2);
    let mut list = TaskList::new();
    list.files_modified(["\u{e9}", "e\u{301}"]).unwrap();
    assert_eq!(TaskList::from_json(&list.to_json()).unwrap(), list);
    assert!(
        list.files_modified(["e\u{301}", "\u{e9}"])
            .unwrap()
            .is_empty()
    );
}

#[test]
fn n17_white_space_around_a_pattern_does_not_count() {
    for pattern in [
        "docs/** ",
        "docs/**\n",
        "*.md\r",
        "\t*.md",
        "\u{3000}docs/ \u{a0}",
        " docs ",
    ] {
        assert!(
            wakes(&waiting(pattern), &UNIX(), "docs/a.md"),
            "{pattern:?}"
        );
    }
    let activation =
        Activation::files_modified(["docs/** ", "docs/**\n", " docs/**", " ./docs/** "]);
    let activation = activation.unwrap();
    assert_eq!(
        activation.patterns().collect::<Vec<_>>(),
        ["docs/**"],
        "one pattern"
    );
    // What is no white space once it is trimmed is judged as it is without.
    for bad in [" !docs", "../a ", "\n[ab"] {
        assert!(Activation::files_modified([bad]).is_err(), "{bad:?}");
    }
    let blank = Activation::files_modified([" \n"]).unwrap();
    assert_eq!(blank.patterns().collect::<Vec<_>>(), [""]);
}

#[test]
fn n17_an_escaped_space_is_one_of_the_name() {
    let list = waiting("docs/a\\  ");
    assert!(wakes(&list, &UNIX(), "docs/a "));
    assert!(!wakes(&list, &UNIX(), "docs/a"));
    for pattern in [
        "a\\ ",
        "./ a/b",
        "./\u{3000}a",
        "a/ /.",
        " / ",
        "./ /",
        ". /a",
        "a\\\\ ",
    ] {
        let once = Activation::files_modified([pattern]).expect(pattern);
        assert_eq!(
            Activation::files_modified(once.patterns()).as_ref(),
            Ok(&once)
        );
        let mut list = TaskList::new();
        list.create(TaskDraft::new("T").activation(once)).unwrap();
        assert_eq!(
            TaskList::from_json(&list.to_json()),
            Ok(list),
            "{pattern:?}"
        );
    }
}

#[test]
fn n17_through_tools() {
    for pattern in ["docs/** ", "docs/**\n", "*.md\r"] {
        for list in made_by_tools(pattern) {
            assert!(wakes(&list, &UNIX(), "docs/a.md"), "{pattern:?}");
        }
    }
}

#[test]
fn n17_a_list_stored_before_patterns_were_trimmed_still_loads() {
    let load = |pattern: &str| {
        let patterns = json!([pattern]);
        let task = json!({"id": "t", "subject": "T", "status": "pending",
                          "activation": {"files_modified": patterns}});
        TaskList::from_json(&json!({"version": 1, "tasks": [task]}).to_string())
    };
    for old in ["docs/** ", " a/b", "*.md\r"] {
        let list = load(old).expect(old);
        assert_eq!(TaskList::from_json(&list.to_json()).as_ref(), Ok(&list));
        let wanted = old.replace("**", "x").replace('*', "x");
        assert!(
            wakes(&list, &UNIX(), &wanted),
            "it means what it meant: {old:?}"
        );
    }
    for never in [" ", "./a ", "a// "] {
        assert!(load(never).is_err(), "{never:?} was never stored");
    }
}

#[test]
fn n18_a_bare_name_is_that_of_a_file_or_a_folder() {
    let docs = waiting("docs");
    for path in [
        "docs/index.md",
        "a/docs/x.md",
        "a/b/docs/c/d",
        "docs",
        "a/docs",
    ] {
        assert!(wakes(&docs, &UNIX(), path), "{path}");
    }
    for path in ["docsx/a", "xdocs/a", "a/docs.md", "Docs/a"] {
        assert!(!wakes(&docs, &UNIX(), path), "{path}");
    }
}

#[test]
fn n18_with_wildcards_and_only_without_a_slash() {
    assert!(wakes(&waiting("*.md"), &UNIX(), "x.md/cover.png"));
    assert!(wakes(&waiting("{docs,man}"), &UNIX(), "a/man/x"));
    assert!(wakes(&waiting("a,b"), &UNIX(), "a,b/x"));
    assert!(wakes(&waiting("d[ao]cs"), &UNIX(), "docs/x"));
    // A slash says where: the file itself, or what is below a folder at the root.
    assert!(!wakes(&waiting("/docs"), &UNIX(), "docs/x"));
    assert!(!wakes(&waiting("a/docs"), &UNIX(), "a/docs/x"));
    assert!(!wakes(&waiting("docs/"), &UNIX(), "a/docs/x"));
    assert!(!wakes(&waiting("docs/*"), &UNIX(), "docs/a/x"));
}

#[test]
fn n18_through_tools_and_on_windows() {
    for list in made_by_tools("docs") {
        assert!(wakes(&list, &UNIX(), "a/docs/x.md"));
        assert!(wakes(&list, &PathStyle::windows(), r"a\docs\x.md"));
    }
}

#[test]
fn n18_each_folder_is_asked_about_whatever_stands_between_its_files() {
    let files = [
        "a/b!/x", "a/b.c", "a/b/c/d", "a/b/e", "a/bc", "b/a/f", "b/ab/g",
    ];
    let met = |pattern: &str| {
        let mut list = waiting(pattern);
        !list.files_modified(files).unwrap().effects.woken.is_empty()
    };
    for name in [
        "a", "b!", "b.c", "b", "c", "d", "e", "bc", "f", "ab", "g", "x",
    ] {
        assert!(met(name), "{name}");
    }
    assert!(!met("abc") && !met("a/b") && !met("h"));
    // Many beside many others, some of them met by a folder alone.
    let mut list = TaskList::new();
    let pattern = |n: usize| match n % 2 {
        0 => format!("part{n}"),
        _ => format!("src/part{n}"),
    };
    list.write((0..600).map(|n| {
        TaskDraft::new("T")
            .id(format!("t{n}"))
            .activation(until(&pattern(n)))
    }))
    .unwrap();
    let paths = (0..600).step_by(3).map(|n| format!("src/part{n}/x.rs"));
    let woken = list.files_modified(paths).unwrap().effects.woken;
    let wanted: Vec<String> = (0..600).step_by(6).map(|n| format!("t{n}")).collect();
    assert_eq!(ids(&woken), wanted);
}

fn is_outside(list: &TaskList, style: &PathStyle, path: &str) {
    let mut same = list.clone();
    let error = same.files_modified_as(style, ["a", path]).unwrap_err();
    let Error::Invalid { invalid, place } = error else {
        panic!("{path}: {error:?}");
    };
    assert_eq!((invalid.kind, &*invalid.text), (TextKind::Path, path));
    assert_eq!(
        (invalid.problem, place),
        (Problem::OutsideRoot, Some(Place::Item(1)))
    );
    assert_eq!(
        (&same, same.to_json()),
        (list, list.to_json()),
        "nothing is kept"
    );
}

#[test]
fn n20_an_absolute_path_is_below_the_root_or_refused() {
    let list = waiting("src/**");
    let path = "/srv/project/src/main.rs";
    is_outside(&list, &UNIX(), path);
    assert!(list.clone().files_modified([path]).is_err());
    for root in ["/srv/project", "/srv/project/", "//srv/./project"] {
        let style = UNIX().below(root);
        assert!(wakes(&list, &style, path), "{root}");
        assert!(wakes(&list, &style, "/srv//project/./src/main.rs"));
        assert!(
            wakes(&list, &style, "src/main.rs"),
            "a relative one as before"
        );
        assert!(wakes(&list, &style, "./src//main.rs"));
        assert!(
            !wakes(&list, &style, "srv/project/src/main.rs"),
            "relative too"
        );
        assert!(
            !wakes(&list, &style, "/srv/project"),
            "the root itself is no file"
        );
        for outside in [
            "/srv/project2/src/x",
            "/srv/other",
            "/srv",
            "/",
            "/src/main.rs",
        ] {
            is_outside(&list, &style, outside);
        }
        assert!(
            list.clone()
                .files_modified_as(&style, ["/srv/project/../x"])
                .is_err()
        );
    }
    let all = UNIX().below("/");
    assert!(wakes(&list, &all, "/src/main.rs"));
    // A root that says nothing of where it is.
    for root in ["", ".", "project", "/a/../b"] {
        is_outside(&list, &UNIX().below(root), "/project/src/main.rs");
    }
}

#[test]
fn n20_on_windows() {
    let list = waiting("src/**");
    let path = r"C:\Work\project\src\main.rs";
    is_outside(&list, &PathStyle::windows(), path);
    for root in [
        r"C:\Work\project",
        r"c:\Work\project\",
        "C:/Work/project",
        r"\\?\C:\Work\project",
    ] {
        let style = PathStyle::windows().below(root);
        for path in [
            path,
            r"c:/Work/project\src/main.rs",
            r"\\?\c:\Work\project\src\main.rs",
            r"src\main.rs",
        ] {
            assert!(wakes(&list, &style, path), "{root} {path}");
        }
        for outside in [
            r"D:\Work\project\src\x",
            r"C:\work\project\src\x",
            r"C:\Work\project2\x",
            r"C:Work\project\src\x",
            r"\Work\project\src\x",
            "/Work/project/src/x",
            r"\\C:\Work\project\src\x",
            r"\\server\Work\project\src\x",
        ] {
            is_outside(&list, &style, outside);
        }
    }
    for root in [
        r"\\server\share",
        "//server/share/",
        r"\\?\UNC\server\share",
    ] {
        let style = PathStyle::windows().below(root);
        assert!(
            wakes(&list, &style, r"\\server\share\src\main.rs"),
            "{root}"
        );
        assert!(wakes(&list, &style, "//server/share/src/main.rs"));
        is_outside(&list, &style, r"\\server\other\src\x");
        is_outside(&list, &style, r"\server\share\src\x");
    }
    let rooted = PathStyle::windows().below(r"\work");
    assert!(wakes(&list, &rooted, "/work/src/x"));
    is_outside(&list, &rooted, r"C:\work\src\x");
    is_outside(&list, &PathStyle::windows().below("C:"), "C:src");
    assert!(wakes(&list, &PathStyle::windows().below("C:"), r"C:\src\x"));
    // There, `\` is a character of a name, and so is `:`.
    assert!(!wakes(&list, &UNIX().below(r"C:\Work"), r"C:\Work\src\x"));
}

#[test]
fn n20_with_patterns_from_tools() {
    let style = UNIX().below("/srv/project");
    for pattern in ["src/**", "/src/**", "src", "main.rs", ""] {
        for list in made_by_tools(pattern) {
            assert!(
                wakes(&list, &style, "/srv/project/src/main.rs"),
                "{pattern:?}"
            );
            is_outside(&list, &style, "/srv/src/main.rs");
        }
    }
}

#[test]
fn n20_only_paths_from_the_root_are_stored() {
    let mut list = TaskList::new();
    let style = UNIX().below("/srv/project");
    let changes = list
        .files_modified_as(&style, ["/srv/project/a", "a", "b"])
        .unwrap();
    assert_eq!(changes.facts.files_added, ["a".into(), "b".into()]);
    assert!(
        list.to_json().contains(r#""files":["a","b"]"#),
        "{}",
        list.to_json()
    );
    for file in ["/a", "a/", "", "./a", "a//b", "../a"] {
        let json = json!({"version": 1, "tasks": [], "run": {"files": [file]}});
        assert!(TaskList::from_json(&json.to_string()).is_err(), "{file:?}");
    }
}

/// Of 5,000 names, at each of which a folder of a file may stand.
#[test]
fn thousands_of_names_stay_small_and_quick() {
    let mut list = TaskList::new();
    list.write((0..5000).map(|n| TaskDraft::new("T").activation(until(&format!("part{n}")))))
        .unwrap();
    let paths: Vec<String> = (0..1000)
        .map(|n| format!("a/b{n}/c/part{n}/d.rs"))
        .collect();
    let start = std::time::Instant::now();
    let mut woken = 0;
    let most = allocation_counter::measure(|| {
        woken = list.files_modified(&paths).unwrap().effects.woken.len();
    });
    println!("{} bytes at most, {:?}", most.bytes_max, start.elapsed());
    assert_eq!(woken, 1000);
    assert!(most.bytes_max < 64 << 20, "{} bytes", most.bytes_max);
}
