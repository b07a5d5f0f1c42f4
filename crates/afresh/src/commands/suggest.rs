//! Commands that other tools have, and what afresh offers instead.

use afresh_app::error::AppError;
use afresh_core::plan::nearest;
use clap::CommandFactory;

use crate::cli::Cli;

/// Names of other tools for a command of afresh.
const SYNONYMS: &[(&[&str], &str)] = &[
    (&["stop", "pause", "cancel", "kill", "interrupt", "quit"], "halt"),
    (&["continue", "unpause", "unhalt"], "resume"),
    (&["start", "exec", "execute", "go", "up", "build", "apply-plan", "orchestrate"], "run"),
    (&["retry", "redo", "rerun"], "task retry"),
    (&["skip", "ignore"], "task skip"),
    (&["ready", "next", "tasks"], "task ready"),
    (&["answer", "reply", "respond", "choose", "approve"], "decide"),
    (&["ask", "inbox", "pending"], "questions"),
    (&["list", "ls", "ps"], "runs"),
    (&["progress", "state", "info", "st"], "status"),
    (&["tail", "follow"], "logs -f"),
    (&["transcript", "history", "events", "activity"], "logs"),
    (&["validate", "check", "verify"], "lint"),
    (&["fix"], "lint --fix"),
    (&["graph", "tree"], "show --as tree"),
    (&["preview", "view", "describe"], "show"),
    (&["convert"], "import"),
    (&["merge", "apply", "finish", "submit"], "land"),
    (&["patch"], "land --patch FILE"),
    (&["summary", "summarize", "results", "stats", "cost", "usage"], "report"),
    (&["cleanup", "gc", "prune", "reset", "rm"], "clean"),
    (&["secrets"], "scan"),
    (&["setup", "configure"], "init"),
    (&["settings", "env"], "config list"),
    (&["install", "add-agent"], "agents install"),
    (&["login", "auth", "models"], "agents list"),
    (&["completion", "complete"], "completions"),
    (&["prompt"], "bundle generate TASK --prompt"),
    (&["example", "tutorial", "quickstart"], "demo"),
    (&["abandon", "giveup", "end"], "abort"),
    (&["rewind", "undo", "rollback", "revert"], "run --resume wave"),
];

/// Commands that are planned, and what works today.
const PLANNED: &[(&str, &str)] = &[
    ("watch", "`afresh status` shows the progress, `afresh logs -f` follows it"),
    ("tui", "`afresh status` shows the progress, `afresh logs -f` follows it"),
    ("serve", "`afresh report` summarizes a run as Markdown or JSON"),
    ("web", "`afresh report` summarizes a run as Markdown or JSON"),
    (
        "plan",
        "write a plan by hand (docs/plan-format.md), or use one of another tool; `afresh lint` checks it",
    ),
    ("new", "docs/plan-format.md has a plan to start from; `afresh lint` checks it"),
    ("audit", "`afresh show PLAN` shows how much of a context window each task fills"),
    ("diff", "`afresh report` lists the files of each task; `git log -p` shows the run's branch"),
    ("trace", "`afresh report --json` has the tasks, checks and commits of a run"),
    ("probe", "`afresh lint` finds tasks without checks, `afresh show` lists the checks"),
    ("verify-run", "`afresh report --json` has the checks of each commit"),
    ("replay", "`afresh logs` shows what was recorded"),
    ("fork", "`afresh run PLAN --new` starts a new run from the current commit"),
    ("tell", "`afresh decide QUESTION 'say: TEXT'` answers a worker in your own words"),
    ("export", "`afresh import PLAN` writes a plan of any format in the native one"),
    ("checkpoint", "runs recover by themselves: `afresh run` continues after a crash"),
    ("statusline", "`afresh status --json` has everything for a status line"),
    ("worker", "runs use this machine only"),
    ("fleet", "runs use this machine only"),
];

/// The error for a command that does not exist, with what to type instead.
pub(crate) fn unknown_command(name: &str) -> AppError {
    let lower = name.to_lowercase();
    let synonym = SYNONYMS.iter().find(|(names, _)| names.contains(&lower.as_str()));
    if let Some((_, ours)) = synonym {
        let command = ours.split(' ').next().unwrap_or(ours);
        return AppError::usage(
            "usage",
            format!("unknown command `{name}`; afresh calls it `{ours}`"),
        )
        .hint(format!("`afresh help {command}` explains it"));
    }
    if let Some((_, today)) = PLANNED.iter().find(|(planned, _)| *planned == lower) {
        return AppError::usage("usage", format!("`afresh {name}` does not exist yet"))
            .hint(*today);
    }
    let failure = AppError::usage("usage", format!("unknown command `{name}`"));
    let cli = Cli::command();
    let visible = cli.get_subcommands().filter(|command| !command.is_hide_set());
    let names: Vec<&str> = visible.map(clap::Command::get_name).collect();
    let begins =
        names.iter().copied().find(|name| lower.starts_with(name) || name.starts_with(&lower));
    match nearest(&lower, names.iter().copied()).or(begins) {
        Some(near) => failure.hint(format!("did you mean `afresh {near}`?")),
        None => failure.hint("`afresh --help` lists all commands"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_suggestion_names_a_command() {
        let cli = Cli::command();
        for (names, ours) in SYNONYMS {
            let first = ours.split(' ').next().unwrap_or_default();
            assert!(cli.find_subcommand(first).is_some(), "{ours}");
            for name in *names {
                assert!(cli.find_subcommand(name).is_none(), "{name} exists");
            }
        }
        for (name, _) in PLANNED {
            assert!(cli.find_subcommand(name).is_none(), "{name} exists");
        }
    }
}
