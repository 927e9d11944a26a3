//! A model that plays a script, in the place of a provider.
//!
//! It stands where the network would be: rig's own OpenAI client sends it each request, as it would go
//! out, and reads its answers. So a script sees what a model sees.

use bytes::Bytes;
use rig::core::operation::Completion;
use rig::driver::DynModel;
use rig::http_client::{
    self, HttpClientExt, LazyBody, MultipartForm, Request, Response, StreamingResponse,
};
use rig::providers::openai::OpenAIConfig;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::future::ready;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A turn of a script: the answer to a request, or what is wrong with the request, which ends the run.
pub type Turn = Box<dyn FnOnce(&Sent) -> Result<Answer, String> + Send>;

/// What the model answers.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// Text, which ends the run.
    Say(String),
    /// Tool calls, all in one message.
    Call(Vec<Call>),
}

/// A call of a tool.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// The name of the tool.
    pub name: String,
    /// The arguments as the model writes them: text, of JSON or not.
    pub arguments: String,
}

impl Call {
    /// A call with arguments that are JSON.
    pub fn new(name: &str, arguments: Value) -> Self {
        Call::raw(name, arguments.to_string())
    }

    /// A call with arguments that need not be JSON.
    pub fn raw(name: &str, arguments: impl Into<String>) -> Self {
        Call {
            name: name.into(),
            arguments: arguments.into(),
        }
    }
}

/// A request that rig sent: the body of an OpenAI chat completion.
#[derive(Clone, Debug)]
pub struct Sent(Value);

impl Sent {
    /// The tools offered.
    pub fn tools(&self) -> &[Value] {
        self.0["tools"].as_array().map_or(&[], Vec::as_slice)
    }

    /// The conversation, from the system message on.
    pub fn messages(&self) -> &[Value] {
        self.0["messages"].as_array().map_or(&[], Vec::as_slice)
    }

    /// The texts of the tool results since the model's last message, in order.
    pub fn results(&self) -> Vec<&str> {
        let messages = self.messages();
        let asked = |message: &Value| message["role"] == "assistant";
        let new = messages.iter().rposition(asked).map_or(0, |last| last + 1);
        let results = messages[new..].iter().filter(|new| new["role"] == "tool");
        results.filter_map(|result| text(result)).collect()
    }

    /// The texts of the signals, in order: what the model was shown of the list. rig joins neighbouring messages of
    /// the user into one of several parts.
    pub fn signals(&self) -> Vec<&str> {
        let of_user = |message: &&Value| message["role"] == "user";
        let messages = self.messages().iter().filter(of_user);
        let texts = messages.flat_map(|message| match &message["content"] {
            Value::Array(parts) => parts
                .iter()
                .filter_map(|part| part["text"].as_str())
                .collect(),
            content => Vec::from_iter(content.as_str()),
        });
        let starts = ["<current-task-list ", "<task-list-update "];
        let is_signal = |text: &&str| starts.iter().any(|start| text.starts_with(start));
        texts.filter(is_signal).collect()
    }

    /// The text of the last tool result of the conversation that contains a text.
    pub fn last_result_with(&self, part: &str) -> Result<&str, String> {
        let mut latest_first = self.messages().iter().rev();
        latest_first
            .find_map(|message| {
                let of_tool = message["role"] == "tool";
                text(message).filter(|text| of_tool && text.contains(part))
            })
            .ok_or_else(|| format!("no tool result says {part:?}"))
    }

    /// The text of the only new tool result, if it contains a text.
    pub fn result_with(&self, part: &str) -> Result<&str, String> {
        match self.results()[..] {
            [text] if text.contains(part) => Ok(text),
            ref others => Err(format!("one result with {part:?} is wanted: {others:?}")),
        }
    }

    /// The arguments of the model's last call.
    pub fn last_arguments(&self) -> Result<Value, String> {
        let calls = self.messages().iter().rev();
        let arguments = calls
            .filter_map(|message| message["tool_calls"].as_array()?.last())
            .find_map(|call| call["function"]["arguments"].as_str())
            .ok_or("the model called no tool")?;
        serde_json::from_str(arguments).map_err(|error| error.to_string())
    }
}

/// The text of a message: its content, or the only part of that.
fn text(message: &Value) -> Option<&str> {
    match &message["content"] {
        Value::String(text) => Some(text),
        Value::Array(parts) => match &parts[..] {
            [part] => part["text"].as_str(),
            _ => None,
        },
        _ => None,
    }
}

/// A model that answers each request with the next turn of its script. Clones share the script.
#[derive(Clone)]
pub struct ScriptedModel(Arc<Mutex<State>>);

struct State {
    script: VecDeque<Turn>,
    played: Vec<(Sent, Answer)>,
}

impl ScriptedModel {
    /// A model with a script. A request past its end is refused.
    pub fn new(script: impl IntoIterator<Item = Turn>) -> Self {
        ScriptedModel(Arc::new(Mutex::new(State {
            script: script.into_iter().collect(),
            played: Vec::new(),
        })))
    }

    /// The model as rig takes it.
    pub fn model(&self) -> DynModel<Completion> {
        let client = OpenAIConfig::new("no key").connect(self.clone());
        client.chat("scripted").into()
    }

    /// The turns played so far: each request, and what it was answered with.
    pub fn played(&self) -> Vec<(Sent, Answer)> {
        self.lock().played.clone()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Plays a turn: a request in, the body of the response out.
    fn play(&self, request: &[u8]) -> Result<String, String> {
        let request = serde_json::from_slice(request).map_err(|error| error.to_string())?;
        let (mut state, sent) = (self.lock(), Sent(request));
        let number = state.played.len() + 1;
        let turn = state.script.pop_front().ok_or("the script is at its end")?;
        let answer = turn(&sent).map_err(|error| format!("turn {number}: {error}"))?;
        let body = response(number, &answer).to_string();
        state.played.push((sent, answer));
        Ok(body)
    }
}

fn response(turn: usize, answer: &Answer) -> Value {
    let (message, reason) = match answer {
        Answer::Say(text) => (json!({"role": "assistant", "content": text}), "stop"),
        Answer::Call(calls) => {
            let calls: Vec<Value> = (calls.iter().enumerate())
                .map(|(i, call)| {
                    let function = json!({"name": call.name, "arguments": call.arguments});
                    json!({"id": format!("call_{turn}_{i}"), "type": "function", "function": function})
                })
                .collect();
            let message = json!({"role": "assistant", "content": null, "tool_calls": calls});
            (message, "tool_calls")
        }
    };
    json!({
        "id": format!("response_{turn}"),
        "object": "chat.completion",
        "created": 0,
        "model": "scripted",
        "choices": [{"index": 0, "message": message, "finish_reason": reason}],
        "usage": {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0},
    })
}

impl HttpClientExt for ScriptedModel {
    fn send<T, U>(
        &self,
        request: Request<T>,
    ) -> impl Future<Output = http_client::Result<Response<LazyBody<U>>>> + Send + 'static
    where
        T: Into<Bytes> + Send,
        U: From<Bytes> + Send + 'static,
    {
        let body: Bytes = request.into_body().into();
        let played = self.play(&body);
        async move {
            let body = played.map_err(refusal)?;
            let body: LazyBody<U> = Box::pin(async { Ok(U::from(Bytes::from(body))) });
            Ok(Response::new(body))
        }
    }

    fn send_multipart<U>(
        &self,
        _: Request<MultipartForm>,
    ) -> impl Future<Output = http_client::Result<Response<LazyBody<U>>>> + Send + 'static
    where
        U: From<Bytes> + Send + 'static,
    {
        ready(Err(refusal("a script takes no forms")))
    }

    async fn send_streaming<T>(&self, _: Request<T>) -> http_client::Result<StreamingResponse>
    where
        T: Into<Bytes> + Send,
    {
        Err(refusal("a script does not stream"))
    }
}

fn refusal(why: impl Into<String>) -> http_client::Error {
    http_client::Error::Instance(why.into().into())
}
