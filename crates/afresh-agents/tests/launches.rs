//! How each known program is started: with a new conversation, and with a resumed one.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use afresh_agents::agent::{COMMON_VARIABLES, LaunchCommand, PromptFile, SessionRef};
use afresh_agents::{Agent, AgentKind, AgentProgram, LaunchRequest};
use afresh_core::plan::ModelTier;

fn agent(program: AgentProgram) -> Agent {
    Agent {
        name: program.name().to_owned(),
        kind: AgentKind::Program(program.default_agent()),
        env: vec![],
    }
}

fn launch(
    program: AgentProgram,
    session: SessionRef<'_>,
    variables: &BTreeMap<String, String>,
) -> LaunchCommand {
    let order = LaunchRequest {
        trusted_directory: Path::new("/attempt"),
        prompt: PromptFile { text: "do it", file: Path::new("/attempt/prompt.md") },
        us: Path::new("/bin/afresh"),
        tier: ModelTier::Standard,
        session,
        directory: Path::new("/attempt"),
        variables,
        is_root: false,
    };
    agent(program).launch(&order).expect("a command line")
}

fn shown(launch: &LaunchCommand) -> String {
    let mut text = launch.argv.join("\n  ");
    for (name, value) in &launch.env {
        let _ = write!(text, "\n{name}={value}");
    }
    for file in &launch.files {
        // A module is code, and is tested elsewhere.
        let is_code = file.path.extension().is_some_and(|extension| extension == "mjs");
        let content = if is_code { "(a module)" } else { &file.text };
        let _ = write!(text, "\n{}: {content}", file.path.display());
    }
    text
}

/// AG-01, AG-08: the whole command line of each program, and how it differs for a resumed conversation.
#[test]
fn each_program_continues_a_session_in_its_own_way() {
    for program in AgentProgram::ALL {
        let with = |session| shown(&launch(*program, session, &BTreeMap::new()));
        let (fresh, resumed) = (with(SessionRef::New("NAME")), with(SessionRef::Resumed("NAME")));
        insta::assert_snapshot!(
            program.name(),
            format!("fresh:\n{fresh}\n\nresumed:\n{resumed}\n")
        );
    }
}

/// B36, AG-01: no program gets a variable that it does not need to reach its model, and none of the values
/// is in its command line, where every user of the machine could read it.
#[test]
fn each_program_gets_only_the_variables_that_it_needs() {
    const OTHERS: &[&str] = &[
        "AWS_SECRET_ACCESS_KEY",
        "DATABASE_URL",
        "GITHUB_TOKEN",
        "GH_TOKEN",
        "LD_LIBRARY_PATH",
        "LD_PRELOAD",
        "NODE_OPTIONS",
        "NPM_TOKEN",
        "SSH_AUTH_SOCK",
    ];
    for program in AgentProgram::ALL {
        let allowed = agent(*program).variables();
        for name in OTHERS {
            let is_allowed = allowed.iter().any(|it| it == name) || COMMON_VARIABLES.contains(name);
            assert!(!is_allowed, "{} sees {name}", program.name());
        }
        let keys = allowed.iter().filter(|name| name.ends_with("_KEY") || name.ends_with("_TOKEN"));
        let passed: BTreeMap<String, String> =
            keys.map(|name| (name.clone(), format!("secret of {name}"))).collect();
        assert!(!passed.is_empty(), "{} needs a key", program.name());
        let argv = launch(*program, SessionRef::New("NAME"), &passed).argv;
        assert!(!argv.iter().any(|word| word.contains("secret of")), "{argv:?}");
    }
}
