//! The task tools as an MCP server: a [`TaskServer`] answers for [`ListTools`].

use agent_tasklist::store::Store;
use agent_tasklist::tools::{ListTools, Reply, ToolSpec};
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestMethod, CallToolRequestParams, CallToolResponse, CallToolResult, ConstString,
    ContentBlock, CustomRequest, CustomResult, ErrorCode, Implementation, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{RequestContext, RoleServer};
use rmcp::{ErrorData, ServiceExt};
use serde_json::Value;
use std::sync::Arc;
use tokio::runtime::Handle;

const INSTRUCTIONS: &str = "Keep a task list with these tools for work of more than one step. \
    Before you finish, call the tool that checks or lists the tasks: nothing may be left open.";

/// An MCP server over the tools of one list, for one agent.
///
/// It lists the tools as [`ListTools::specs`] has them, and hands each call's name and arguments to
/// [`ListTools::call`] as they came in. The text of the reply is the content of the result; its data is the
/// structured content, which a refused call goes without. Calls run in parallel, and none is lost to another.
///
/// A clone serves the same list.
///
/// ```
/// use agent_tasklist::store::{ListKey, MemoryStore};
/// use agent_tasklist::tools::{ListTools, Toolset};
/// use with_rmcp::TaskServer;
///
/// let key = ListKey::new("thread-1").unwrap();
/// let server = TaskServer::new(ListTools::new(MemoryStore::new(), key, Toolset::full()));
/// // rmcp::ServiceExt::serve(server, rmcp::transport::stdio()).await?.waiting().await?;
/// # let _ = server;
/// ```
#[derive(Clone, Debug)]
pub struct TaskServer<S> {
    tools: ListTools<S>,
    listed: Arc<[Tool]>,
}

impl<S: Store + Clone + 'static> TaskServer<S> {
    /// A server over these tools.
    pub fn new(tools: ListTools<S>) -> Self {
        let listed = tools.specs().into_iter().map(tool).collect();
        TaskServer { tools, listed }
    }

    /// Carries out a call on a thread of its own, since the futures of stores on files and SQLite block.
    /// Those of stores on tokio find the runtime there too.
    async fn run(&self, name: String, args: Value) -> Result<Reply, ErrorData> {
        let tools = self.tools.clone();
        let call = move || Handle::current().block_on(tools.call(&name, args));
        (tokio::task::spawn_blocking(call).await)
            .map_err(|error| ErrorData::internal_error(error.to_string(), None))
    }
}

impl<S: Store + Clone + 'static> ServerHandler for TaskServer<S> {
    fn get_info(&self) -> ServerConfig {
        let server = Implementation::new("agent-tasklist", env!("CARGO_PKG_VERSION"));
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(server.with_title("Task list"))
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.listed.to_vec()))
    }

    /// A call without arguments is one with none, `{}`.
    ///
    /// A tool that is not there is a protocol error (`-32602`), since MCP counts it among those and keeps
    /// `isError` for what a tool has to say. The message is the toolset's text for the model, for clients that
    /// pass it on.
    async fn call_tool(
        &self,
        call: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let args = Value::Object(call.arguments.unwrap_or_default());
        let known = self.listed.iter().any(|tool| tool.name == call.name);
        let reply = self.run(call.name.into_owned(), args).await?;
        match known {
            true => Ok(result(reply).into()),
            false => Err(ErrorData::invalid_params(reply.text, None)),
        }
    }

    /// What rmcp cannot read as any request that it knows. A `tools/call` among them is malformed, not a
    /// method that is not there.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        const MALFORMED: &str =
            "tools/call takes the name of a tool, a string, and its arguments, an object.";
        Err(match request.method == CallToolRequestMethod::VALUE {
            true => ErrorData::invalid_params(MALFORMED, None),
            false => ErrorData::new(ErrorCode::METHOD_NOT_FOUND, request.method, None),
        })
    }
}

fn tool(spec: ToolSpec) -> Tool {
    serde_json::from_value(spec.mcp()).expect("a spec lists in MCP's shape")
}

fn result(reply: Reply) -> CallToolResult {
    let is_error = reply.is_error();
    let content = vec![ContentBlock::text(reply.text)];
    if is_error {
        return CallToolResult::error(content);
    }
    let mut result = CallToolResult::success(content);
    result.structured_content = Some(reply.data.into());
    result
}

/// Serves a client over standard input and output until it hangs up.
///
/// # Errors
///
/// Where the client hangs up before it has begun a session, or begins none that is MCP.
pub async fn serve_stdio<S>(server: TaskServer<S>) -> Result<(), Box<dyn std::error::Error>>
where
    S: Store + Clone + 'static,
{
    let service = server.serve(rmcp::transport::stdio()).await?;
    service.waiting().await?;
    Ok(())
}
