//! Agent definitions: `.claude/agents/NAME.md` and `.afresh/agents/NAME.md`.
//!
//! A definition gives a worker a role, tools and a model. The program is the run's agent, or the one
//! that the definition names. Finding the files is left to the caller.

use afresh_formats::Finding;
use afresh_formats::findings::SourceText;
use afresh_formats::text::markdown::Frontmatter;
use afresh_formats::text::node::Node;
use afresh_formats::text::yaml::frontmatter;
use afresh_formats::text::yaml::values::{get, list_words, word};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::adapters::program::{AgentProgram, ModelNames};
use crate::agent::{Agent, AgentKind};

/// The largest definition, in bytes.
pub const MAX_DEFINITION_BYTES: usize = 64 * 1024;
/// The name of a worker without a role, which needs no file.
pub const GENERAL: &str = "general-purpose";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentDefinition {
    pub name: String,
    /// The configured agent for this role, if it names one.
    pub agent: Option<String>,
    pub model: Option<String>,
    /// `None` if it does not list tools.
    pub tools: Option<Vec<String>>,
    pub role: String,
}

/// The role of a worker.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Role")]
pub struct WorkerRole {
    pub name: String,
    pub text: String,
}

impl AgentDefinition {
    /// Parses a file; `stem` is the default name.
    pub fn parse(file: &str, stem: &str, text: &str) -> Result<Self, Finding> {
        let source = SourceText::new(file, text);
        let Some(block) = Frontmatter::first(text) else {
            // A role without a frontmatter.
            return Ok(Self { role: text.trim().to_owned(), ..Self::named(stem) });
        };
        if !block.closed {
            let message = "the frontmatter that starts here is not closed".to_owned();
            return Err(source
                .finding("agent-definition", &block.at, message)
                .with_hint("add a line `---` after it"));
        }
        let (node, trouble) = frontmatter(&source, &block);
        if let Some(finding) = trouble {
            return Err(finding);
        }
        let field = |key: &str| get(&node, key).and_then(word).filter(|word| !word.is_empty());
        let own = Self::named(stem);
        Ok(Self {
            name: field("name").unwrap_or(own.name),
            agent: field("agent"),
            model: field("model").filter(|model| model != "inherit"),
            tools: get(&node, "tools").map(tools),
            role: text[block.body..].trim().to_owned(),
        })
    }

    fn named(stem: &str) -> Self {
        Self { name: stem.to_owned(), agent: None, model: None, tools: None, role: String::new() }
    }

    /// The agent for this role: `base` with the definition's tools and model.
    pub fn agent(&self, name: &str, base: &Agent) -> Agent {
        let mut agent = Agent { name: name.to_owned(), ..base.clone() };
        if let AgentKind::Program(program) = &mut agent.kind {
            program.tools.clone_from(&self.tools);
            if let Some(model) = &self.model {
                program.models = models(model, program.program, &program.models);
            }
        }
        agent
    }

    /// Whether it lists tools that `base` cannot be restricted to.
    pub fn has_tools_without_effect(&self, base: &Agent) -> bool {
        let is_held = matches!(&base.kind, AgentKind::Program(agent) if agent.program == AgentProgram::Claude);
        self.tools.is_some() && !is_held
    }
}

/// `Read, Grep, Bash`, or a list.
fn tools(node: &Node) -> Vec<String> {
    list_words(node)
        .iter()
        .flat_map(|word| word.text.split(','))
        .map(str::trim)
        .filter(|tool| !tool.is_empty())
        .map(str::to_owned)
        .collect()
}

/// Claude Code's names for sizes mean the same sizes of other programs; any other name is passed on.
/// After a failure of the model, the next smaller one is still tried.
fn models(model: &str, program: AgentProgram, known: &ModelNames) -> ModelNames {
    let (size, below) = match model {
        "haiku" => (&known.small, &known.small),
        "sonnet" => (&known.standard, &known.small),
        "opus" => (&known.large, &known.standard),
        _ => return ModelNames::all(model),
    };
    let size = if program == AgentProgram::Claude { model } else { size };
    ModelNames { small: below.clone(), standard: size.to_owned(), large: size.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use afresh_core::plan::ModelTier;

    const REVIEWER: &str = "---\nname: reviewer\ndescription: \"Looks: twice\"\ntools: Read, Grep,Bash\nmodel: opus\n---\n\nYou look twice.\n";

    fn base(program: AgentProgram) -> Agent {
        let kind = AgentKind::Program(program.default_agent());
        Agent { name: program.name().to_owned(), kind, env: vec!["TOKEN".to_owned()] }
    }

    /// AG-04: the file sets role, tools and model.
    #[test]
    fn a_definition_gives_role_tools_and_model() {
        let definition = AgentDefinition::parse("a.md", "a", REVIEWER).expect("a definition");
        assert_eq!(
            (definition.name.as_str(), definition.role.as_str()),
            ("reviewer", "You look twice.")
        );
        let claude = definition.agent("reviewer", &base(AgentProgram::Claude));
        assert_eq!(claude.model(ModelTier::Standard), Some("opus"));
        assert_eq!(claude.model(ModelTier::Small), Some("sonnet"), "after failures");
        assert_eq!(claude.env, ["TOKEN"]);
        let AgentKind::Program(program) = &claude.kind else { panic!("a program") };
        assert_eq!(
            program.tools.as_deref(),
            Some(&["Read", "Grep", "Bash"].map(str::to_owned)[..])
        );
        assert!(!definition.has_tools_without_effect(&base(AgentProgram::Claude)));
    }

    /// AG-04: the same definition, with another program.
    #[test]
    fn sizes_mean_the_same_for_other_programs() {
        let definition = AgentDefinition::parse("a.md", "a", REVIEWER).expect("a definition");
        let codex = definition.agent("reviewer", &base(AgentProgram::Codex));
        let own = AgentProgram::Codex.default_models();
        assert_eq!(codex.model(ModelTier::Standard), Some(own.large.as_str()));
        assert!(definition.has_tools_without_effect(&base(AgentProgram::Codex)));
        let named = AgentDefinition { model: Some("gpt-x".to_owned()), ..definition };
        let codex = named.agent("reviewer", &base(AgentProgram::Codex));
        assert_eq!(codex.model(ModelTier::Large), Some("gpt-x"));
    }

    #[test]
    fn a_file_without_frontmatter_is_a_role() {
        let plain = AgentDefinition::parse("x.md", "x", "Be brief.\n").expect("a definition");
        assert_eq!((plain.name.as_str(), plain.role.as_str()), ("x", "Be brief."));
        assert_eq!((plain.model, plain.tools), (None, None));
        let listed = "---\ntools:\n  - Read\n  - Bash\nmodel: inherit\n---\n";
        let listed = AgentDefinition::parse("x.md", "x", listed).expect("a definition");
        assert_eq!(listed.tools, Some(vec!["Read".to_owned(), "Bash".to_owned()]));
        assert_eq!(listed.model, None);
    }

    #[test]
    fn an_unclosed_frontmatter_is_reported_with_its_place() {
        let finding = AgentDefinition::parse("x.md", "x", "---\nname: x\nBe brief.\n").unwrap_err();
        assert_eq!(finding.line, 2);
    }
}
