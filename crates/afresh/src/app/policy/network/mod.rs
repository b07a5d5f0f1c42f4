//! Whom workers reach on the network: what the person says, what the project asks for, what their
//! agents need.
//!
//! A project can only ask for less. Who is opened besides is named by the person, in
//! `AFRESH_SANDBOX_HOSTS`.

mod needs;
mod registries;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use afresh_core::plan::Plan;
use afresh_engine::ExecutionConfig;
use afresh_engine::execution_config::AgentNetwork;
use afresh_proxy::{Host, Upstream, UpstreamProblem};
use afresh_sandbox::Level;

use crate::app::environment;
use crate::app::error::Failure;
use crate::terminal::output::count;
use needs::Needs;

/// What a person can say: `--agent-network`, `AFRESH_AGENT_NETWORK`.
pub(crate) const WORDS: &[&str] = &["listed", "open", "off"];

/// Whom workers are to reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Mode {
    Open,
    /// Who is on a list: of an agent whose needs are known, unless the person gives one to all.
    Known,
    Listed,
    Off,
}

impl Mode {
    pub(crate) fn from_word(word: &str) -> Option<Self> {
        match word {
            "open" => Some(Self::Open),
            "listed" => Some(Self::Listed),
            "off" => Some(Self::Off),
            _ => None,
        }
    }
}

/// What there is to decide by.
#[derive(Debug)]
pub(crate) struct Wish<'a> {
    /// The flag's word.
    pub(crate) said: Option<&'a str>,
    /// What a project's configuration asks for; never more than there would be.
    pub(crate) asked: Option<Mode>,
    /// Opened by us.
    pub(crate) more: &'a [Host],
    pub(crate) level: &'a Level,
    /// Of the repository.
    pub(crate) root: &'a Path,
}

/// A decision, and what people have to know about it.
#[derive(Debug, Default)]
pub(crate) struct Decided {
    pub(crate) agents: BTreeMap<String, AgentNetwork>,
    pub(crate) upstream: Upstream,
    /// In a few words; nothing where nothing is held.
    pub(crate) words: String,
    pub(crate) notices: Vec<String>,
}

pub(crate) fn decide(
    wish: &Wish<'_>,
    rules: &ExecutionConfig,
    plan: &Plan,
) -> Result<Decided, Failure> {
    let opened = opened()?;
    let mode = mode(wish, !opened.is_empty())?;
    if wish.level.is_off() {
        return Ok(Decided::default());
    }
    let (mode, upstream, mut notices) = match Upstream::from_variables(&rules.environment) {
        Ok(upstream) => (mode, upstream, Vec::new()),
        Err(problem) if mode == Mode::Known => {
            (Mode::Open, Upstream::default(), vec![cannot_be_listed(&problem)])
        }
        Err(problem) => return Err(other_kind(&problem)),
    };
    let more: Vec<Host> = opened
        .into_iter()
        .chain(wish.more.iter().cloned())
        .chain(registries::of(wish.root).filter_map(|host| host.parse().ok()))
        .collect();
    let has_own_loopback = matches!(wish.level, Level::Bubblewrap { .. });
    let used = used(rules, plan);
    let mut agents = BTreeMap::new();
    for (name, agent) in &rules.agents {
        let network = match (mode, needs::of(agent, rules)) {
            (Mode::Open, _) | (Mode::Known, None) => AgentNetwork::Open,
            (Mode::Known, Some(Needs { own_port: true, .. })) if !has_own_loopback => {
                AgentNetwork::Open
            }
            (Mode::Off, _) => AgentNetwork::Off,
            (Mode::Known | Mode::Listed, known) => {
                let Needs { hosts, told, .. } = known.unwrap_or_default();
                if used.contains(name.as_str()) {
                    notices.extend(told);
                }
                AgentNetwork::Listed(hosts.into_iter().chain(more.iter().cloned()).collect())
            }
        };
        if used.contains(name.as_str()) {
            notices.extend(needs::wishes_of_project(agent, &network));
        }
        agents.insert(name.clone(), network);
    }
    let words = words(&agents, &used, wish.level);
    Ok(Decided { agents, upstream, words, notices })
}

/// What would be, as far as that is known without a plan: for `afresh doctor`.
pub(crate) fn outlook(level: &Level) -> Result<String, Failure> {
    let opened = opened()?;
    let wish = Wish { said: None, asked: None, more: &[], level, root: Path::new("") };
    let besides = match opened.len() {
        0 => String::new(),
        _ => format!(", and {} of AFRESH_SANDBOX_HOSTS", opened.len()),
    };
    Ok(match mode(&wish, !opened.is_empty())? {
        _ if level.is_off() => "open: there is no sandbox".to_owned(),
        Mode::Open => "open".to_owned(),
        Mode::Off => "off".to_owned(),
        _ if Upstream::from_variables(&environment::all()).is_err() => {
            "open: the proxy of your environment is not of the kind http://".to_owned()
        }
        _ if !level.holds_ports() => "listed, but this kernel does not hold connections".to_owned(),
        Mode::Known => {
            "listed: model, login, package registries; open for other programs".to_owned()
        }
        Mode::Listed => format!("listed: model, login, package registries{besides}"),
    })
}

/// What the person opened.
fn opened() -> Result<Vec<Host>, Failure> {
    let value = environment::hosts().unwrap_or_default();
    let parts = value.split([',', ' ']).filter(|part| !part.is_empty());
    parts
        .map(|part| {
            part.parse().map_err(|error: afresh_proxy::BadHost| {
                Failure::usage("sandbox", "AFRESH_SANDBOX_HOSTS cannot be read")
                    .cause(error.to_string())
                    .help(
                        "as in AFRESH_SANDBOX_HOSTS=crates.io,registry.npmjs.org:443,*.example.com",
                    )
            })
        })
        .collect()
}

/// The tighter one of what the person says and the project asks for.
fn mode(wish: &Wish<'_>, has_list: bool) -> Result<Mode, Failure> {
    let said = wish.said.map(str::to_owned).or_else(environment::agent_network);
    let said = said.map(|word| Mode::from_word(&word).ok_or(word)).transpose().map_err(|word| {
        Failure::usage("sandbox", format!("AFRESH_AGENT_NETWORK is {word:?}"))
            .help(format!("one of: {}", WORDS.join(", ")))
    })?;
    if matches!(said, Some(Mode::Listed | Mode::Off)) && wish.level.is_off() {
        let message = "the network of agents cannot be held: there is no sandbox";
        return Err(Failure::usage("sandbox", message)
            .help("leave out --agent-network, or run with a sandbox (`afresh doctor`)"));
    }
    let usual = if has_list { Mode::Listed } else { Mode::Known };
    Ok(said.unwrap_or(usual).max(wish.asked.unwrap_or(Mode::Open)))
}

fn cannot_be_listed(problem: &UpstreamProblem) -> String {
    format!("note: agents have the whole network: {problem}")
}

fn other_kind(problem: &UpstreamProblem) -> Failure {
    Failure::usage("sandbox", problem.to_string())
        .help("leave out --agent-network listed, or name a proxy of the kind http://host:port")
}

/// Agents of this plan's tasks.
fn used<'a>(rules: &'a ExecutionConfig, plan: &'a Plan) -> BTreeSet<&'a str> {
    let named = plan.tasks().iter().map(|task| task.agent.as_deref().unwrap_or(&rules.agent));
    named.collect()
}

/// `listed (9 hosts)`, or each agent's by its name where they differ.
fn words(agents: &BTreeMap<String, AgentNetwork>, used: &BTreeSet<&str>, level: &Level) -> String {
    let word = |network: &AgentNetwork| match network {
        AgentNetwork::Open => "open".to_owned(),
        AgentNetwork::Off => "off".to_owned(),
        AgentNetwork::Listed(hosts) if level.holds_ports() => {
            format!("listed ({})", count(hosts.len(), "host"))
        }
        AgentNetwork::Listed(hosts) => {
            format!("listed ({}), not held by this kernel", count(hosts.len(), "host"))
        }
    };
    let by_name: Vec<(&str, String)> = used
        .iter()
        .filter_map(|name| agents.get(*name).map(|network| (*name, word(network))))
        .collect();
    let words: BTreeSet<&String> = by_name.iter().map(|(_, words)| words).collect();
    if let (1, Some((_, words))) = (words.len(), by_name.first()) {
        return words.clone();
    }
    let each: Vec<String> = by_name.iter().map(|(name, words)| format!("{name} {words}")).collect();
    each.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(said: Option<&str>, asked: Option<Mode>, level: &Level, has_list: bool) -> Option<Mode> {
        let wish = Wish { said, asked, more: &[], level, root: Path::new("") };
        mode(&wish, has_list).ok()
    }

    /// B22: of what the person says and what the project asks for, the tighter one counts; what nothing
    /// can hold is refused.
    #[test]
    fn the_tighter_wish_counts() {
        let level = Level::Landlock { abi: 6 };
        assert_eq!(of(None, None, &level, false), Some(Mode::Known));
        assert_eq!(of(None, None, &level, true), Some(Mode::Listed));
        assert_eq!(of(Some("open"), None, &level, true), Some(Mode::Open));
        assert_eq!(of(Some("open"), Some(Mode::Off), &level, false), Some(Mode::Off));
        assert_eq!(of(Some("off"), Some(Mode::Listed), &level, false), Some(Mode::Off));
        assert_eq!(of(Some("listed"), None, &Level::Off, false), None);
        assert_eq!(of(None, None, &Level::Off, false), Some(Mode::Known));
    }

    #[test]
    fn agents_that_differ_are_told_by_name() {
        let agents = BTreeMap::from([
            (
                "claude".to_owned(),
                AgentNetwork::Listed(["a.test".parse().expect("one")].into_iter().collect()),
            ),
            ("mine".to_owned(), AgentNetwork::Open),
        ]);
        let level = Level::Landlock { abi: 6 };
        let both = words(&agents, &BTreeSet::from(["claude", "mine"]), &level);
        assert_eq!(both, "claude listed (1 host), mine open");
        assert_eq!(words(&agents, &BTreeSet::from(["mine"]), &level), "open");
        let old = words(&agents, &BTreeSet::from(["claude"]), &Level::Landlock { abi: 3 });
        assert_eq!(old, "listed (1 host), not held by this kernel");
    }
}
