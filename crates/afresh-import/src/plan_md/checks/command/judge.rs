//! Commands that prove nothing, recognised without running them.

use afresh_core::plan::shell::{ShellToken, SimpleCommand, shell_tokens, simple_commands};

use super::exit_code::always_succeeds;

/// Why this command always passes, if it does.
pub fn cannot_fail(command: &str) -> Option<&'static str> {
    if !always_succeeds(command) {
        return None;
    }
    let mut tokens = shell_tokens(command)?;
    tokens.retain(|token| !matches!(token, ShellToken::Bracket(_) | ShellToken::Operator("\n")));
    let ends_with =
        |word: &str| matches!(tokens.last(), Some(ShellToken::Word { text, .. }) if text == word);
    let operator = tokens.iter().rev().find_map(|token| match token {
        ShellToken::Operator(operator) => Some(*operator),
        _ => None,
    });
    Some(match operator {
        _ if ends_with("fi") => "each of its branches ends with a command that always succeeds",
        Some("|") => "its exit code is that of the last program of the pipe",
        Some(_) => "its exit code is that of its last part, which always succeeds",
        None => "it succeeds whatever the work is",
    })
}

/// Whether its exit code says only whether anything was found, while it prints a number: `grep -c`.
pub fn counts_matches(command: &str) -> bool {
    let Some(tokens) = shell_tokens(command) else { return false };
    let last = tokens.rsplit(|token| matches!(token, ShellToken::Operator(_))).next();
    let mut words = last.into_iter().flatten().filter_map(|token| match token {
        ShellToken::Word { text, .. } => Some(text.as_str()),
        _ => None,
    });
    let program = words.find(|word| *word != "!").unwrap_or_default();
    ["grep", "egrep", "fgrep", "rg"].contains(&program)
        && words.take_while(|word| *word != "--").any(|word| {
            let short = word.starts_with('-') && !word.starts_with("--") && word.contains('c');
            word == "--count" || (short && word.len() < 6)
        })
}

/// Whether it uses something outside of the clone: another directory, a home, another machine.
pub fn leaves_the_tree(command: &str) -> bool {
    let Some(tokens) = shell_tokens(command) else { return false };
    let changes = tokens.windows(2).any(|pair| match pair {
        [ShellToken::Word { text: cd, .. }, ShellToken::Word { text: to, .. }] => {
            cd == "cd" && (to.starts_with(['/', '~']) && to != "/tmp" && !to.starts_with("/tmp/"))
        }
        _ => false,
    });
    let remote = tokens.split(|token| matches!(token, ShellToken::Operator(_))).any(|part| {
        matches!(part.first(), Some(ShellToken::Word { text, .. }) if text == "ssh" || text == "scp")
    });
    changes || remote || names_a_home(command) || simple_commands(command).iter().any(leaves_root)
}

/// Programs whose words are patterns or texts.
const TEXT_PROGRAMS: &[&str] = &[
    "grep", "egrep", "fgrep", "rg", "sed", "awk", "echo", "printf", "curl", "wget", "jq", "docker",
    "podman",
];

/// Directories of the machine that are in no clone.
const MACHINE: &[&str] =
    &["/etc/", "/var/", "/opt/", "/srv/", "/mnt/", "/media/", "/usr/local/", "/usr/share/"];

/// Whether a command names a path above the root of the repository, or one of the machine.
fn leaves_root(command: &SimpleCommand) -> bool {
    let is_text = TEXT_PROGRAMS.contains(&command.program());
    let climbs = |word: &str| {
        let Some(directory) = &command.directory else { return false };
        let mut depth = directory.split('/').filter(|part| !part.is_empty()).count();
        word.split('/').any(|part| match part {
            ".." => {
                let is_above = depth == 0;
                depth = depth.saturating_sub(1);
                is_above
            }
            "" | "." => false,
            _ => {
                depth += 1;
                false
            }
        })
    };
    let words = command.words.iter().skip(1).filter(|_| !is_text);
    let words = words.chain(&command.inputs).chain(&command.outputs);
    words.map(|word| word.rsplit_once('=').map_or(word.as_str(), |(_, value)| value)).any(|word| {
        let is_up = word == ".." && command.program() == "cd" || word.starts_with("../");
        (is_up && climbs(word)) || MACHINE.iter().any(|root| word.starts_with(root))
    })
}

/// Whether the text names a home directory: `/Users/x`, `/home/x`, `$HOME`, `~/`, `c:/Users`.
fn names_a_home(command: &str) -> bool {
    let starts = |at: usize| {
        let before = command[..at].chars().next_back();
        before.is_none_or(|c| !(c.is_alphanumeric() || "/._-~}".contains(c)))
    };
    let marks = ["/Users/", "/home/", "/root/", "~/", "$HOME", "${HOME}"];
    let named = marks.iter().any(|mark| command.match_indices(mark).any(|(at, _)| starts(at)));
    let drive = [":/", ":\\"].iter().any(|mark| {
        command.match_indices(mark).any(|(at, _)| {
            let letter = command[..at].chars().next_back().is_some_and(|c| c.is_ascii_alphabetic());
            letter && starts(at - 1) && !command[at..].starts_with("://")
        })
    });
    named || drive
}
