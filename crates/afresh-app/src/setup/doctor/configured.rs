//! The configuration, and the programs of its commands.

use std::collections::BTreeSet;
use std::path::Path;

use afresh_agents::AgentProgram;

use crate::agents::programs;
use crate::agents::which;
use crate::config::{self, Config};
use crate::context::AppContext;
use crate::context::environment::Environment;
use crate::session::start::left_out_config::is_left_out;
use crate::setup::doctor::agents::AgentProbes;
use crate::setup::doctor::{DoctorLine, LineSink, agents, checks};

/// Words of a shell that are not programs.
const SHELL: &[&str] = &[
    "cd", "{", "(", "!", "if", "for", "while", "case", "exec", "set", "export", "test", "[", ":",
    "true", "false", "echo", "eval", ".", "source", "ulimit", "umask", "trap",
];

pub(super) fn check_configuration(
    context: &AppContext,
    directory: &Path,
    probes: &AgentProbes<'_>,
    lines: &mut LineSink<'_>,
) {
    let config = match config::load(directory, context.config_file.as_deref()) {
        Ok(config) => config,
        Err(failure) => {
            lines.extend(failure.findings.iter().filter(|f| f.is_error()).map(|finding| {
                let place = format!("{}:{}:{}", finding.file, finding.line, finding.column);
                let hint = finding.hint.clone().unwrap_or_else(|| {
                    "`afresh config list` shows every key with its value".to_owned()
                });
                DoctorLine::fail("configuration", format!("{place}: {}", finding.message), hint)
            }));
            if failure.findings.is_empty() {
                lines.push(DoctorLine::failed("configuration", &failure));
            }
            return;
        }
    };
    lines.push(configuration(&config, context));
    lines.extend(config.warnings.iter().map(|warning| {
        let text = format!("{}:{}: {}", warning.file, warning.line, warning.message);
        let hint =
            warning.hint.clone().unwrap_or_else(|| "remove it to silence this warning".to_owned());
        DoctorLine::warn("configuration", text, hint)
    }));
    lines.extend(chosen(&config, &context.environment));
    agents::check_agents(&config, &context.environment, probes, lines);
    let sets = [("setup", &config.setup), ("checks", &config.settings.always)];
    lines.extend(sets.iter().filter_map(|(name, commands)| {
        let has_setup = !config.setup.is_empty();
        programs(name, commands, directory, has_setup, &context.environment)
    }));
    if let Some(repository) = probes.repository {
        checks::check_every_merge(context, repository, &config, probes.unsandboxed, lines);
    }
}

fn configuration(config: &Config, context: &AppContext) -> DoctorLine {
    if config.is_from_file() {
        return DoctorLine::ok("configuration", config.shown.clone());
    }
    if context.repository().is_ok_and(|repository| is_left_out(&repository, config)) {
        let text = ".afresh/config.toml is in HEAD, but not in this checkout; using defaults";
        let hint = "`git sparse-checkout add .afresh`, or `git restore .afresh`, brings it back";
        return DoctorLine::warn("configuration", text, hint);
    }
    DoctorLine::warn("configuration", "none; using defaults", "`afresh init` writes one")
}

/// The default agent.
fn chosen(config: &Config, environment: &Environment) -> Option<DoctorLine> {
    let is_built_in = |name: &str| AgentProgram::from_name(name).is_some();
    let configure = if config.is_from_file() {
        "set `agent` under [run] in the configuration"
    } else {
        "`afresh init` writes a configuration"
    };
    match &config.agent {
        Some(name) if is_built_in(name) => None,
        None if config.agents.is_empty() && programs::find("claude", environment).is_ok() => {
            Some(DoctorLine::warn("agent", "no agent is configured; tasks go to claude", configure))
        }
        _ if config.agents.is_empty() => {
            let hint = format!("`afresh agents install claude` installs one; then {configure}");
            Some(DoctorLine::fail("agent", "no agent is configured", hint))
        }
        Some(name) if !config.agents.contains_key(name) => {
            let known: Vec<&str> = config.agents.keys().map(String::as_str).collect();
            let text = format!(
                "[run] agent is {name:?}, but only these are configured: {}",
                known.join(", ")
            );
            Some(DoctorLine::fail(
                "agent",
                text,
                format!("add [agents.{name}], or name a configured one"),
            ))
        }
        None => {
            Some(DoctorLine::warn("agent", "there is no default agent", "set `agent` under [run]"))
        }
        Some(_) => None,
    }
}

/// Checks that the programs of shell commands exist; none without commands.
fn programs(
    name: &str,
    commands: &[String],
    directory: &Path,
    has_setup: bool,
    environment: &Environment,
) -> Option<DoctorLine> {
    if commands.is_empty() {
        return None;
    }
    let names: BTreeSet<String> =
        commands.iter().flat_map(|command| program_names(command)).collect();
    let wanted: BTreeSet<&str> = names.iter().map(String::as_str).collect();
    let path = environment.search_path();
    // What lies in the repository may be made by the set-up commands of each workspace.
    let (inside, outside): (Vec<&str>, Vec<&str>) =
        wanted.iter().copied().partition(|program| program.contains('/'));
    let absent: Vec<&str> =
        inside.into_iter().filter(|program| !directory.join(program).exists()).collect();
    let missing: Vec<&str> =
        outside.into_iter().filter(|program| which::find(program, &path).is_err()).collect();
    let found: Vec<&str> =
        wanted.iter().copied().filter(|program| !absent.contains(program)).collect();
    Some(if missing.is_empty() && absent.is_empty() {
        DoctorLine::ok(name, format!("{} found", found.join(", ")))
    } else if missing.is_empty() && has_setup {
        let later = format!("{} must come from the set-up", absent.join(", "));
        let found =
            if found.is_empty() { String::new() } else { format!("{} found; ", found.join(", ")) };
        DoctorLine::ok(name, format!("{found}{later}"))
    } else if missing.is_empty() {
        DoctorLine::warn(
            name,
            format!("not in this directory: {}", absent.join(", ")),
            "create them with `setup` under [workspace], or change the commands",
        )
    } else {
        DoctorLine::warn(
            name,
            format!("not on the PATH: {}", missing.join(", ")),
            "install them, or change the commands in the configuration",
        )
    })
}

/// The first word of each simple command, as far as it can be found without a shell.
fn program_names(command: &str) -> Vec<String> {
    // The `&` of a redirection parts no commands.
    let command = command.replace(">&", ">").replace("<&", "<").replace("&>", ">");
    let simple = command.split([';', '|', '&', '\n']).filter_map(|part| {
        let mut words = part.split_whitespace().filter(|word| !word.contains('='));
        while let Some(word) = words.next() {
            if word.ends_with(['<', '>']) {
                // The file of a redirection.
                words.next();
            } else if !word.contains(['<', '>']) && !matches!(word, "{" | "(" | "!" | "}" | ")") {
                return Some(word);
            }
        }
        None
    });
    let plain = |word: &&str| {
        word.bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.' | b'/' | b'+'))
    };
    simple.filter(plain).filter(|word| !SHELL.contains(word)).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_programs_of_a_command_are_found() {
        let found = program_names;
        assert_eq!(found("cargo test -q"), ["cargo"]);
        assert_eq!(found("cd web && A=1 npm ci; ./x.sh | grep y"), ["npm", "./x.sh", "grep"]);
        assert_eq!(
            found("{ test -d build || meson setup build; } && meson test"),
            ["meson", "meson"]
        );
        assert_eq!(found("\"$X\" y"), Vec::<String>::new());
        assert_eq!(found("make all >&2 && npm test 2>&1 | tee log"), ["make", "npm", "tee"]);
        assert_eq!(found("> out.txt sort < in.txt; 2>/dev/null ls &> all"), ["sort", "ls"]);
    }
}
