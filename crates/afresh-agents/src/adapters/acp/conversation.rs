//! The client side of one session: initialize, open a session with our tools, set mode and model, send
//! the prompt, grant permissions, and detect the end.
//!
//! Pure: a message in, actions out.

use std::collections::BTreeMap;

use afresh_core::model_error::{ModelError, ModelErrorClass};
use serde_json::{Value, json};

use super::offered::{self, ChoiceRequest};
use crate::json_rpc::{self, RpcMessage};
use crate::stream::event::cut_text;
use crate::stream::json_fields::text;

/// The protocol version of this client.
const VERSION: u64 = 1;

/// The parameters of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionParams {
    pub cwd: String,
    pub prompt: String,
    /// `None` if the program decides.
    pub model: Option<String>,
    /// The session to resume, or `None` for a new one.
    pub resumes: Option<String>,
    /// The command line of the worker's tool server, and its environment: programs start tool servers
    /// with an environment of their own.
    pub tools: Vec<String>,
    pub tools_env: BTreeMap<String, String>,
}

/// An action of the client.
#[derive(Debug, Clone, PartialEq)]
pub enum ClientAction {
    Send(Value),
    /// A note for the transcript.
    Note(String),
    End(SessionEnd),
}

/// How a session ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SessionEnd {
    /// The prompt was answered.
    Answered,
    /// The agent answered with an error.
    Refused,
    Failed(ModelError),
}

#[derive(Debug)]
pub struct AcpConversation {
    opening: SessionParams,
    stage: ConversationStage,
    /// The id of the pending request; there is one at a time.
    asked: u64,
    session: String,
    /// The remaining settings, the next one last.
    settings: Vec<(ChoiceRequest, SessionChoice)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ConversationStage {
    Greeting,
    Opening,
    Choosing(SessionChoice),
    Working,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SessionChoice {
    Mode,
    Model,
}

impl AcpConversation {
    pub fn new(opening: SessionParams) -> Self {
        let (session, settings) = (String::new(), Vec::new());
        Self { opening, stage: ConversationStage::Greeting, asked: 0, session, settings }
    }

    /// The first request.
    pub fn start(&mut self) -> Vec<ClientAction> {
        // Neither files nor terminals are offered: the agent has its own tools.
        let fs = json!({"readTextFile": false, "writeTextFile": false});
        let params = json!({
            "protocolVersion": VERSION,
            "clientCapabilities": {"fs": fs, "terminal": false},
            "clientInfo": {"name": "afresh", "version": env!("CARGO_PKG_VERSION")},
        });
        vec![self.ask(ConversationStage::Greeting, "initialize", &params)]
    }

    pub fn handle_message(&mut self, message: &Value) -> Vec<ClientAction> {
        match json_rpc::read(message) {
            RpcMessage::Request { id, method: "session/request_permission", params } => {
                vec![ClientAction::Send(json_rpc::succeeded(id, &permission(params)))]
            }
            RpcMessage::Request { id, method, .. } => {
                let why = format!("this client does not support {:?}", cut_text(method));
                vec![ClientAction::Send(json_rpc::failed(id, json_rpc::UNKNOWN_METHOD, &why))]
            }
            RpcMessage::Answer { id, outcome } if id.as_u64() == Some(self.asked) => {
                self.response_received(outcome)
            }
            _ => Vec::new(),
        }
    }

    /// Asks the agent to cancel; without a prompt in progress, the session is over.
    pub fn cancel(&self) -> Vec<ClientAction> {
        if self.stage == ConversationStage::Working {
            let params = json!({"sessionId": self.session});
            return vec![ClientAction::Send(json_rpc::notice("session/cancel", &params))];
        }
        vec![fail(ModelErrorClass::Unknown, "it was stopped before it started")]
    }

    /// What the client was waiting for, for error messages.
    pub fn waiting_for(&self) -> &'static str {
        match self.stage {
            ConversationStage::Greeting => "before it answered `initialize`",
            ConversationStage::Opening => "before it opened a session",
            ConversationStage::Choosing(_) => "before it accepted its settings",
            ConversationStage::Working => "before it answered the prompt",
        }
    }

    fn response_received(&mut self, outcome: Result<&Value, &Value>) -> Vec<ClientAction> {
        match (self.stage, outcome) {
            (ConversationStage::Choosing(SessionChoice::Mode), Err(error)) => {
                // It will ask for permissions instead, which are granted.
                let why = cut_text(&error.to_string());
                let mut steps = vec![ClientAction::Note(format!("it rejected the mode: {why}"))];
                steps.push(self.next_setting());
                steps
            }
            (_, Err(_)) => vec![ClientAction::End(SessionEnd::Refused)],
            (ConversationStage::Greeting, Ok(result)) => vec![self.initialized(result)],
            (ConversationStage::Opening, Ok(result)) => vec![self.session_opened(result)],
            (ConversationStage::Choosing(_), Ok(_)) => vec![self.next_setting()],
            (ConversationStage::Working, Ok(_)) => vec![ClientAction::End(SessionEnd::Answered)],
        }
    }

    fn initialized(&mut self, result: &Value) -> ClientAction {
        let version = result.get("protocolVersion").and_then(Value::as_u64).unwrap_or(VERSION);
        if version != VERSION {
            let why =
                format!("it uses version {version} of the protocol; version {VERSION} is required");
            return fail(ModelErrorClass::Unknown, &why);
        }
        let env: Vec<Value> = (self.opening.tools_env.iter())
            .map(|(name, value)| json!({"name": name, "value": value}))
            .collect();
        let (command, args) = self.opening.tools.split_first().unzip();
        let tools = json!({
            "name": "afresh", "command": command.map_or("", String::as_str),
            "args": args.unwrap_or_default(), "env": env,
        });
        let mut params = json!({"cwd": self.opening.cwd, "mcpServers": [tools]});
        let Some(session) = &self.opening.resumes else {
            return self.ask(ConversationStage::Opening, "session/new", &params);
        };
        let able = &result["agentCapabilities"];
        let method = match able.pointer("/sessionCapabilities/resume") {
            Some(Value::Object(_)) => "session/resume",
            // `session/load` repeats the whole conversation first.
            _ if able["loadSession"] == true => "session/load",
            _ => return fail(ModelErrorClass::Unknown, "it cannot resume conversations"),
        };
        params["sessionId"] = session.as_str().into();
        self.ask(ConversationStage::Opening, method, &params)
    }

    fn session_opened(&mut self, result: &Value) -> ClientAction {
        let known = self.opening.resumes.as_deref();
        let Some(session) = known.or_else(|| text(result, "/sessionId")) else {
            return fail(ModelErrorClass::Unknown, "it opened a session without an id");
        };
        session.clone_into(&mut self.session);
        // The last one is sent first: a mode may change the models.
        match self.model(result) {
            Ok(setting) => self.settings.extend(setting),
            Err(step) => return step,
        }
        let modes = offered::modes(result);
        let mode = modes.as_ref().and_then(|modes| Some((modes, modes.permissive()?)));
        if let Some((modes, mode)) = mode.filter(|(modes, mode)| modes.current != *mode) {
            self.settings.push((modes.set(&self.session, mode), SessionChoice::Mode));
        }
        self.next_setting()
    }

    /// The request that sets the wanted model, or an error that lists the offered ones.
    fn model(
        &self,
        result: &Value,
    ) -> Result<Option<(ChoiceRequest, SessionChoice)>, ClientAction> {
        let Some(wanted) = &self.opening.model else { return Ok(None) };
        let refused = |why: String| fail(ModelErrorClass::ModelNotFound, &why);
        let models = offered::models(result).ok_or_else(|| {
            refused(format!("it does not support choosing a model, so {wanted:?} cannot be set"))
        })?;
        if !models.offers(wanted) {
            return Err(refused(format!(
                "it does not offer the model {wanted:?}, only: {}",
                models.names()
            )));
        }
        let is_new = models.current != *wanted;
        Ok(is_new.then(|| (models.set(&self.session, wanted), SessionChoice::Model)))
    }

    fn next_setting(&mut self) -> ClientAction {
        if let Some((setting, chosen)) = self.settings.pop() {
            return self.ask(ConversationStage::Choosing(chosen), setting.method, &setting.params);
        }
        let prompt = json!([{"type": "text", "text": self.opening.prompt}]);
        let params = json!({"sessionId": self.session, "prompt": prompt});
        self.ask(ConversationStage::Working, "session/prompt", &params)
    }

    fn ask(&mut self, stage: ConversationStage, method: &str, params: &Value) -> ClientAction {
        self.stage = stage;
        self.asked += 1;
        ClientAction::Send(json_rpc::request(self.asked, method, params))
    }
}

fn fail(class: ModelErrorClass, why: &str) -> ClientAction {
    ClientAction::End(SessionEnd::Failed(ModelError::new(class, why)))
}

/// Grants a permission once, because permanent ones may be written to files of the repository.
fn permission(params: &Value) -> Value {
    let options = params.get("options").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let of = |kind: &str| options.iter().find(|option| text(option, "/kind") == Some(kind));
    let chosen = of("allow_once").or_else(|| of("allow_always"));
    match chosen.and_then(|option| text(option, "/optionId")) {
        Some(id) => json!({"outcome": {"outcome": "selected", "optionId": id}}),
        None => json!({"outcome": {"outcome": "cancelled"}}),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn method(steps: &[ClientAction]) -> Option<&str> {
        steps.iter().find_map(|step| match step {
            ClientAction::Send(message) => text(message, "/method"),
            _ => None,
        })
    }

    /// AG-01: a rejected mode is skipped, and unexpected messages have no effect.
    #[test]
    fn a_rejected_mode_is_skipped() {
        let mut talk = AcpConversation::new(SessionParams {
            cwd: "/w".to_owned(),
            prompt: "do it".to_owned(),
            model: None,
            resumes: None,
            tools: vec!["us".to_owned()],
            tools_env: BTreeMap::new(),
        });
        assert_eq!(method(&talk.start()), Some("initialize"));
        for other in [json!({"id": 9, "result": {}}), json!({"result": {}}), json!(7), json!([])] {
            assert_eq!(talk.handle_message(&other), [], "{other}");
        }
        assert_eq!(
            method(&talk.handle_message(&json!({"id": 1, "result": {}}))),
            Some("session/new")
        );
        let modes = json!({"currentModeId": "ask", "availableModes": [{"id": "full-access"}]});
        let opened = json!({"id": 2, "result": {"sessionId": "s", "modes": modes}});
        assert_eq!(method(&talk.handle_message(&opened)), Some("session/set_mode"));
        let steps = talk.handle_message(&json!({"id": 3, "error": {"code": -1, "message": "no"}}));
        assert!(matches!(&steps[0], ClientAction::Note(note) if note.contains("no")), "{steps:?}");
        assert_eq!(method(&steps), Some("session/prompt"));
        assert_eq!(method(&talk.cancel()), Some("session/cancel"));
        // An earlier answer does not count for this request.
        assert_eq!(talk.handle_message(&json!({"id": 3, "result": {}})), []);
        let ended = talk.handle_message(&json!({"id": 4, "result": {"stopReason": "end_turn"}}));
        assert_eq!(ended, [ClientAction::End(SessionEnd::Answered)]);
    }
}
