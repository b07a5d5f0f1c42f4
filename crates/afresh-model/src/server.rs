//! One thread per connection, one script per name.

use std::collections::BTreeMap;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::conversation::{BoundCall, Refusal, Reply, Request};
use crate::http::{Connection, HttpRequest};
use crate::script::{Call, Fault, Script, Step};
use crate::{anthropic, chat, gemini, responses, tools};

/// A running server on the loopback interface; it ends when it is dropped.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    shared: Arc<Shared>,
}

/// One request that was seen, for whoever wants to know what a program sends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    pub script: String,
    pub path: String,
    pub bytes: usize,
    pub model: String,
    pub turns: usize,
    pub tools: Vec<String>,
    pub body: Body,
}

/// All that was asked; too long to be shown.
#[derive(Clone, PartialEq, Eq)]
pub struct Body(String);

impl Body {
    pub fn holds(&self, text: &str) -> bool {
        self.0.contains(text)
    }
}

impl std::fmt::Debug for Body {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("…")
    }
}

#[derive(Debug)]
struct Shared {
    scripts: Mutex<BTreeMap<String, Script>>,
    /// How often a step of a conversation has failed already.
    failed: Mutex<BTreeMap<(String, String, usize), u32>>,
    seen: Mutex<Vec<Seen>>,
    replies: AtomicU64,
    ended: AtomicBool,
}

/// The protocols, by the ends of their paths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Protocol {
    Anthropic,
    Responses,
    Chat,
    Gemini,
}

/// What is done with a request.
enum Answer {
    Document(Refusal),
    Events(Vec<String>),
    /// The first events, and then nothing.
    Broken(Vec<String>),
    Nothing(Duration),
}

impl Server {
    /// Starts one on a free port.
    pub fn start() -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared {
            scripts: Mutex::default(),
            failed: Mutex::default(),
            seen: Mutex::default(),
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
                    // A program that goes away in the middle is nothing to tell of.
                    let _ = shared.serve(stream);
                });
            }
        });
        Ok(Self { address, shared })
    }

    /// Adds a script; the base URL for programs that are to follow it, without a version.
    pub fn add(&self, name: &str, script: Script) -> String {
        lock(&self.shared.scripts).insert(name.to_owned(), script);
        self.url(name)
    }

    pub fn url(&self, name: &str) -> String {
        format!("http://{}/s/{name}", self.address)
    }

    /// What programs asked for so far.
    pub fn seen(&self) -> Vec<Seen> {
        lock(&self.shared.seen).clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.ended.store(true, Ordering::Relaxed);
        // Wakes the thread that waits for connections.
        let _ = TcpStream::connect(self.address);
    }
}

impl Shared {
    fn serve(&self, stream: TcpStream) -> io::Result<()> {
        let mut connection = Connection::new(stream)?;
        while let Some(request) = connection.next()? {
            match self.answer(&request) {
                Answer::Document(Refusal { status, retry_after, body }) => {
                    connection.document(status, retry_after, body.to_string().as_bytes())?;
                }
                Answer::Events(events) => connection.events(&events, true)?,
                Answer::Broken(events) => {
                    connection.events(&events, false)?;
                    connection.close();
                    return Ok(());
                }
                Answer::Nothing(wait) => {
                    thread::sleep(wait);
                    connection.close();
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    fn answer(&self, http: &HttpRequest) -> Answer {
        // One program would rather have a WebSocket, and takes this for an answer.
        if http.upgrades {
            return Answer::Document(Refusal::new(426, json!({"error": "no upgrade"})));
        }
        let path = http.path.split('?').next().unwrap_or_default();
        let Some((name, rest)) = path.strip_prefix("/s/").and_then(|path| path.split_once('/'))
        else {
            return Answer::Document(Refusal::new(404, json!({"error": "no script in the path"})));
        };
        let Some((protocol, method)) = protocol(rest) else {
            let known = http.method == "GET" && rest.ends_with("models");
            let body =
                if known { json!({"data": [], "models": []}) } else { json!({"error": "unknown"}) };
            return Answer::Document(Refusal::new(if known { 200 } else { 404 }, body));
        };
        if method == Method::Count {
            let body = json!({"input_tokens": 1_000, "totalTokens": 1_000});
            return Answer::Document(Refusal::new(200, body));
        }
        let body: Value = serde_json::from_slice(&http.body).unwrap_or(Value::Null);
        let request = match protocol {
            Protocol::Anthropic => anthropic::request(&body),
            Protocol::Responses => responses::request(&body),
            Protocol::Chat => chat::request(&body),
            Protocol::Gemini => gemini::request(&body, model_in(rest), method == Method::Stream),
        };
        self.note(name, http, &request);
        self.follow(name, protocol, &request)
    }

    fn note(&self, name: &str, http: &HttpRequest, request: &Request) {
        lock(&self.seen).push(Seen {
            script: name.to_owned(),
            path: http.path.clone(),
            bytes: http.body.len(),
            model: request.model.clone(),
            turns: request.turns,
            tools: request.tools.iter().map(|tool| tool.name.clone()).collect(),
            body: Body(String::from_utf8_lossy(&http.body).into_owned()),
        });
    }

    fn follow(&self, name: &str, protocol: Protocol, request: &Request) -> Answer {
        // Titles and summaries are asked for without tools, and are nobody's step.
        if request.tools.is_empty() {
            return rendered(protocol, request, &self.reply(&Step::say("A short title"), request));
        }
        let Some(script) = lock(&self.scripts).get(name).cloned() else {
            let body = json!({"error": format!("there is no script {name}")});
            return Answer::Document(Refusal::new(404, body));
        };
        let step = script.step(&request.first_words, request.turns);
        if let Some(fault) = self.next_fault(name, request, &step) {
            return failed(protocol, request, &fault, &self.reply(&step, request));
        }
        rendered(protocol, request, &self.reply(&step, request))
    }

    /// The fault of a step, as often as it is to happen.
    fn next_fault(&self, name: &str, request: &Request, step: &Step) -> Option<Fault> {
        let trouble = step.fault.as_ref().filter(|trouble| trouble.meets(&request.model))?;
        let key = (name.to_owned(), request.first_words.clone(), request.turns);
        let mut failed = lock(&self.failed);
        let times = failed.entry(key).or_default();
        if *times >= trouble.times {
            return None;
        }
        *times += 1;
        Some(trouble.fault.clone())
    }

    fn reply(&self, step: &Step, request: &Request) -> Reply {
        let number = self.replies.fetch_add(1, Ordering::Relaxed);
        let mut say = step.say.clone();
        let mut calls: Vec<BoundCall> = Vec::new();
        for (index, call) in step.calls.iter().enumerate() {
            match tools::bind(call, request, format!("call_{number}_{index}")) {
                Ok(bound) => calls.push(bound),
                Err(why) => match search(call, request, format!("call_{number}_{index}")) {
                    Some(searching) => calls.push(searching),
                    None => say = format!("{say}\n({why})"),
                },
            }
        }
        Reply { say, calls, usage: step.usage, model: request.model.clone(), number }
    }
}

/// Some programs keep the tools of tool servers back until the model looks for them.
fn search(call: &Call, request: &Request, id: String) -> Option<BoundCall> {
    let Call::Tool { name, .. } = call else { return None };
    let tool = request.tools.iter().find(|tool| tool.name == "tool_search")?;
    let input = json!({"query": name, "limit": 8});
    Some(BoundCall { id, name: tool.name.clone(), namespace: None, input })
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Method {
    Plain,
    Stream,
    Count,
}

fn protocol(path: &str) -> Option<(Protocol, Method)> {
    let ends = |end: &str| path.ends_with(end);
    Some(match () {
        () if ends("/messages/count_tokens") => (Protocol::Anthropic, Method::Count),
        () if ends("/messages") => (Protocol::Anthropic, Method::Plain),
        () if ends("/responses") => (Protocol::Responses, Method::Plain),
        () if ends("/chat/completions") => (Protocol::Chat, Method::Plain),
        () if ends(":streamGenerateContent") => (Protocol::Gemini, Method::Stream),
        () if ends(":generateContent") => (Protocol::Gemini, Method::Plain),
        () if ends(":countTokens") => (Protocol::Gemini, Method::Count),
        () => return None,
    })
}

/// `v1beta/models/NAME:generateContent`.
fn model_in(path: &str) -> &str {
    let last = path.rsplit('/').next().unwrap_or_default();
    last.split(':').next().unwrap_or_default()
}

fn rendered(protocol: Protocol, request: &Request, reply: &Reply) -> Answer {
    if request.stream {
        return Answer::Events(events(protocol, reply));
    }
    let body = match protocol {
        Protocol::Anthropic => anthropic::plain(reply),
        Protocol::Responses => responses::plain(reply),
        Protocol::Chat => chat::plain(reply),
        Protocol::Gemini => gemini::plain(reply),
    };
    Answer::Document(Refusal::new(200, body))
}

fn events(protocol: Protocol, reply: &Reply) -> Vec<String> {
    match protocol {
        Protocol::Anthropic => anthropic::stream(reply),
        Protocol::Responses => responses::stream(reply),
        Protocol::Chat => chat::stream(reply),
        Protocol::Gemini => gemini::stream(reply),
    }
}

fn failed(protocol: Protocol, request: &Request, fault: &Fault, reply: &Reply) -> Answer {
    match fault {
        Fault::Hang(wait) => Answer::Nothing(*wait),
        Fault::Cut if request.stream => {
            let events = events(protocol, reply);
            Answer::Broken(events.into_iter().take(1).collect())
        }
        fault => Answer::Document(match protocol {
            Protocol::Anthropic => anthropic::refusal(fault),
            Protocol::Responses => responses::refusal(fault),
            Protocol::Chat => chat::refusal(fault),
            Protocol::Gemini => gemini::refusal(fault),
        }),
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
