//! The task tools in an agent of the rig framework.
//!
//! [`tools`] gives rig the tools, and [`RawArguments`] the calls that rig does not run by itself.
//! [`agent`] puts both together; what a request of the agent holds is decided there.

pub mod conversation;
pub mod scripted;

use agent_tasklist::{ListTools, Store, ToolSpec};
use rig::agent::{
    Agent, AgentBuilder, AgentHook, HookContext, InvalidToolCallAction, InvalidToolCallContext,
    InvalidToolCallReason,
};
use rig::core::operation::Completion;
use rig::driver::DynModel;
use rig::message::ToolName;
use rig::tool::{DynamicTool, ToolExecutionError, ToolOutput};
use serde_json::Value;
use std::fmt;

/// What an agent with the tools is told.
pub const PREAMBLE: &str = "\
Keep a task list for work of three or more steps, with the task tools. Start a task before you work on it, \
and complete it as soon as it is done. A tool that refuses a call says why: correct the call from that. \
Call task_check before you finish.";

/// An agent of `model` with the tools over `list`.
pub fn agent<S: Store + Clone + 'static>(
    model: impl Into<DynModel<Completion>>,
    list: &ListTools<S>,
) -> Agent {
    AgentBuilder::new(model)
        .preamble(PREAMBLE)
        .dynamic_tools(tools(list))
        .add_hook(RawArguments::new(list))
        .build()
}

/// The tools over `list`, for [`AgentBuilder::dynamic_tools`].
///
/// The text of a reply goes to the model. A refused call is a tool error of rig with that same text, so
/// that hooks and telemetry see it as one.
pub fn tools<S: Store + Clone + 'static>(list: &ListTools<S>) -> Vec<DynamicTool> {
    let specs = list.specs().into_iter();
    specs.map(|spec| tool(list.clone(), spec)).collect()
}

fn tool<S: Store + Clone + 'static>(list: ListTools<S>, spec: ToolSpec) -> DynamicTool {
    let name = spec.name;
    let run = move |args: Value| {
        let list = list.clone();
        Box::pin(async move {
            let reply = list.call(name, &args).await;
            match reply.is_error {
                false => Ok(ToolOutput::text(reply.text)),
                true => Err(ToolExecutionError::other(reply.text)),
            }
        }) as _
    };
    let rig_name = ToolName::new(name).expect("a tool has a name");
    DynamicTool::new(rig_name, spec.description, spec.input_schema, run)
}

/// A hook that hands the tools what rig does not: arguments that are not a JSON object.
///
/// rig keeps such calls from a tool, and answers them itself. With this hook they are carried out too where
/// the crate understands them (JSON in a code fence), and otherwise refused in its own words. Text that
/// is not JSON is passed on as a string. Calls to other tools are left to rig.
///
/// rig marks each answer of a hook as an error result, also that of a call that was carried out; the
/// text says that it was.
pub struct RawArguments<S> {
    list: ListTools<S>,
    names: Vec<&'static str>,
}

impl<S: Store + Clone> RawArguments<S> {
    /// A hook for the tools over `list`.
    pub fn new(list: &ListTools<S>) -> Self {
        RawArguments {
            list: list.clone(),
            names: list.specs().iter().map(|spec| spec.name).collect(),
        }
    }
}

impl<S: Store> AgentHook for RawArguments<S> {
    async fn on_invalid_tool_call(
        &self,
        _: &HookContext,
        call: &InvalidToolCallContext,
    ) -> Option<InvalidToolCallAction> {
        let name = call.tool_name.as_str();
        let malformed = matches!(
            call.reason,
            InvalidToolCallReason::MalformedArguments { .. }
        );
        if !malformed || !self.names.contains(&name) {
            return None;
        }
        let raw = call.args.as_deref()?;
        let args = serde_json::from_str(raw).unwrap_or_else(|_| Value::from(raw));
        let reply = self.list.call(name, &args).await;
        Some(InvalidToolCallAction::skip(reply.text))
    }
}

impl<S> fmt::Debug for RawArguments<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RawArguments")
            .field("names", &self.names)
            .finish_non_exhaustive()
    }
}
