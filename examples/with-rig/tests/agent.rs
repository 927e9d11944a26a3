use agent_tasklist::store::{
    Commit, ListKey, MemoryStore, Revision, Store, StoreFuture, Stored, block_on, update,
};
use agent_tasklist::tools::{ListTools, TaskSignals, Toolset};
use agent_tasklist::{Policy, Status, TaskDraft, TaskList};
use rig::agent::{
    AgentBuilder, AgentHook, CompletionCallAction, CompletionCallEvent, HookContext,
    PromptResponse, RequestPatch,
};
use rig::message::{Message, ToolName, UserContent};
use rig::tool::{DynamicTool, ToolOutput};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use with_rig::conversation::{self, PROMPT};
use with_rig::scripted::{Answer, Call, ScriptedModel, Sent, Turn};
use with_rig::{PREAMBLE, RawArguments, agent, register, tools};

fn key() -> ListKey {
    ListKey::new("thread-1").unwrap()
}

fn list<S: Store + Clone>(store: &S) -> ListTools<S> {
    let tools = Toolset::full().acting_as("releaser").unwrap();
    ListTools::new(store.clone(), key(), tools)
}

fn stored(store: &impl Store) -> TaskList {
    let stored = block_on(store.load(&key())).expect("the list loads");
    stored.expect("there is a list").list
}

fn ids(list: &TaskList) -> Vec<&str> {
    list.tasks().map(|task| task.id.as_str()).collect()
}

/// A turn that looks at the request before it answers.
fn turn(look: impl FnOnce(&Sent) + Send + 'static, answer: Answer) -> Turn {
    Box::new(move |sent| {
        look(sent);
        Ok(answer)
    })
}

fn done() -> Answer {
    Answer::Say("Done.".into())
}

/// Whether each tool result of a run is an error, in order.
fn errors(response: &PromptResponse) -> Vec<bool> {
    let contents = response
        .messages
        .iter()
        .filter_map(|message| match message {
            Message::User { content } => Some(content),
            _ => None,
        });
    let results = contents.flatten().filter_map(|content| match content {
        UserContent::ToolResult(result) => Some(result.is_error),
        _ => None,
    });
    results.collect()
}

/// Each call of a conversation with the first line of what it was answered.
fn exchanges(played: &[(Sent, Answer)]) -> Vec<(String, String)> {
    let mut exchanges = Vec::new();
    for pair in played.windows(2) {
        let (Answer::Call(calls), results) = (&pair[0].1, pair[1].0.results()) else {
            panic!("only the last turn says something");
        };
        assert_eq!(calls.len(), results.len());
        for (call, result) in calls.iter().zip(results) {
            let first = result.lines().next().unwrap_or_default();
            exchanges.push((call.name.clone(), first.to_owned()));
        }
    }
    exchanges
}

/// Plays the conversation over a store. The tasks have the given ids, in list order.
fn converse(store: &MemoryStore, [fix, tests, notes, publish]: [&str; 4]) {
    let list = list(store);
    let model = ScriptedModel::new(conversation::script());
    let response = block_on(conversation::run(&model, &list)).expect("the run ends well");
    let played = model.played();

    assert_eq!(response.output(), "Version 2 is out: 4/4 tasks done.");
    assert_eq!(played.len(), 15);
    assert_eq!(response.completion_calls.len(), 15);

    let updated = |done| format!("Tasks updated: [{done}/4 completed]");
    let cycle = format!(
        "Dependency cycle: {tests} → {publish} → {tests}. Each task blocks the next, so none could ever start; remove one of these dependencies."
    );
    let blocked = format!(
        "Cannot set {publish} to in_progress: it is blocked by {tests}. Complete that task first, \
         or remove the dependency."
    );
    let not_right = "The arguments are not right; nothing was changed.".to_owned();
    let expected = [
        ("task_write", false, updated(0)),
        ("task_claim", false, format!("You have {fix}")),
        ("task_complete", true, "Task not found: task_1".into()),
        ("task_complete", false, updated(1)),
        ("task_update", false, updated(1)),
        ("task_update", true, cycle),
        ("task_update", false, updated(1)),
        ("task_update", false, updated(1)),
        ("task_update", true, blocked),
        ("task_complete", false, updated(2)),
        ("task_check", false, "Task Status: [2/4 completed]".into()),
        ("task_complete", true, not_right),
        ("task_complete", false, updated(3)),
        ("task_complete", false, updated(4)),
        ("task_check", false, "Task Status: [4/4 completed]".into()),
    ];
    let texts: Vec<_> = (expected.iter())
        .map(|(tool, _, text)| (tool.to_string(), text.clone()))
        .collect();
    assert_eq!(exchanges(&played), texts);
    assert_eq!(errors(&response), expected.map(|(_, error, _)| error));

    let list = stored(store);
    assert_eq!(ids(&list), [fix, tests, notes, publish]);
    assert!(list.tasks().all(|task| task.status == Status::Completed));
    assert_eq!(list.get(fix).unwrap().owner.as_deref(), Some("releaser"));
    let waits: Vec<&str> = (list.blocked_by(publish).unwrap().iter())
        .map(|task| task.id.as_str())
        .collect();
    assert_eq!(waits, [tests]);
    assert!(list.blocked_by(tests).unwrap().is_empty());
    assert!(list.can_finish());
}

#[test]
fn a_model_corrects_itself_from_the_texts() {
    let ids = [
        "task_fix_the_login_bug",
        "task_run_the_tests",
        "task_write_the_notes",
        "task_publish_the_release",
    ];
    converse(&MemoryStore::new(), ids);
}

/// Tasks that were there before come back under their old ids, which no script could know.
#[test]
fn the_ids_are_read_and_not_known() {
    let store = MemoryStore::new();
    let ids = ["q7", "x1", "n3", "k9"];
    let subjects = [
        "Fix the login bug",
        "Run the tests",
        "Write the notes",
        "Publish the release",
    ];
    let earlier = block_on(update(&store, &key(), &Policy::default(), |list| {
        list.write(
            ids.iter()
                .zip(subjects)
                .map(|(&id, subject)| TaskDraft::new(subject).id(id)),
        )
    }));
    earlier.unwrap();
    block_on(update(&store, &key(), &Policy::default(), |list| {
        list.write([])
    }))
    .unwrap();
    converse(&store, ids);
}

#[test]
fn the_conversation_fails_where_the_texts_do_not_arrive() {
    let list = list(&MemoryStore::new());
    let dumb = list.specs().into_iter().map(|spec| {
        let (name, list) = (spec.name, list.clone());
        let run = move |args: Value| {
            let list = list.clone();
            Box::pin(async move {
                list.call(name, &args).await;
                Ok(ToolOutput::text("The call was carried out."))
            }) as _
        };
        let tool_name = ToolName::new(name).unwrap();
        DynamicTool::new(tool_name, spec.description, spec.input_schema, run)
    });
    let model = ScriptedModel::new(conversation::script());
    let agent = AgentBuilder::new(model.model())
        .dynamic_tools(dumb.collect())
        .build();
    let run = block_on(agent.prompt(PROMPT).max_turns(20).run());
    let error = run.unwrap_err().to_string();
    assert!(error.contains("turn 2: one result with"), "{error}");
}

#[test]
fn each_request_offers_the_tools_and_adds_to_the_last() {
    let list = list(&MemoryStore::new());
    let model = ScriptedModel::new(conversation::script());
    block_on(conversation::run(&model, &list)).unwrap();
    let offered: Vec<Value> = (list.specs().into_iter())
        .map(|spec| spec.openai())
        .collect();
    let played = model.played();
    let mut shown_at = Vec::new();
    let mut before: &[Value] = &[
        json!({"role": "system", "content": [{"type": "text", "text": PREAMBLE}]}),
        json!({"role": "user", "content": PROMPT}),
    ];
    for (i, (sent, answer)) in played.iter().enumerate() {
        assert_eq!(sent.tools(), offered);
        let messages = sent.messages();
        assert_eq!(&messages[..before.len()], before, "request {}", i + 1);
        let calls = match i.checked_sub(1).map(|last| &played[last].1) {
            Some(Answer::Call(calls)) => 1 + calls.len(),
            _ => 0,
        };
        let after = messages[before.len()..].iter().skip(calls);
        let signals = after.filter(|new| new["role"] == "user").count();
        let new = messages.len() - before.len();
        assert_eq!(new, calls + signals, "request {}", i + 1);
        assert_eq!(signals, sent.signals().len() - shown_at.len());
        shown_at.extend((0..signals).map(|_| i + 1));
        assert_eq!(matches!(answer, Answer::Say(_)), i + 1 == played.len());
        before = messages;
    }
    // The signals come when the list has changed.
    assert_eq!(shown_at, [2, 3, 5, 6, 8, 9, 11, 14]);
}

/// Drops all of a conversation but the last exchange from each request.
struct Forgetful;

impl AgentHook for Forgetful {
    async fn on_completion_call(
        &self,
        _: &HookContext,
        event: CompletionCallEvent<'_>,
    ) -> CompletionCallAction {
        let kept = event.history.last().cloned();
        CompletionCallAction::patch(RequestPatch::new().history(kept))
    }
}

fn work() -> DynamicTool {
    let schema = json!({"type": "object", "properties": {}});
    let name = ToolName::new("work").unwrap();
    DynamicTool::new(name, "Work", schema, |_| {
        Box::pin(async { Ok(ToolOutput::text("Worked.")) })
    })
}

/// Writes a list, and completes each task after some work on it, by what the signal says.
fn forgotten_list() -> Vec<Turn> {
    let call = |name: &str, args| Ok(Answer::Call(vec![Call::new(name, args)]));
    let worked = move |sent: &Sent| {
        sent.result_with("Worked.")?;
        let said = Value::from(sent.messages()).to_string();
        assert!(!said.contains("task_write"), "{said}");
        let signals = sent.signals();
        let [signal] = signals[..] else {
            return Err(format!("one signal is wanted: {signals:?}"));
        };
        assert_eq!(said.matches("task_fix").count(), 1, "{said}");
        let open = signal
            .lines()
            .find(|line| !line.contains('✓') && line.contains("{id: "));
        Ok(open.map(|line| {
            let (_, rest) = line.split_once("{id: ").unwrap();
            rest.split_once('}').unwrap().0.to_owned()
        }))
    };
    let mut script: Vec<Turn> = vec![Box::new(move |_| {
        let tasks = json!([{"content": "Fix", "status": "in_progress"}, {"content": "Ship"}]);
        call("task_write", json!({"tasks": tasks}))
    })];
    for _ in 0..2 {
        script.push(Box::new(move |_| call("work", json!({}))));
        script.push(Box::new(move |sent| {
            let open = worked(sent)?.ok_or("a task is open")?;
            call("task_complete", json!({"id": open}))
        }));
    }
    script.push(Box::new(move |_| call("work", json!({}))));
    script.push(Box::new(move |sent| match worked(sent)? {
        None => Ok(done()),
        open => Err(format!("open: {open:?}")),
    }));
    script
}

#[test]
fn the_list_outlives_its_messages() {
    let store = MemoryStore::new();
    let list = list(&store);
    let mut script = forgotten_list();
    script.push(turn(
        |sent| {
            let signal = "<current-task-list count=\"2\">\n  ✓ [completed] {id: task_fix} Fix\n  ✓ [completed] {id: task_ship} Ship\n</current-task-list>";
            assert_eq!(sent.signals(), [signal]);
        },
        done(),
    ));
    let model = ScriptedModel::new(script);
    let builder = AgentBuilder::new(model.model());
    let agent = register(builder, TaskSignals::new(list))
        .dynamic_tool(work())
        .add_hook(Forgetful)
        .build();
    block_on(agent.prompt("Go.").max_turns(10).run()).unwrap();
    assert!(stored(&store).can_finish());
    // Another prompt, with nothing of the first.
    block_on(agent.prompt("And now?").run()).unwrap();
    assert_eq!(model.played().len(), 8);
}

#[test]
fn without_signals_a_forgotten_list_is_lost() {
    let list = list(&MemoryStore::new());
    let model = ScriptedModel::new(forgotten_list());
    let agent = AgentBuilder::new(model.model())
        .dynamic_tools(tools(&list))
        .dynamic_tool(work())
        .add_hook(Forgetful)
        .build();
    let error = block_on(agent.prompt("Go.").max_turns(10).run()).unwrap_err();
    let error = error.to_string();
    assert!(
        error.contains("turn 3: one signal is wanted: []"),
        "{error}"
    );
}

/// A store that lets others have a turn between a load and what follows, and counts conflicts.
#[derive(Clone, Default)]
struct Contended {
    store: MemoryStore,
    conflicts: Arc<AtomicUsize>,
}

impl Store for Contended {
    fn load<'a>(&'a self, key: &'a ListKey) -> StoreFuture<'a, Option<Stored>> {
        Box::pin(async move {
            let stored = self.store.load(key).await;
            let mut waited = false;
            std::future::poll_fn(|context| match std::mem::replace(&mut waited, true) {
                true => std::task::Poll::Ready(()),
                false => {
                    context.waker().wake_by_ref();
                    std::task::Poll::Pending
                }
            })
            .await;
            stored
        })
    }

    fn commit<'a>(&'a self, key: &'a ListKey, commit: Commit<'a>) -> StoreFuture<'a, Revision> {
        Box::pin(async move {
            let committed = self.store.commit(key, commit).await;
            if committed.is_err() {
                self.conflicts.fetch_add(1, Ordering::Relaxed);
            }
            committed
        })
    }
}

#[test]
fn parallel_calls_of_one_message_lose_nothing() {
    const CALLS: usize = 8;
    let store = Contended::default();
    let list = list(&store);
    let create = |i| Call::new("task_create", json!({"content": format!("Task {i}")}));
    let model = ScriptedModel::new([
        turn(|_| (), Answer::Call((0..CALLS).map(create).collect())),
        turn(
            |sent| {
                let results = sent.results();
                let first = |text: &str| text.lines().next().unwrap_or_default().to_owned();
                let created: Vec<String> = results.into_iter().map(first).collect();
                let expected: Vec<_> = (0..CALLS)
                    .map(|i| format!("Created task_task_{i}"))
                    .collect();
                assert_eq!(created, expected);
            },
            done(),
        ),
    ]);
    let run = agent(model.model(), &list)
        .prompt("Make a list.")
        .max_turns(2)
        .tool_concurrency(CALLS);
    let response = block_on(run.run()).unwrap();
    assert_eq!(errors(&response), [false; CALLS]);

    let list = stored(&store);
    let mut ids = ids(&list);
    ids.sort_unstable();
    let expected: Vec<String> = (0..CALLS).map(|i| format!("task_task_{i}")).collect();
    assert_eq!(ids, expected);
    let conflicts = store.conflicts.load(Ordering::Relaxed);
    assert!(conflicts > 0, "the calls ran one after the other");
}

/// One call with raw arguments: the list afterwards, and what the model was told.
fn raw(name: &str, arguments: &str) -> (Option<TaskList>, String) {
    let store = MemoryStore::new();
    let list = list(&store);
    let model = ScriptedModel::new([
        turn(|_| (), Answer::Call(vec![Call::raw(name, arguments)])),
        turn(|_| (), done()),
    ]);
    let run = agent(model.model(), &list).prompt("Go.").max_turns(2);
    block_on(run.run()).unwrap();
    let played = model.played();
    let [told] = played[1].0.results()[..] else {
        panic!("one result is wanted");
    };
    let stored = block_on(store.load(&key())).unwrap();
    (stored.map(|stored| stored.list), told.to_owned())
}

#[test]
fn raw_arguments_are_understood_or_refused_by_the_tools() {
    let understood = [
        r#"{"tasks": [{"content": "A"}]}"#,
        r#"{"tasks": "[{\"content\": \"A\"}]"}"#,
        r#""{\"tasks\": [{\"content\": \"A\"}]}""#,
        "```json\n{\"tasks\": [{\"content\": \"A\"}]}\n```",
    ];
    for arguments in understood {
        let (list, told) = raw("task_write", arguments);
        let list = list.unwrap_or_else(|| panic!("{arguments}: {told}"));
        assert_eq!(ids(&list), ["task_a"], "{arguments}");
        assert!(told.starts_with("Tasks updated: [0/1 completed]"), "{told}");
    }
    for arguments in [r#"{"tasks": [{"content": "A"}"#, "write it", "7"] {
        let (list, told) = raw("task_write", arguments);
        assert!(list.is_none(), "{arguments}");
        let start = "The arguments are not right; nothing was changed.";
        assert!(told.starts_with(start), "{arguments}: {told}");
    }
    let (_, told) = raw("task_check", "");
    assert!(told.starts_with("No tasks found."), "{told}");
}

#[test]
fn raw_arguments_of_other_tools_are_left_to_rig() {
    let store = MemoryStore::new();
    let list = list(&store);
    let echo = DynamicTool::new(
        ToolName::new("echo").unwrap(),
        "Echo",
        json!({"type": "object", "properties": {}}),
        |args| Box::pin(async move { Ok(ToolOutput::json(args)) }),
    );
    let model = ScriptedModel::new([
        turn(|_| (), Answer::Call(vec![Call::raw("echo", "[1]")])),
        turn(
            |sent| {
                let told = sent.result_with("tool `echo` are not a JSON object");
                assert!(told.is_ok(), "{told:?}");
            },
            done(),
        ),
    ]);
    let agent = AgentBuilder::new(model.model())
        .dynamic_tools(tools(&list))
        .dynamic_tool(echo)
        .add_hook(RawArguments::new(&list))
        .build();
    block_on(agent.prompt("Go.").max_turns(2).run()).unwrap();
    assert_eq!(model.played().len(), 2);
}
