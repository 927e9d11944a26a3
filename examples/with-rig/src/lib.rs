//! The task tools in an agent of the rig framework.
//!
//! [`tools`] gives rig the tools, [`RawArguments`] the calls that rig does not run by itself, and [`Signals`] shows
//! the model its list before each request. [`register`] adds all three to an agent.

pub mod conversation;
pub mod scripted;

use agent_tasklist::store::Store;
use agent_tasklist::tools::{ListTools, TaskSignals, ToolSpec};
use rig::agent::{
    Agent, AgentBuilder, AgentHook, DispatchAction, DispatchEvent, HookContext,
    InvalidToolCallAction, InvalidToolCallContext, InvalidToolCallReason, WithBuilderTools,
};
use rig::core::effect::EffectKind;
use rig::core::operation::Completion;
use rig::core::{ErrorKind, ErrorReport};
use rig::driver::DynModel;
use rig::message::{Message, ToolName};
use rig::tool::{DynamicTool, ToolExecutionError, ToolOutput};
use serde_json::Value;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What an agent with the tools is told.
pub const PREAMBLE: &str = "\
Keep a task list for work of three or more steps, with the task tools. Start a task before you work on it, \
and complete it as soon as it is done. A tool that refuses a call says why: correct the call from that. \
Call task_check before you finish.";

/// An agent of `model` with the tools over `list`, for one conversation.
pub fn agent<S: Store + Clone + 'static>(
    model: impl Into<DynModel<Completion>>,
    list: &ListTools<S>,
) -> Agent {
    let builder = AgentBuilder::new(model).preamble(PREAMBLE);
    register(builder, TaskSignals::new(list.clone())).build()
}

/// Adds a list to an agent: its tools, and the signal before each request. The agent is for one conversation.
pub fn register<S: Store + Clone + 'static>(
    builder: AgentBuilder,
    list: TaskSignals<S>,
) -> AgentBuilder<WithBuilderTools> {
    builder
        .dynamic_tools(tools(list.tools()))
        .add_hook(RawArguments::new(list.tools()))
        .add_hook(Signals::new(list))
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
            match reply.is_error() {
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
/// the crate understands them (JSON in a code fence), and otherwise refused in its own words. Calls to other
/// tools are left to rig.
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
        let reply = self.list.call(name, raw).await;
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

/// A hook that shows the model its list: it adds the signal to the end of each request.
///
/// rig does not keep what a hook adds. So the hook keeps the signals, and puts each in its place again, after the
/// message that it followed; requests only grow, and a provider's prompt cache goes on working. Where
/// such a message is no longer in the request, the model has lost what it was shown, and is sent the whole list.
///
/// It sees a request as it goes out, with what other hooks made of the history. It belongs to one conversation.
pub struct Signals<S>(Mutex<Shown<S>>);

#[derive(Clone)]
struct Shown<S> {
    list: TaskSignals<S>,
    /// The signals that the model has, each with the message before it.
    sent: Vec<(Message, Message)>,
}

impl<S: Store + Clone> Signals<S> {
    /// A hook for the list of `list`.
    pub fn new(list: TaskSignals<S>) -> Self {
        let sent = Vec::new();
        Signals(Mutex::new(Shown { list, sent }))
    }

    fn lock(&self) -> MutexGuard<'_, Shown<S>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<S: Store + Clone> AgentHook for Signals<S> {
    async fn on_dispatch(&self, _: &HookContext, event: DispatchEvent<'_>) -> DispatchAction {
        let EffectKind::Completion { request, stream } = event.kind else {
            return DispatchAction::Proceed;
        };
        let mut request = request.clone();
        let last = request.chat_history.last().cloned();
        let mut shown = self.lock().clone();
        let with_signals = insert(&request.chat_history, &shown.sent);
        let base_in_window = with_signals.is_some() && !shown.sent.is_empty();
        match with_signals {
            Some(messages) => request.chat_history = messages,
            None => shown.sent.clear(),
        }
        let signal = match shown.list.next(base_in_window).await {
            Ok(signal) => signal.map(|signal| Message::user(signal.text)),
            Err(error) => {
                let report = ErrorReport::new(ErrorKind::Other, error.to_string());
                return DispatchAction::deny(report);
            }
        };
        if let (Some(last), Some(signal)) = (last, signal) {
            request.chat_history.push(signal.clone());
            shown.sent.push((last, signal));
        }
        *self.lock() = shown;
        let stream = *stream;
        DispatchAction::patch(EffectKind::Completion { request, stream })
    }
}

/// The messages with each signal after the message that it followed, or `None` where one of those is gone.
fn insert(messages: &[Message], sent: &[(Message, Message)]) -> Option<Vec<Message>> {
    let mut all = Vec::with_capacity(messages.len() + sent.len());
    let mut sent = sent.iter().peekable();
    for message in messages {
        all.push(message.clone());
        while let Some((_, signal)) = sent.next_if(|(before, _)| before == message) {
            all.push(signal.clone());
        }
    }
    sent.peek().is_none().then_some(all)
}

impl<S> fmt::Debug for Signals<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Signals").finish_non_exhaustive()
    }
}
