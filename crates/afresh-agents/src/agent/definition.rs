//! Agent definitions: `.claude/agents/NAME.md` and `.afresh/agents/NAME.md`.
//!
//! A definition is no program. It says in which role a worker works, with which tools and model;
//! the program is the run's own, or the one that the definition names. Finding the files is for
//! others.

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

/// The most bytes that a definition may have.
pub const MAX_DEFINITION_BYTES: usize = 64 * 1024;
/// What a plan may name without any file: a worker without a role.
pub const GENERAL: &str = "general-purpose";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentDefinition {
    pub name: String,
    /// The agent of the configuration that works in this role, where it says so.
    pub agent: Option<String>,
    pub model: Option<String>,
    /// None where it says nothing about them.
    pub tools: Option<Vec<String>>,
    pub role: String,
}

/// In which role a worker works.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Role")]
pub struct WorkerRole {
    pub name: String,
    pub text: String,
}

impl AgentDefinition {
    /// Reads a file; `stem` is its name where it does not say another.
    pub fn parse(file: &str, stem: &str, text: &str) -> Result<Self, Finding> {
        let source = SourceText::new(file, text);
        let Some(block) = Frontmatter::first(text) else {
            // A role without a word about itself.
            return Ok(Self { role: text.trim().to_owned(), ..Self::named(stem) });
        };
        if !block.closed {
            let message = "the frontmatter that starts here never ends".to_owned();
            return Err(source
                .finding("agent-definition", &block.at, message)
                .with_hint("add a line `---` behind it"));
        }
        let (node, trouble) = frontmatter(&source, &block);
        if let Some(finding) = trouble {
            return Err(finding);
        }
        let said = |key: &str| get(&node, key).and_then(word).filter(|word| !word.is_empty());
        let own = Self::named(stem);
        Ok(Self {
            name: said("name").unwrap_or(own.name),
            agent: said("agent"),
            model: said("model").filter(|model| model != "inherit"),
            tools: get(&node, "tools").map(tools),
            role: text[block.body..].trim().to_owned(),
        })
    }

    fn named(stem: &str) -> Self {
        Self { name: stem.to_owned(), agent: None, model: None, tools: None, role: String::new() }
    }

    /// The agent that works in this role: `base`, with what the definition says.
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

    /// Does it name tools that `base` cannot be held to?
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

/// The names that Claude Code has for sizes mean the same sizes of other programs; any other name is
/// passed on. After failures that say nothing about the task, the next one down is still tried.
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
        let kind = AgentKind::Program(program.agent());
        Agent { name: program.word().to_owned(), kind, env: vec!["TOKEN".to_owned()] }
    }

    /// AG-04: role, tools and model come from the file.
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
        let own = AgentProgram::Codex.models();
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
    fn frontmatter_that_never_ends_is_told_with_its_place() {
        let finding = AgentDefinition::parse("x.md", "x", "---\nname: x\nBe brief.\n").unwrap_err();
        assert_eq!(finding.line, 2);
    }
}
