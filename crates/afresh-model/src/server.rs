//! One thread per connection, one script per name.

use std::collections::BTreeMap;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::conversation::{BoundToolCall, ErrorReply, ModelReply, ModelRequest};
use crate::http::{HttpConnection, HttpRequest};
use crate::script::{ModelFault, ModelScript, ModelStep, ScriptedCall, TokenCounts};
use crate::{anthropic, chat, gemini, responses, tools};

/// A running server on the loopback interface; it ends when it is dropped.
#[derive(Debug)]
pub struct ModelServer {
    address: SocketAddr,
    shared: Arc<ServerState>,
}

/// One received request, for tests that check what a program sends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReceivedRequest {
    pub script: String,
    pub path: String,
    pub bytes: usize,
    pub model: String,
    pub turns: usize,
    pub tools: Vec<String>,
    pub body: RequestBody,
}

/// The body of a request; too long to be printed.
#[derive(Clone, PartialEq, Eq)]
pub struct RequestBody(String);

impl RequestBody {
    pub fn holds(&self, text: &str) -> bool {
        self.0.contains(text)
    }

    /// How often it contains a text.
    pub fn count(&self, text: &str) -> usize {
        self.0.matches(text).count()
    }
}

impl std::fmt::Debug for RequestBody {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("…")
    }
}

#[derive(Debug)]
struct ServerState {
    scripts: Mutex<BTreeMap<String, ModelScript>>,
    /// How often a step of a conversation has failed already.
    failed: Mutex<BTreeMap<(String, String, usize), u32>>,
    seen: Mutex<Vec<ReceivedRequest>>,
    /// The tokens of all requests so far, as programs are told.
    sent_tokens: AtomicU64,
    /// Steps are held back while more tokens than this were sent.
    most_sent: AtomicU64,
    replies: AtomicU64,
    ended: AtomicBool,
}

const HOLD_POLL: Duration = Duration::from_millis(10);

/// The protocols, by the ends of their paths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ModelProtocol {
    Anthropic,
    Responses,
    Chat,
    Gemini,
}

impl ModelProtocol {
    /// How many tokens a reply reports; only one protocol has a price for writing to a cache.
    fn tokens(self, used: TokenCounts) -> u64 {
        let written = if self == Self::Anthropic { used.cache_write } else { 0 };
        used.input + used.output + used.cache_read + written
    }
}

/// How a request is answered.
enum HttpAnswer {
    Document(ErrorReply),
    Events(Vec<String>),
    /// The first events, and then nothing.
    Broken(Vec<String>),
    Nothing(Duration),
}

impl ModelServer {
    /// Starts a server on a free port.
    pub fn start() -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = listener.local_addr()?;
        let shared = Arc::new(ServerState {
            scripts: Mutex::default(),
            failed: Mutex::default(),
            seen: Mutex::default(),
            sent_tokens: AtomicU64::new(0),
            most_sent: AtomicU64::new(u64::MAX),
            replies: AtomicU64::new(1),
            ended: AtomicBool::new(false),
        });
        let serving = Arc::clone(&shared);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if serving.ended.load(Ordering::Relaxed) {
                    return;
                }
                let shared = Arc::clone(&serving);
                thread::spawn(move || {
                    // A program that disconnects in the middle is not an error.
                    let _ = shared.serve(stream);
                });
            }
        });
        Ok(Self { address, shared })
    }

    /// Adds a script; returns the base URL for programs that follow it, without a version.
    pub fn add(&self, name: &str, script: ModelScript) -> String {
        lock(&self.shared.scripts).insert(name.to_owned(), script);
        self.url(name)
    }

    pub fn url(&self, name: &str) -> String {
        format!("http://{}/s/{name}", self.address)
    }

    /// The tokens of all answered requests so far, steps and titles: input with what was cached, and output.
    pub fn sent_tokens(&self) -> u64 {
        self.shared.sent_tokens.load(Ordering::Relaxed)
    }

    /// Holds every further step back as soon as more than this many tokens were sent, until a higher limit is set: so
    /// a test decides how far a program gets, however fast the machine is.
    pub fn hold_beyond(&self, tokens: u64) {
        self.shared.most_sent.store(tokens, Ordering::Relaxed);
    }

    /// The requests so far.
    pub fn received_requests(&self) -> Vec<ReceivedRequest> {
        lock(&self.shared.seen).clone()
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        self.shared.ended.store(true, Ordering::Relaxed);
        // Wakes the thread that waits for connections.
        let _ = TcpStream::connect(self.address);
    }
}

impl ServerState {
    fn serve(&self, stream: TcpStream) -> io::Result<()> {
        let mut connection = HttpConnection::new(stream)?;
        while let Some(request) = connection.next()? {
            match self.answer(&request) {
                HttpAnswer::Document(ErrorReply { status, retry_after, body }) => {
                    connection.document(status, retry_after, body.to_string().as_bytes())?;
                }
                HttpAnswer::Events(events) => connection.events(&events, true)?,
                HttpAnswer::Broken(events) => {
                    connection.events(&events, false)?;
                    connection.close();
                    return Ok(());
                }
                HttpAnswer::Nothing(wait) => {
                    thread::sleep(wait);
                    connection.close();
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    fn answer(&self, http: &HttpRequest) -> HttpAnswer {
        // One program tries a WebSocket first, and accepts this as a refusal.
        if http.upgrades {
            return HttpAnswer::Document(ErrorReply::new(426, json!({"error": "no upgrade"})));
        }
        let path = http.path.split('?').next().unwrap_or_default();
        let Some((name, rest)) = path.strip_prefix("/s/").and_then(|path| path.split_once('/'))
        else {
            return HttpAnswer::Document(ErrorReply::new(
                404,
                json!({"error": "no script in the path"}),
            ));
        };
        let Some((protocol, method)) = protocol(rest) else {
            let known = http.method == "GET" && rest.ends_with("models");
            let body =
                if known { json!({"data": [], "models": []}) } else { json!({"error": "unknown"}) };
            return HttpAnswer::Document(ErrorReply::new(if known { 200 } else { 404 }, body));
        };
        if method == ModelEndpoint::Count {
            let body = json!({"input_tokens": 1_000, "totalTokens": 1_000});
            return HttpAnswer::Document(ErrorReply::new(200, body));
        }
        let body: Value = serde_json::from_slice(&http.body).unwrap_or(Value::Null);
        let request = match protocol {
            ModelProtocol::Anthropic => anthropic::request(&body),
            ModelProtocol::Responses => responses::request(&body),
            ModelProtocol::Chat => chat::request(&body),
            ModelProtocol::Gemini => {
                gemini::request(&body, model_in(rest), method == ModelEndpoint::Stream)
            }
        };
        self.record_request(name, http, &request);
        self.follow_script(name, protocol, &request)
    }

    fn record_request(&self, name: &str, http: &HttpRequest, request: &ModelRequest) {
        lock(&self.seen).push(ReceivedRequest {
            script: name.to_owned(),
            path: http.path.clone(),
            bytes: http.body.len(),
            model: request.model.clone(),
            turns: request.turns,
            tools: request.tools.iter().map(|tool| tool.name.clone()).collect(),
            body: RequestBody(String::from_utf8_lossy(&http.body).into_owned()),
        });
    }

    fn follow_script(
        &self,
        name: &str,
        protocol: ModelProtocol,
        request: &ModelRequest,
    ) -> HttpAnswer {
        // Titles and summaries are requested without tools, and are not steps.
        if request.tools.is_empty() {
            return self.answer_step(protocol, request, &ModelStep::text("A short title"));
        }
        let Some(script) = lock(&self.scripts).get(name).cloned() else {
            let body = json!({"error": format!("there is no script {name}")});
            return HttpAnswer::Document(ErrorReply::new(404, body));
        };
        let step = script.step(&request.first_words, request.turns);
        if let Some(fault) = self.next_fault(name, request, &step) {
            return render_failure(protocol, request, &fault, &self.reply(&step, request));
        }
        self.wait_while_held();
        self.answer_step(protocol, request, &step)
    }

    fn answer_step(
        &self,
        protocol: ModelProtocol,
        request: &ModelRequest,
        step: &ModelStep,
    ) -> HttpAnswer {
        self.sent_tokens.fetch_add(protocol.tokens(step.usage), Ordering::Relaxed);
        render_reply(protocol, request, &self.reply(step, request))
    }

    fn wait_while_held(&self) {
        while self.sent_tokens.load(Ordering::Relaxed) > self.most_sent.load(Ordering::Relaxed)
            && !self.ended.load(Ordering::Relaxed)
        {
            thread::sleep(HOLD_POLL);
        }
    }

    /// The fault of a step, as often as it must happen.
    fn next_fault(
        &self,
        name: &str,
        request: &ModelRequest,
        step: &ModelStep,
    ) -> Option<ModelFault> {
        let trouble = step.fault.as_ref().filter(|trouble| trouble.applies_to(&request.model))?;
        let key = (name.to_owned(), request.first_words.clone(), request.turns);
        let mut failed = lock(&self.failed);
        let times = failed.entry(key).or_default();
        if *times >= trouble.times {
            return None;
        }
        *times += 1;
        Some(trouble.fault.clone())
    }

    fn reply(&self, step: &ModelStep, request: &ModelRequest) -> ModelReply {
        let number = self.replies.fetch_add(1, Ordering::Relaxed);
        let mut say = step.say.clone();
        let mut calls: Vec<BoundToolCall> = Vec::new();
        for (index, call) in step.calls.iter().enumerate() {
            match tools::bind(call, request, format!("call_{number}_{index}")) {
                Ok(bound) => calls.push(bound),
                Err(why) => match bind_call(call, request, format!("call_{number}_{index}")) {
                    Some(searching) => calls.push(searching),
                    None => say = format!("{say}\n({why})"),
                },
            }
        }
        ModelReply { say, calls, usage: step.usage, model: request.model.clone(), number }
    }
}

/// Some programs hide the tools of tool servers until the model searches for them.
fn bind_call(call: &ScriptedCall, request: &ModelRequest, id: String) -> Option<BoundToolCall> {
    let ScriptedCall::Tool { name, .. } = call else { return None };
    let tool = request.tools.iter().find(|tool| tool.name == "tool_search")?;
    let input = json!({"query": name, "limit": 8});
    Some(BoundToolCall { id, name: tool.name.clone(), namespace: None, input })
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ModelEndpoint {
    Plain,
    Stream,
    Count,
}

fn protocol(path: &str) -> Option<(ModelProtocol, ModelEndpoint)> {
    let ends = |end: &str| path.ends_with(end);
    Some(match () {
        () if ends("/messages/count_tokens") => (ModelProtocol::Anthropic, ModelEndpoint::Count),
        () if ends("/messages") => (ModelProtocol::Anthropic, ModelEndpoint::Plain),
        () if ends("/responses") => (ModelProtocol::Responses, ModelEndpoint::Plain),
        () if ends("/chat/completions") => (ModelProtocol::Chat, ModelEndpoint::Plain),
        () if ends(":streamGenerateContent") => (ModelProtocol::Gemini, ModelEndpoint::Stream),
        () if ends(":generateContent") => (ModelProtocol::Gemini, ModelEndpoint::Plain),
        () if ends(":countTokens") => (ModelProtocol::Gemini, ModelEndpoint::Count),
        () => return None,
    })
}

/// `v1beta/models/NAME:generateContent`.
fn model_in(path: &str) -> &str {
    let last = path.rsplit('/').next().unwrap_or_default();
    last.split(':').next().unwrap_or_default()
}

fn render_reply(protocol: ModelProtocol, request: &ModelRequest, reply: &ModelReply) -> HttpAnswer {
    if request.stream {
        return HttpAnswer::Events(events(protocol, reply));
    }
    let body = match protocol {
        ModelProtocol::Anthropic => anthropic::plain(reply),
        ModelProtocol::Responses => responses::plain(reply),
        ModelProtocol::Chat => chat::plain(reply),
        ModelProtocol::Gemini => gemini::plain(reply),
    };
    HttpAnswer::Document(ErrorReply::new(200, body))
}

fn events(protocol: ModelProtocol, reply: &ModelReply) -> Vec<String> {
    match protocol {
        ModelProtocol::Anthropic => anthropic::stream(reply),
        ModelProtocol::Responses => responses::stream(reply),
        ModelProtocol::Chat => chat::stream(reply),
        ModelProtocol::Gemini => gemini::stream(reply),
    }
}

fn render_failure(
    protocol: ModelProtocol,
    request: &ModelRequest,
    fault: &ModelFault,
    reply: &ModelReply,
) -> HttpAnswer {
    match fault {
        ModelFault::Hang(wait) => HttpAnswer::Nothing(*wait),
        ModelFault::Cut if request.stream => {
            let events = events(protocol, reply);
            HttpAnswer::Broken(events.into_iter().take(1).collect())
        }
        fault => HttpAnswer::Document(match protocol {
            ModelProtocol::Anthropic => anthropic::refusal(fault),
            ModelProtocol::Responses => responses::refusal(fault),
            ModelProtocol::Chat => chat::refusal(fault),
            ModelProtocol::Gemini => gemini::refusal(fault),
        }),
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
