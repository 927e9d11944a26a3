//! For the operator: the stored form is plain JSON, what is damaged is refused with the place, and nothing is repaired
//! unless it is asked for and told.

use agent_tasklist::error::{Place, Problem, RepairReason};
use agent_tasklist::policy::Limit;
use agent_tasklist::{Error, Limits, LoadError, Status, TaskDraft, TaskId, TaskList, TaskPatch};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

fn sample() -> TaskList {
    let mut list = TaskList::new();
    let metadata = Map::from_iter([("n".to_owned(), json!([1, 0.1, null, {"k": "v"}]))]);
    list.write([
        TaskDraft::new("Build")
            .id("b")
            .description("all of it")
            .active_form("Building"),
        TaskDraft::new("Ship")
            .id("s")
            .blocked_by(["b"])
            .owner("w1")
            .metadata(metadata),
        TaskDraft::new("Old").id("o").status(Status::Completed),
        TaskDraft::new("Gone").id("g"),
    ])
    .unwrap();
    list.delete("g").unwrap();
    list
}

#[test]
fn a_stored_list_is_plain_json() {
    let expected = json!({
        "version": 1,
        "tasks": [
            {"id": "b", "subject": "Build", "status": "pending", "description": "all of it", "active_form": "Building"},
            {"id": "s", "subject": "Ship", "status": "pending", "owner": "w1",
             "metadata": {"n": [1, 0.1, null, {"k": "v"}]}, "blocked_by": ["b"]},
            {"id": "o", "subject": "Old", "status": "completed"},
        ],
        "retired": [{"id": "g", "subject": "Gone", "status": "pending", "deleted": true}],
    });
    let list = sample();
    assert_eq!(serde_json::to_value(&list).unwrap(), expected);
    assert_eq!(list.to_json(), serde_json::to_string(&list).unwrap());
    assert_eq!(TaskList::from_json(&list.to_json()).unwrap(), list);
    assert_eq!(serde_json::from_value::<TaskList>(expected).unwrap(), list);
    assert_eq!(
        serde_json::from_slice::<TaskList>(list.to_json().as_bytes()).unwrap(),
        list
    );
}

fn refused(tasks: Value, retired: Value) -> LoadError {
    let stored = json!({"version": 1, "tasks": tasks, "retired": retired});
    serde_json::from_value::<TaskList>(stored.clone()).expect_err("both ways refuse it");
    TaskList::from_json(&stored.to_string()).expect_err("it must be refused")
}

fn task(id: &str) -> Value {
    json!({"id": id, "subject": "S", "status": "pending"})
}

fn with(id: &str, key: &str, value: Value) -> Value {
    let mut task = task(id);
    task[key] = value;
    task
}

#[test]
fn damage_is_refused_with_data() {
    let id = |id: &str| TaskId::new(id).unwrap();
    assert_eq!(
        refused(json!([task("a"), task("a")]), json!([])),
        LoadError::DuplicateId { id: id("a") }
    );
    assert_eq!(
        refused(json!([task("a")]), json!([task("a")])),
        LoadError::DuplicateId { id: id("a") }
    );
    assert_eq!(
        refused(json!([]), json!([task("a"), task("a")])),
        LoadError::DuplicateId { id: id("a") }
    );
    let error = refused(
        json!([with("a", "blocked_by", json!(["x"]))]),
        json!([task("x")]),
    );
    assert_eq!(
        error,
        LoadError::DanglingBlocker {
            task: id("a"),
            blocker: "x".into()
        }
    );
    let error = refused(
        json!([
            with("a", "blocked_by", json!(["b"])),
            with("b", "blocked_by", json!(["a"]))
        ]),
        json!([]),
    );
    assert_eq!(
        error,
        LoadError::Refused(Error::Cycle {
            path: vec![id("a"), id("b"), id("a")],
            completed: vec![]
        })
    );
    let error = refused(json!([with("a", "blocked_by", json!(["a"]))]), json!([]));
    assert_eq!(
        error,
        LoadError::Refused(Error::SelfDependency { id: id("a") })
    );
    for (key, value, problem) in [
        ("subject", json!(" "), Problem::BlankSubject),
        ("description", json!(""), Problem::BlankText),
        ("active_form", json!(" "), Problem::BlankText),
        ("owner", json!("\n"), Problem::BlankText),
        ("metadata", json!({}), Problem::EmptyMetadata),
        ("status", json!("deleted"), Problem::DeletedStatus),
        ("deleted", json!(true), Problem::DeletedStatus),
        ("blocked_by", json!(["b", "b"]), Problem::DuplicateBlocker),
    ] {
        let error = refused(json!([with("a", key, value), task("b")]), json!([]));
        assert_eq!(
            error,
            LoadError::InvalidTask {
                task: id("a"),
                problem
            }
        );
    }
    let error = refused(
        json!([task("b")]),
        json!([with("a", "blocked_by", json!(["b"]))]),
    );
    assert_eq!(
        error,
        LoadError::InvalidTask {
            task: id("a"),
            problem: Problem::RetiredDependency
        }
    );
    for (text, problem) in [
        ("", Problem::Blank),
        (" a", Problem::NotNormal),
        ("a/b", Problem::Character('/')),
        ("..", Problem::Dots),
    ] {
        let LoadError::Refused(Error::Invalid { invalid, .. }) =
            refused(json!([task(text)]), json!([]))
        else {
            panic!("{text:?} must be an invalid id");
        };
        assert_eq!(invalid.problem, problem);
    }
    let many: Vec<Value> = (0..201).map(|n| task(&format!("t{n}"))).collect();
    let error = refused(json!([]), json!(many));
    assert_eq!(
        error,
        LoadError::Refused(Error::LimitExceeded {
            limit: Limit::Retired,
            max: 200,
            found: 201,
            place: None
        })
    );
}

#[test]
fn what_is_not_a_list_is_refused() {
    for json in [
        "",
        "null",
        "[]",
        "{}",
        r#"{"tasks":[]}"#,
        r#"{"version":1}"#,
        r#"{"version":1,"tasks":null}"#,
        r#"{"version":1,"tasks":[{}]}"#,
        r#"{"version":1,"tasks":[],"more":1}"#,
        r#"{"version":1,"tasks":[{"id":"a","subject":"S","status":"pending","more":1}]}"#,
        r#"{"version":1,"tasks":[{"id":"a","subject":"S","status":"paused"}]}"#,
        r#"{"version":1,"tasks":[]} x"#,
        r#"{"version":-1,"tasks":[]}"#,
        r#"{"version":0,"tasks":[]}"#,
    ] {
        let error = TaskList::from_json(json).expect_err(json);
        assert!(matches!(error, LoadError::Json { .. }), "{json}: {error}");
    }
}

#[test]
fn a_later_version_is_told_from_damage() {
    for json in [
        r#"{"version":2,"tasks":[]}"#,
        r#"{"version":2,"tasks":{"a":1},"new":true}"#,
        r#"{"new":true,"version":2}"#,
    ] {
        let error = TaskList::from_json(json).unwrap_err();
        assert_eq!(
            error,
            LoadError::UnsupportedVersion {
                found: 2,
                supported: 1
            }
        );
    }
    let error = serde_json::from_str::<TaskList>(r#"{"version":2,"tasks":[]}"#).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("version 2; this release reads version 1"),
        "{error}"
    );
}

#[test]
fn metadata_never_nests_too_deep_to_be_read_back() {
    let nested = |depth: usize| {
        let inner = (1..depth).fold(json!(1), |inner, _| json!([inner]));
        Map::from_iter([("deep".to_owned(), inner)])
    };
    let mut list = TaskList::new();
    let id = list
        .create(TaskDraft::new("x").metadata(nested(100)))
        .unwrap()
        .id;
    assert_eq!(TaskList::from_json(&list.to_json()).unwrap(), list);
    let error = list
        .update(&id, TaskPatch::new().metadata(nested(101)))
        .unwrap_err();
    assert_eq!(
        error,
        Error::LimitExceeded {
            limit: Limit::MetadataDepth,
            max: 100,
            found: 101,
            place: Some(Place::Task(id))
        }
    );
    let error = list
        .write([TaskDraft::new("y").metadata(nested(110))])
        .unwrap_err();
    assert!(matches!(error, Error::LimitExceeded { .. }));
}

fn json_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        prop_oneof!["[ab]", "pending|completed|deleted", ".{0,3}"].prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 4, |inner| {
        let keys = "version|tasks|retired|id|subject|status|blocked_by|metadata|deleted|owner|x";
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::hash_map(keys, inner, 0..6)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn near_miss() -> impl Strategy<Value = Value> {
    let task = prop_oneof![
        4 => ("[a-d]", "[AB ]", "pending|in_progress|completed", prop::collection::vec("[a-d]", 0..2))
            .prop_map(|(id, subject, status, blocked_by)| {
                json!({"id": id, "subject": subject, "status": status, "blocked_by": blocked_by})
            }),
        1 => json_value(),
    ];
    let tasks = || prop::collection::vec(task.clone(), 0..5);
    (tasks(), tasks()).prop_map(|(tasks, retired)| {
        let mut retired = retired;
        retired
            .iter_mut()
            .filter_map(Value::as_object_mut)
            .for_each(|task| {
                task.remove("blocked_by");
            });
        json!({"version": 1, "tasks": tasks, "retired": retired})
    })
}

#[test]
fn a_lenient_load_reports_what_it_leaves_out() {
    let tasks = json!([
        with("a", "blocked_by", json!(["c", "x"])),
        with("b", "blocked_by", json!(["a", "a", "b"])),
        with("c", "blocked_by", json!(["b"])),
    ]);
    let json = json!({"version": 1, "tasks": tasks}).to_string();
    let (list, repairs) = TaskList::from_json_lenient(&json).unwrap();
    let repairs: Vec<_> = (repairs.iter())
        .map(|repair| (repair.task.as_str(), &*repair.blocker, repair.reason))
        .collect();
    assert_eq!(
        repairs,
        [
            ("a", "x", RepairReason::Dangling),
            ("b", "a", RepairReason::Duplicate),
            ("b", "b", RepairReason::SelfDependency),
            ("a", "c", RepairReason::Cycle),
        ]
    );
    check(&list);
    for strict in [
        "{",
        r#"{"version":2,"tasks":[]}"#,
        r#"{"version":1,"tasks":[{"id":"a"}]}"#,
    ] {
        assert_eq!(
            TaskList::from_json_lenient(strict).unwrap_err(),
            TaskList::from_json(strict).unwrap_err()
        );
    }
    let (same, repairs) = TaskList::from_json_lenient(&sample().to_json()).unwrap();
    assert_eq!((same, repairs.len()), (sample(), 0));
}

#[test]
fn lists_that_differ_in_what_was_retired_are_not_equal() {
    let mut other = TaskList::new();
    other.write(sample().drafts()).unwrap();
    assert_ne!(other, sample(), "nothing was deleted from it");
    let deleted = |id: &str, subject: &str| {
        let mut list = other.clone();
        list.create(TaskDraft::new(subject).id(id)).unwrap();
        list.delete(id).unwrap();
        list
    };
    assert_eq!(deleted("g", "Gone"), sample());
    assert_ne!(deleted("g", "Lost"), sample());
    assert_ne!(deleted("h", "Gone"), sample());
}

#[test]
fn a_loaded_list_gives_the_ids_that_the_list_itself_gives() {
    for retired in 0..4 {
        let mut list = TaskList::new();
        list.set_policy(
            list.policy()
                .with_limits(Limits::default().with(Limit::Retired, retired)),
        );
        let draft = || TaskDraft::new("Same");
        list.write((0..6).map(|_| draft())).unwrap();
        for id in [3, 5, 2, 4, 6] {
            list.delete(format!("task_same_{id}")).unwrap();
            let mut loaded = TaskList::from_json(&list.to_json()).unwrap();
            let mut goes_on = list.clone();
            for _ in 0..6 {
                let id = goes_on.create(draft()).unwrap().id;
                assert_eq!(loaded.create(draft()).unwrap().id, id);
            }
        }
    }
}

/// What holds for every list that was loaded.
fn check(list: &TaskList) {
    let json = list.to_json();
    assert_eq!(&TaskList::from_json(&json).unwrap(), list);
    let mut rewritten = list.clone();
    assert!(rewritten.write(list.drafts()).unwrap().is_empty());
    let summary = list.summary();
    assert_eq!(summary.total, list.tasks().count());
    assert_eq!(list.can_finish(), list.open_tasks().next().is_none());
    for task in list.tasks() {
        assert_eq!(list.get(&task.id), Some(task));
        for blocker in list.blocked_by(&task.id).unwrap() {
            assert!(list.blocks(&blocker.id).unwrap().contains(&task));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_json_fails_cleanly_or_is_a_list(value in prop_oneof![json_value(), near_miss()]) {
        let strict = TaskList::from_json(&value.to_string());
        if let Ok(list) = &strict {
            check(list);
        }
        if let Ok((list, repairs)) = TaskList::from_json_lenient(&value.to_string()) {
            check(&list);
            prop_assert_eq!(repairs.is_empty(), strict.is_ok());
        } else {
            prop_assert!(strict.is_err());
        }
    }

    #[test]
    fn any_text_fails_cleanly_or_is_a_list(at in 0..400usize, with in ".{0,4}", cut in 0..4usize) {
        let mut json: Vec<char> = sample().to_json().chars().collect();
        let at = at.min(json.len());
        let end = (at + cut).min(json.len());
        json.splice(at..end, with.chars());
        if let Ok(list) = TaskList::from_json(&String::from_iter(json)) {
            check(&list);
        }
    }
}
