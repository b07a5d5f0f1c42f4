//! `afresh agents list`.

use std::collections::BTreeMap;

use afresh_agents::Agent;
use afresh_agents::adapters::versions::{PINS, PinnedProgram};
use afresh_agents::agent::capabilities::AgentCapabilities;
use afresh_core::plan::ModelTier;
use serde::Serialize;
use serde_json::{Value, json};

use crate::exit::Exit;
use crate::terminal::output::{Output, Paint, safe};
use afresh_app::agents::assignment::with_built_in;
use afresh_app::agents::probe::ProbeRunner;
use afresh_app::agents::programs::inspect::{self, AgentInspection};
use afresh_app::config;
use afresh_app::context::AppContext;
use afresh_app::error::AppError;
use afresh_app::session::RunOptions;
use afresh_app::session::start::options::default_agent;

/// List agents: program, version, models, capabilities, and whether each one is ready
///
/// Programs are really started, with an argument that does no work.
#[derive(Debug, clap::Args)]
pub(super) struct Args {}

/// One agent, for scripts.
#[derive(Debug, Serialize)]
struct ListedAgent {
    name: String,
    kind: &'static str,
    /// It is configured; otherwise it is built in.
    configured: bool,
    /// It is the default agent.
    default: bool,
    program: Option<String>,
    version: Option<String>,
    /// The version that afresh is tested with.
    tested: Option<&'static str>,
    models: Option<BTreeMap<&'static str, String>>,
    #[serde(flatten)]
    abilities: AgentCapabilities,
    usable: bool,
    problem: Option<String>,
    remedy: Option<String>,
}

pub(super) fn list(context: &AppContext, output: &Output) -> Result<Exit, AppError> {
    let directory = context.directory()?;
    let config = config::load(&directory, context.config_file.as_deref())?;
    let home = config.home.clone();
    let configured: Vec<String> = config.agents.keys().cloned().collect();
    let default = default_agent(&config, &RunOptions::default());
    let agents = with_built_in(config.agents);
    let trial = ProbeRunner::new(&context.environment);
    let looks = inspect::at_all(agents.values(), &home, &context.environment, trial.as_ref());
    let mut listed: Vec<ListedAgent> = looks.iter().map(|(agent, look)| one(agent, look)).collect();
    for agent in &mut listed {
        agent.configured = configured.contains(&agent.name);
        agent.default = default == agent.name;
    }
    if output.json {
        output.document(&json!({"agents": listed, "installable": installable()}));
    } else {
        for agent in &listed {
            print(agent, output);
        }
        if listed.iter().any(|agent| agent.default) {
            output.note("* the default agent, for tasks that name none");
        }
    }
    Ok(Exit::Done)
}

fn one(agent: &Agent, look: &AgentInspection) -> ListedAgent {
    let models = agent.model(ModelTier::Standard).map(|_| {
        let of = |tier: ModelTier| (tier.word(), agent.model(tier).unwrap_or_default().to_owned());
        [ModelTier::Small, ModelTier::Standard, ModelTier::Large].map(of).into_iter().collect()
    });
    let trouble = look.trouble.as_ref();
    ListedAgent {
        name: agent.name.clone(),
        kind: agent.kind_name(),
        configured: false,
        default: false,
        program: look.path.as_ref().map(|path| path.to_string_lossy().into_owned()),
        version: look.version.map(|version| version.to_string()),
        tested: look.tested.map(|pin| pin.version),
        models,
        abilities: agent.capabilities(),
        usable: !trouble.is_some_and(|trouble| trouble.is_certain),
        problem: trouble.map(|trouble| trouble.text.clone()).or_else(|| {
            look.login.as_ref().map(|_| "it seems to have neither a key nor a login".to_owned())
        }),
        remedy: trouble.map(|trouble| trouble.hint.clone()).or_else(|| look.login.clone()),
    }
}

fn installable() -> Vec<Value> {
    let one = |pin: &PinnedProgram| json!({"name": pin.program, "package": pin.package, "version": pin.version});
    PINS.iter().map(one).collect()
}

fn print(agent: &ListedAgent, output: &Output) {
    let (paint, word) = match (agent.usable, &agent.problem) {
        (false, _) => (Paint::Red, "unusable"),
        (true, Some(_)) => (Paint::Yellow, "no login"),
        (true, None) => (Paint::Green, "ready"),
    };
    let state = output.paint_data(paint, &format!("{word:<9}"));
    let star = if agent.default { "*" } else { " " };
    let version = agent.version.as_deref().unwrap_or_default();
    let program = agent.program.as_deref().unwrap_or("built in");
    let program = if agent.usable { format!("{program} {version}") } else { String::new() };
    let kind = if agent.kind == agent.name { String::new() } else { format!(" ({})", agent.kind) };
    let name = format!("{}{kind}", agent.name);
    output.prose(format!("{star} {name:<22} {state} {}", safe(&program)).trim_end());
    let mut about = Vec::new();
    if let Some(models) = &agent.models {
        let of = |tier: ModelTier| models.get(tier.word()).map_or("", String::as_str);
        about.push(format!(
            "models {}, {}, {}",
            of(ModelTier::Small),
            of(ModelTier::Standard),
            of(ModelTier::Large)
        ));
    }
    about.push(format!("prompt by {}", agent.abilities.prompt));
    about.push(format!("reports by {}", agent.abilities.tools));
    if agent.abilities.hooks {
        about.push("must report before stopping".to_owned());
    }
    if !agent.abilities.reports_use {
        about.push("reports no usage".to_owned());
    }
    output.prose(&format!("  {:<22} {}", "", safe(&about.join(" · "))));
    if let Some(problem) = &agent.problem {
        output.prose(&format!("  {:<22} {}", "", safe(problem)));
    }
    if let Some(remedy) = &agent.remedy {
        output.prose(&format!("  {:<22} → {}", "", safe(remedy)));
    }
}
