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
    (
        "Makefile",
        "Makefile/x",
        false,
        "the file name, not a folder; .gitignore would take the folder",
    ),
    ("makefile", "Makefile", false, "case matters"),
    ("docs", "docs/a.md", false, "a folder is docs/"),
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
    (
        "src/*.rs",
        "/src/b.rs",
        true,
        "a leading / of a path does not count",
    ),
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
    assert_eq!(list.tasks().last().unwrap().id, "a");
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
    glob.compile_matcher().is_match(path)
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
            prop_assert_eq!(pushed.is_err(), goes_up);
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
