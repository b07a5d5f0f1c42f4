//! The modes and models that a session offers, and which of them is wanted.
//!
//! There are two ways to offer them: separate lists (`modes`, `models`), and options of the session
//! with a category. Both are read; if a program has both, the older one is used.

use serde_json::{Value, json};

use crate::stream::json_fields::text;

/// Modes without permission requests, by the programs' names. The first one that is offered is used.
const PERMISSIVE: &[&str] = &["bypassPermissions", "full-access", "yolo", "auto-approve"];

/// The most names in an error.
const MAX_NAMES: usize = 30;

/// An offered choice, and how to make it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OfferedChoice {
    pub current: String,
    pub values: Vec<String>,
    way: ChoiceMethod,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum ChoiceMethod {
    /// A separate method, with the name of its argument.
    Method(&'static str, &'static str),
    /// An option of the session, by its id.
    Option(String),
}

/// A request that makes a choice.
#[derive(Debug, Clone, PartialEq)]
pub struct ChoiceRequest {
    pub method: &'static str,
    pub params: Value,
}

/// The modes of a new session.
pub fn modes(session: &Value) -> Option<OfferedChoice> {
    let own = listed(session, "/modes/availableModes", "id").map(|values| OfferedChoice {
        current: text(session, "/modes/currentModeId").unwrap_or_default().to_owned(),
        values,
        way: ChoiceMethod::Method("session/set_mode", "modeId"),
    });
    own.or_else(|| option(session, "mode"))
}

/// The models of a new session.
pub fn models(session: &Value) -> Option<OfferedChoice> {
    let own = listed(session, "/models/availableModels", "modelId").map(|values| OfferedChoice {
        current: text(session, "/models/currentModelId").unwrap_or_default().to_owned(),
        values,
        way: ChoiceMethod::Method("session/set_model", "modelId"),
    });
    own.or_else(|| option(session, "model"))
}

impl OfferedChoice {
    /// The most permissive known value, if there is one.
    pub fn permissive(&self) -> Option<&'static str> {
        PERMISSIVE.iter().copied().find(|name| self.values.iter().any(|value| value == name))
    }

    pub fn offers(&self, value: &str) -> bool {
        self.values.iter().any(|offered| offered == value)
    }

    /// The offered values, for messages.
    pub fn names(&self) -> String {
        let shown: Vec<&str> = self.values.iter().map(String::as_str).take(MAX_NAMES).collect();
        let rest = self.values.len() - shown.len();
        let more = if rest > 0 { format!(", and {rest} more") } else { String::new() };
        format!("{}{more}", shown.join(", "))
    }

    /// The request that sets this value.
    pub fn set(&self, session: &str, value: &str) -> ChoiceRequest {
        match &self.way {
            ChoiceMethod::Method(method, argument) => {
                let params = json!({"sessionId": session, *argument: value});
                ChoiceRequest { method, params }
            }
            ChoiceMethod::Option(id) => {
                let params = json!({"sessionId": session, "configId": id, "value": value});
                ChoiceRequest { method: "session/set_config_option", params }
            }
        }
    }
}

/// An option of this category. Some programs use the id instead of a category.
fn option(session: &Value, category: &str) -> Option<OfferedChoice> {
    let options = session.get("configOptions")?.as_array()?;
    let found = options.iter().find(|option| text(option, "/category") == Some(category));
    let found = found.or_else(|| options.iter().find(|o| text(o, "/id") == Some(category)))?;
    let offered = found.get("options")?.as_array()?;
    // Options may be grouped.
    let values = offered.iter().flat_map(|entry| match entry.get("options") {
        Some(Value::Array(group)) => group.iter().collect(),
        _ => vec![entry],
    });
    Some(OfferedChoice {
        current: text(found, "/currentValue").unwrap_or_default().to_owned(),
        values: values.filter_map(|entry| text(entry, "/value")).map(str::to_owned).collect(),
        way: ChoiceMethod::Option(text(found, "/id")?.to_owned()),
    })
}

fn listed(session: &Value, at: &str, key: &str) -> Option<Vec<String>> {
    let entries = session.pointer(at)?.as_array()?;
    let name = |entry: &Value| entry.get(key).and_then(Value::as_str).map(str::to_owned);
    Some(entries.iter().filter_map(name).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// AG-01: both ways to offer models are read, including grouped options.
    #[test]
    fn models_are_found_in_lists_and_options() {
        let own = json!({"models": {"currentModelId": "a", "availableModels":
            [{"modelId": "a"}, {"modelId": "b"}, {"nothing": 1}]}});
        let choice = models(&own).expect("offered");
        assert_eq!((choice.names().as_str(), choice.offers("b")), ("a, b", true));
        assert_eq!(choice.set("s", "b").params, json!({"sessionId": "s", "modelId": "b"}));
        let option = json!({"configOptions": [{"id": "m", "category": "model", "options":
            [{"group": "x", "options": [{"value": "a"}]}, {"value": "b"}]}]});
        let choice = models(&option).expect("offered");
        assert_eq!(choice.names(), "a, b");
        let set = choice.set("s", "b");
        assert_eq!(set.method, "session/set_config_option");
        assert_eq!(set.params, json!({"sessionId": "s", "configId": "m", "value": "b"}));
        for none in [json!({}), json!({"models": 7}), json!({"configOptions": [1, {}]})] {
            assert_eq!(models(&none), None, "{none}");
        }
    }
}
