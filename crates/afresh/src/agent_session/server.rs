//! Reading requests, one JSON message per line, and answering them until the client closes its end.
//!
//! Every call of a tool has its own thread, so that pings are answered and calls are cancelled meanwhile.

use std::collections::BTreeMap;
use std::io::{self, BufRead, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, Scope};

use afresh_agents::json_rpc::{self, RpcMessage};
use serde_json::Value;

use super::McpSession;
use super::methods::{self, ProtocolVersion};
use crate::in_attempt::json_lines::{self, NextLine};

/// Longer messages are refused.
const MAX_MESSAGE_BYTES: u64 = 4 * 1024 * 1024;
/// Calls at the same time; more are refused.
const MAX_CALLS: usize = 16;
/// Arguments are parsed on the thread of the call, and a parser for every command needs room.
const STACK_BYTES: usize = 16 * 1024 * 1024;
/// The server refuses for now (in the range that JSON-RPC leaves to servers).
const TOO_MANY_CALLS: i64 = -32000;

/// Whether a call was cancelled, by its client or because the client is gone.
#[derive(Debug, Clone, Default)]
pub(super) struct CallSwitch(Arc<AtomicBool>);

impl CallSwitch {
    pub(super) fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// The calls that are not answered yet, by the id of their request as text.
type OpenCalls = Mutex<BTreeMap<String, CallSwitch>>;

/// Answers until the other side closes its end; then calls that wait are cancelled, and commands are finished.
pub(crate) fn serve(
    input: &mut impl BufRead,
    output: impl Write + Send,
    session: &McpSession,
) -> io::Result<()> {
    let connection = ClientConnection { output: Mutex::new(output), calls: OpenCalls::default() };
    let mut version = ProtocolVersion::default();
    thread::scope(|scope| {
        let ended = loop {
            let message = match next_message(input) {
                Ok(NextMessage::Message(message)) => message,
                Ok(NextMessage::Nonsense) => {
                    let text = "not a JSON message";
                    connection.send(&json_rpc::failed(&Value::Null, json_rpc::PARSE_ERROR, text));
                    continue;
                }
                Ok(NextMessage::End) => break Ok(()),
                Err(error) => break Err(error),
            };
            match json_rpc::read(&message) {
                RpcMessage::Request { id, method, params } => {
                    if method == "initialize" {
                        version = ProtocolVersion::negotiate(params);
                    }
                    match methods::answer_at_once(id, method, version) {
                        Some(answer) => connection.send(&answer),
                        None => connection.start_call(&message, id, version, session, scope),
                    }
                }
                other => connection.take_in(&other),
            }
        };
        connection.cancel_all();
        ended
    })
}

/// What came next.
enum NextMessage {
    Message(Value),
    Nonsense,
    End,
}

fn next_message(input: &mut impl BufRead) -> io::Result<NextMessage> {
    loop {
        let line = match json_lines::next(input, MAX_MESSAGE_BYTES)? {
            NextLine::End => return Ok(NextMessage::End),
            NextLine::TooLong => return Ok(NextMessage::Nonsense),
            NextLine::Line(line) => line,
        };
        if !line.trim_ascii().is_empty() {
            let message = serde_json::from_slice(&line);
            return Ok(message.map_or(NextMessage::Nonsense, NextMessage::Message));
        }
    }
}

/// The other side.
struct ClientConnection<W> {
    output: Mutex<W>,
    calls: OpenCalls,
}

impl<W: Write + Send> ClientConnection<W> {
    /// What is no request.
    fn take_in(&self, message: &RpcMessage<'_>) {
        match message {
            RpcMessage::Notice { method: "notifications/cancelled", params } => {
                self.cancel(params.get("requestId").unwrap_or(&Value::Null));
            }
            RpcMessage::Broken { id } => {
                let text = "`method` is missing";
                self.send(&json_rpc::failed(id, json_rpc::INVALID_REQUEST, text));
            }
            // We send no requests, and notifications get no answer.
            _ => {}
        }
    }

    /// Answers a request on a thread of its own.
    fn start_call<'scope>(
        &'scope self,
        message: &Value,
        id: &Value,
        version: ProtocolVersion,
        session: &'scope McpSession,
        scope: &'scope Scope<'scope, '_>,
    ) {
        let Some(call) = self.open(id) else { return self.refuse(id) };
        let message = message.clone();
        let work = move || self.carry_out(&message, version, &call, session);
        let started = thread::Builder::new().stack_size(STACK_BYTES);
        if started.spawn_scoped(scope, work).is_err() {
            self.calls().remove(&id.to_string());
            self.refuse(id);
        }
    }

    /// A client that reads no more closes its other end too, which ends the session.
    fn send(&self, message: &Value) {
        let mut output = self.output.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = writeln!(output, "{message}").and_then(|()| output.flush());
    }

    fn calls(&self) -> MutexGuard<'_, BTreeMap<String, CallSwitch>> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// None if there are too many calls, or one with this id.
    fn open(&self, id: &Value) -> Option<CallSwitch> {
        let (mut calls, id) = (self.calls(), id.to_string());
        if calls.len() >= MAX_CALLS || calls.contains_key(&id) {
            return None;
        }
        let call = CallSwitch::default();
        calls.insert(id, call.clone());
        Some(call)
    }

    fn refuse(&self, id: &Value) {
        let text = format!("{MAX_CALLS} calls are not answered yet, or one with this id");
        self.send(&json_rpc::failed(id, TOO_MANY_CALLS, &text));
    }

    fn carry_out(
        &self,
        message: &Value,
        version: ProtocolVersion,
        call: &CallSwitch,
        session: &McpSession,
    ) {
        let RpcMessage::Request { id, method, params } = json_rpc::read(message) else { return };
        let answer = methods::answer_call(id, method, params, version, call, session);
        self.calls().remove(&id.to_string());
        // A cancelled request gets no answer.
        if !call.is_cancelled() {
            self.send(&answer);
        }
    }

    fn cancel(&self, id: &Value) {
        if let Some(call) = self.calls().get(&id.to_string()) {
            call.cancel();
        }
    }

    fn cancel_all(&self) {
        self.calls().values().for_each(CallSwitch::cancel);
    }
}
