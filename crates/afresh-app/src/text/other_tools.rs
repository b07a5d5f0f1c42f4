//! Words of other tools for commands and options, and what afresh has instead.

/// Names of other tools for a command of afresh.
pub const SYNONYMS: &[(&[&str], &str)] = &[
    (&["stop", "pause", "cancel", "kill", "interrupt", "quit"], "halt"),
    (&["continue", "unpause", "unhalt"], "resume"),
    (&["start", "exec", "execute", "go", "up", "build", "apply-plan", "orchestrate"], "run"),
    (&["retry", "rerun"], "task retry"),
    (&["redo"], "task redo"),
    (&["edit"], "task edit"),
    (&["add"], "task add"),
    (&["skip", "ignore"], "task skip"),
    (&["ready", "next", "tasks"], "task ready"),
    (&["answer", "reply", "respond", "choose", "approve"], "decide"),
    (&["ask", "inbox", "pending"], "questions"),
    (&["steer", "comment", "message", "say", "nudge"], "tell"),
    (&["list", "ls", "ps"], "runs"),
    (&["progress", "state", "info", "st"], "status"),
    (&["tail"], "logs -f"),
    (&["follow", "join"], "attach"),
    (&["tui", "top", "monitor", "fullscreen", "full-screen"], "watch"),
    (&["transcript", "history", "events", "activity"], "logs"),
    (&["validate", "check"], "lint"),
    (&["fix"], "lint --fix"),
    (&["baseline", "measure"], "probe"),
    (&["coverage", "traceability", "requirements"], "trace"),
    (&["verify", "attest", "attestation", "audit-run"], "verify-run"),
    (&["graph", "tree"], "show --as tree"),
    (&["preview", "view", "describe"], "show"),
    (&["convert"], "import"),
    (&["merge", "apply", "finish", "submit"], "land"),
    (&["patch"], "land --patch FILE"),
    (&["pr", "mr", "pull-request", "merge-request"], "land --pr"),
    (&["squash"], "land --squash"),
    (&["changes", "compare", "interdiff"], "diff"),
    (&["summary", "summarize", "results", "stats", "cost", "usage"], "report"),
    (&["cleanup", "gc", "prune", "reset", "rm"], "clean"),
    (&["secrets"], "scan"),
    (&["status-line", "prompt-line", "ps1"], "statusline"),
    (&["check-halt", "halt-status", "confirm-halt"], "halt --check"),
    (&["ready-tasks"], "task ready"),
    (&["start-task"], "task start"),
    (&["complete-task"], "task complete"),
    (&["fail-task"], "task fail"),
    (&["retry-task"], "task retry"),
    (&["advance"], "plan advance"),
    (&["validate-tasks"], "plan verdict"),
    (&["load-tasks"], "plan load"),
    (&["setup", "configure"], "init"),
    (&["settings", "env"], "config list"),
    (&["install", "add-agent"], "agents install"),
    (&["login", "auth", "models"], "agents list"),
    (&["completion", "complete"], "completions"),
    (&["prompt"], "bundle generate TASK --prompt"),
    (&["example", "examples", "tutorial", "quickstart"], "demo"),
    (&["abandon", "giveup", "end"], "abort"),
    (&["branch", "clone"], "fork"),
    (&["ui", "web", "gui", "dashboard", "browser"], "serve"),
    (&["shell", "checkout", "enter", "workspace"], "open"),
    (&["undo", "rollback", "revert", "back"], "rewind"),
];

/// Commands that are planned, and what works today.
pub const PLANNED: &[(&str, &str)] =
    &[("worker", "runs use this machine only"), ("fleet", "runs use this machine only")];

/// Subcommands that other tools have, as `COMMAND SUBCOMMAND`, and what does that here.
pub const SUBCOMMANDS: &[(&[&str], &str)] = &[
    (
        &["task new", "task create"],
        "`afresh task add ID --title TEXT` adds a task to the plan's file",
    ),
    (&["task set", "task update"], "`afresh task edit TASK --title TEXT` changes the plan's file"),
    (
        &["task info", "task view", "task get"],
        "`afresh task show TASK` shows everything about a task",
    ),
    (&["task list", "task ls", "task status"], "`afresh status` lists the tasks"),
    (&["task rerun"], "`afresh task redo TASK` takes its merge back and does it again"),
    (&["task run"], "`afresh run --task TASK` runs one task"),
    (
        &["task done", "task close", "task finish"],
        "its checks decide whether a task is done: `afresh task complete TASK` hands it in",
    ),
    (
        &["config set", "config edit", "config unset"],
        "change .afresh/config.toml with your editor; `afresh config list --origin` shows where each value is set",
    ),
    (
        &["config get", "config show"],
        "`afresh config list` prints every value; with `--origin`, where it is set",
    ),
    (
        &["agents add", "agents set", "agents new"],
        "`afresh agents install NAME` installs a known program; `[agents.NAME]` in .afresh/config.toml adds any other",
    ),
];

/// Options that other tools have, and what does that here; `COMMAND OPTION` is for one command only.
pub const OPTIONS: &[(&[&str], &str)] = &[
    (
        &["--squash", "--no-ff", "--ff-only"],
        "`afresh land --squash` lands a run as one commit; `git merge` does the rest with the run's branch",
    ),
    (
        &["--background", "--daemon", "-d"],
        "`afresh run --detach` continues in the background, and `afresh attach` follows it",
    ),
    (
        &["--jobs", "-j", "--workers", "--concurrency", "--max-parallel"],
        "`--parallel N` sets how many workers run at the same time",
    ),
    (
        &["--pr", "--pull-request", "--merge-request"],
        "`afresh land --pr` pushes the run's branch and opens a pull request",
    ),
    (
        &["status --all", "status -a", "status --list", "report --all", "logs --all"],
        "`afresh runs` lists every run, `afresh runs --all` those of all repositories",
    ),
    (
        &["run -p", "resume -p"],
        "`--parallel N` sets how many workers run at the same time; a plan holds the prompts",
    ),
    (
        &["-p", "--prompt", "--print"],
        "a plan holds the prompts: docs/plan-format.md; `afresh help COMMAND` lists the options",
    ),
    (&["--pdf"], "`afresh report --html FILE` writes one HTML page, which a browser prints"),
    (&["--html"], "`afresh report --html FILE` writes one HTML page"),
    (
        &["--notify", "--webhook"],
        "`[hooks]` in .afresh/config.toml runs commands at questions and at the end; docs/hooks.md has examples",
    ),
    (
        &["--watch", "-w", "--follow", "--tail"],
        "`afresh watch` shows a run on the whole screen, `afresh logs -f` prints what happens",
    ),
    (&["--continue", "--resume-from"], "`afresh run` continues where the plan's last run stopped"),
    (
        &["--yolo", "--dangerously-skip-permissions"],
        "workers never ask for permission; docs/sandbox.md says what they may do",
    ),
];
