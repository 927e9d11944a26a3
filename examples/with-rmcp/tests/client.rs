//! rmcp's own client, in this process and against the server's.

mod support;

use agent_tasklist::store::{ListKey, MemoryStore, Store};
use agent_tasklist::tools::{ListTools, Toolset};
use agent_tasklist::{Error, TaskDraft, TaskList, TaskPatch};
use rmcp::model::{CallToolRequestParams, ClientConfig, ErrorData, ProtocolVersion};
use rmcp::service::{
    ClientLifecycleMode, ClientServiceExt, RoleClient, RunningService, ServiceError,
};
use rmcp::transport::{ConfigureCommandExt, TokioChildProcess};
use rmcp::{ServiceExt, transport::IntoTransport};
use serde_json::{Map, Value, json};
use std::sync::Arc;
use std::time::Duration;
use store_sqlite::SqliteStore;
use support::{Outcome, SERVER, Transcript, folder, session, tools};
use tokio::process::Command;
use tokio::time::timeout;
use with_rmcp::TaskServer;

type Client = RunningService<RoleClient, ClientConfig>;

const LIMIT: Duration = Duration::from_secs(60);

fn full(store: impl Store + 'static) -> ListTools<Arc<dyn Store>> {
    let key = ListKey::new("default").unwrap();
    ListTools::new(
        Arc::new(store),
        key,
        Toolset::full().acting_as("jo").unwrap(),
    )
}

async fn connect<T, E, A>(transport: T, lifecycle: ClientLifecycleMode) -> Client
where
    T: IntoTransport<RoleClient, E, A>,
    E: std::error::Error + Send + Sync + 'static,
{
    let client = ClientConfig::default().serve_with_lifecycle(transport, lifecycle);
    timeout(LIMIT, client)
        .await
        .expect("the handshake ends")
        .unwrap()
}

async fn in_process(tools: ListTools<Arc<dyn Store>>, lifecycle: ClientLifecycleMode) -> Client {
    let (near, far) = tokio::io::duplex(4096);
    tokio::spawn(async move {
        let server = TaskServer::new(tools).serve(far).await.unwrap();
        server.waiting().await.unwrap();
    });
    connect(near, lifecycle).await
}

fn discover() -> ClientLifecycleMode {
    let preferred_versions = vec![ProtocolVersion::V_2026_07_28];
    ClientLifecycleMode::Discover { preferred_versions }
}

async fn call(
    client: &Client,
    tool: &str,
    arguments: Option<Map<String, Value>>,
) -> Result<Value, ErrorData> {
    let mut params = CallToolRequestParams::new(tool.to_owned());
    params.arguments = arguments;
    match timeout(LIMIT, client.call_tool(params))
        .await
        .expect("the call ends")
    {
        Ok(result) => Ok(serde_json::to_value(result).unwrap()),
        Err(ServiceError::McpError(error)) => Err(error),
        Err(error) => panic!("{tool}: {error}"),
    }
}

async fn run_session(name: &str, client: Client, version: &str) {
    let session = session();
    let peer = client.peer_info().unwrap();
    assert_eq!(peer.protocol_version.as_str(), version);
    assert_eq!(
        serde_json::to_value(&peer.server_info).unwrap(),
        session.server_info
    );
    assert_eq!(
        peer.instructions.as_deref(),
        Some(session.instructions.as_str())
    );
    let listed = timeout(LIMIT, client.list_all_tools())
        .await
        .unwrap()
        .unwrap();
    assert_eq!(
        serde_json::to_value(&listed).unwrap(),
        tools(Toolset::full())
    );
    assert_eq!(listed.len(), 10);
    let info = &session.server_info;
    let mut transcript = Transcript::new(&format!(
        "{name}, protocol {version}: {} {}, {} tools",
        info["name"].as_str().unwrap(),
        info["version"].as_str().unwrap(),
        listed.len()
    ));
    for step in &session.steps {
        match call(&client, &step.tool, step.arguments.clone()).await {
            Ok(result) => step.check(&result),
            Err(error) => {
                assert_eq!(Outcome::Protocol(error.code.0.into()), step.outcome);
                assert_eq!(error.message, step.text);
            }
        }
        transcript.step(step, "");
    }
    timeout(LIMIT, client.cancel())
        .await
        .expect("the session ends")
        .unwrap();
}

#[tokio::test]
async fn session_in_process() {
    let client = in_process(full(MemoryStore::new()), ClientLifecycleMode::Initialize).await;
    run_session("rmcp in process", client, "2025-11-25").await;
}

#[tokio::test]
async fn session_in_process_without_handshake() {
    let client = in_process(full(MemoryStore::new()), discover()).await;
    run_session("rmcp in process", client, "2026-07-28").await;
}

#[tokio::test]
async fn session_over_stdio() {
    let file = folder("client-session").join("lists.db");
    let store = format!("sqlite:{}", file.display());
    let command = Command::new(SERVER).configure(|command| {
        command
            .args(["--owner", "jo", "--store", &store])
            .kill_on_drop(true);
    });
    let client = connect(
        TokioChildProcess::new(command).unwrap(),
        ClientLifecycleMode::Initialize,
    )
    .await;
    run_session("rmcp over stdio, SQLite", client, "2025-11-25").await;
}

/// The session says what the crate itself says, and the text of the cycle is that of its error.
#[test]
fn session_is_what_the_crate_gives() {
    let tools = full(MemoryStore::new());
    let steps = session().steps;
    for step in &steps {
        let args: Value = step.arguments.clone().unwrap_or_default().into();
        let reply = agent_tasklist::store::block_on(tools.call(&step.tool, &args));
        assert_eq!(reply.text, step.text);
        match &step.outcome {
            Outcome::Done(data) => assert_eq!((reply.is_error(), &*reply.data), (false, data)),
            Outcome::Refused | Outcome::Protocol(_) => assert!(reply.is_error()),
        }
    }
    let mut list = TaskList::new();
    list.write([
        TaskDraft::new("Design the page").id("design"),
        TaskDraft::new("Build the page")
            .id("build")
            .blocked_by(["design"]),
        TaskDraft::new("Ship the page")
            .id("ship")
            .blocked_by(["build"]),
    ])
    .unwrap();
    let refused = list
        .update("design", TaskPatch::new().add_blocked_by(["ship"]))
        .unwrap_err();
    assert!(matches!(refused, Error::Cycle { .. }), "{refused:?}");
    assert_eq!(
        (steps[2].text.as_str(), &steps[2].outcome),
        (refused.to_string().as_str(), &Outcome::Refused)
    );
}

/// All at once over one connection, whatever the store: each call is one revision of the list.
#[tokio::test]
async fn parallel_calls_lose_nothing() {
    const TASKS: usize = 40;
    let sqlite = folder("client-parallel").join("lists.db");
    let sqlite = SqliteStore::open(sqlite).unwrap();
    for tools in [full(MemoryStore::new()), full(sqlite)] {
        let client = in_process(tools, ClientLifecycleMode::Initialize).await;
        let tasks: Vec<Value> = (0..TASKS)
            .map(|n| json!({"id": format!("t{n}"), "content": format!("Task {n}"), "status": "pending"}))
            .collect();
        let args = json!({ "tasks": tasks }).as_object().cloned();
        assert_eq!(
            call(&client, "task_write", args).await.unwrap()["isError"],
            false
        );
        let calls: Vec<_> = (0..TASKS)
            .map(|n| {
                let peer = client.peer().clone();
                let args = json!({"id": format!("t{n}")}).as_object().cloned().unwrap();
                let params = CallToolRequestParams::new("task_complete").with_arguments(args);
                tokio::spawn(async move { peer.call_tool(params).await.unwrap() })
            })
            .collect();
        let mut revisions = Vec::new();
        for call in calls {
            let result = timeout(LIMIT, call).await.expect("the call ends").unwrap();
            assert_eq!(result.is_error, Some(false), "{result:?}");
            revisions.push(
                result.structured_content.unwrap()["revision"]
                    .as_u64()
                    .unwrap(),
            );
        }
        revisions.sort_unstable();
        assert_eq!(revisions, (2..=TASKS as u64 + 1).collect::<Vec<_>>());
        let check = call(&client, "task_check", None).await.unwrap();
        let summary = &check["structuredContent"]["summary"];
        assert_eq!(
            (&summary["completed"], &summary["canFinish"]),
            (&json!(TASKS), &json!(true))
        );
    }
}

/// Whatever the arguments are, the server says of them what the crate says, and goes on.
#[tokio::test]
async fn junk_is_answered() {
    let deep = |levels| (0..levels).fold(json!(1), |inner, _| json!({ "a": inner }));
    let long = "x".repeat(1 << 16);
    let junk = [
        json!({}),
        json!({"": null}),
        json!({"id": [], "tasks": [[[]]]}),
        json!({"id": {"id": {"id": 1}}, "tasks": {"tasks": {}}}),
        json!({"id": "", "tasks": "no JSON at all"}),
        json!({"id": -1.5e300, "tasks": [null, true, 0, "", [], {}]}),
        json!({"id": "a\u{0}b\u{202e}", "tasks": "[[[[", "owner": 7, "clear": [[]]}),
        json!({"id": long, "content": long, "tasks": [long]}),
        json!({"id": "a", "content": "A", "metadata": deep(110)}),
        json!({"tasks": [{"content": "A", "status": "pending", "metadata": deep(110)}]}),
        json!({"arguments": {"arguments": {"tasks": []}}}),
    ];
    let (server, same) = (MemoryStore::new(), full(MemoryStore::new()));
    let client = in_process(full(server), ClientLifecycleMode::Initialize).await;
    for spec in same.specs() {
        for junk in &junk {
            let reply = same.call(spec.name, junk).await;
            let result = call(&client, spec.name, junk.as_object().cloned())
                .await
                .unwrap();
            assert_eq!(
                result["content"],
                json!([{"type": "text", "text": reply.text}])
            );
            assert_eq!(result["isError"], reply.is_error());
            match reply.is_error() {
                true => assert_eq!(result.get("structuredContent"), None),
                false => assert_eq!(result["structuredContent"], *reply.data),
            }
        }
    }
    let task = json!({"id": "after", "content": "After", "status": "pending"})
        .as_object()
        .cloned();
    assert_eq!(
        call(&client, "task_create", task).await.unwrap()["structuredContent"]["id"],
        "after"
    );
}
