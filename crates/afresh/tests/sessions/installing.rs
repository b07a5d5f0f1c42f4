//! `afresh init --claude` and its siblings: what they write, and that taking it away leaves everything else as it was.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use serde_json::{Value, json};

use crate::support::repo;
use afresh_testkit::TestRepo;

const ALL: [&str; 5] = ["init", "--claude", "--codex", "--gemini", "--opencode"];

fn init(repo: &TestRepo, more: &[&str]) -> afresh_testkit::CommandOutput {
    let args: Vec<&str> = ALL.iter().chain(more).copied().collect();
    repo.afresh(&args)
}

/// Every file below a directory, except git's own.
fn files(directory: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut open = vec![directory.to_owned()];
    while let Some(at) = open.pop() {
        for entry in fs::read_dir(&at).expect("a directory").flatten() {
            let path = entry.path();
            let shown = path.strip_prefix(directory).expect("below").display().to_string();
            let kind = entry.file_type().expect("a kind");
            if kind.is_dir() && shown != ".git" {
                found.insert(shown + "/", Vec::new());
                open.push(path);
            } else if kind.is_file() {
                found.insert(shown, fs::read(&path).expect("read"));
            }
        }
    }
    found
}

fn document(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).expect("a file")).expect("JSON")
}

/// HU-04, ST-06: each program gets an entry for our server and four commands; once more changes nothing; taking them
/// away leaves no file and no directory behind.
#[test]
fn everything_that_is_installed_is_taken_away_again() {
    let repo = repo();
    let before = files(&repo.root());
    let shown = init(&repo, &["--dry-run"]).expect(0);
    assert!(shown.stdout.contains("\"command\": \"afresh\""), "{shown:?}");
    assert_eq!(files(&repo.root()), before, "a dry run writes nothing");
    let refused = init(&repo, &[]).expect(2);
    assert!(refused.stderr.contains("--yes"), "{refused:?}");
    assert_eq!(files(&repo.root()), before);

    let written = init(&repo, &["--yes", "--json"]).expect(0).json();
    assert_eq!(written["written"], true);
    assert_eq!(written["files"].as_array().map(Vec::len), Some(4 * 5), "{written}");
    let now = files(&repo.root());
    for path in [
        ".mcp.json",
        ".claude/commands/afresh/run.md",
        ".claude/commands/afresh/answer.md",
        ".codex/config.toml",
        ".agents/skills/afresh-run/SKILL.md",
        ".gemini/settings.json",
        ".gemini/commands/afresh/status.toml",
        "opencode.json",
        ".opencode/commands/afresh/plan.md",
    ] {
        assert!(now.contains_key(path), "{path}: {:?}", now.keys());
    }
    assert_eq!(
        document(&repo.root().join(".mcp.json"))["mcpServers"]["afresh"]["args"],
        json!(["mcp"])
    );
    let again = init(&repo, &["--yes"]).expect(0);
    assert!(again.stderr.contains("everything is as it should be"), "{again:?}");
    assert_eq!(files(&repo.root()), now);

    init(&repo, &["--remove", "--yes"]).expect(0);
    assert_eq!(files(&repo.root()), before);
    let nothing = init(&repo, &["--remove", "--yes"]).expect(0);
    assert!(nothing.stderr.contains("everything is as it should be"), "{nothing:?}");
}

/// HU-04: what the user has in the same files stays byte for byte: comments, order, white space, modes.
#[test]
fn foreign_content_stays_byte_for_byte() {
    let repo = repo();
    let own = [
        (
            ".mcp.json",
            "{\"mcpServers\":\n\t{ \"other\": {\"command\":\"x\",  \"n\": 1.0} },\n\t\"z\": 1, \"a\": 2}",
        ),
        (
            ".codex/config.toml",
            "# mine\nmodel = 'x'  # why\n\n[mcp_servers.other]\ncommand = \"y\"",
        ),
        (".gemini/settings.json", "{\r\n  \"ui\": {}\r\n}\r\n"),
        ("opencode.json", "{\n  \"mcp\": {},\n  \"theme\": \"dark\"\n}\n"),
        (".claude/commands/mine.md", "mine\n"),
        (".agents/skills/mine/SKILL.md", "mine\n"),
    ];
    for (path, text) in own {
        repo.write(path, text);
    }
    let mode = fs::Permissions::from_mode(0o600);
    fs::set_permissions(repo.root().join(".mcp.json"), mode).expect("set");
    let before = files(&repo.root());
    let shown = init(&repo, &["--yes", "--json"]).expect(0).stdout;
    assert!(
        !shown.contains("theme") && !shown.contains("# mine"),
        "no foreign line is shown: {shown}"
    );
    let servers = document(&repo.root().join(".mcp.json"))["mcpServers"].clone();
    assert!(servers["other"].is_object() && servers["afresh"].is_object(), "{servers}");
    let codex = fs::read_to_string(repo.root().join(".codex/config.toml")).expect("read");
    assert!(codex.starts_with(own[1].1) && codex.contains("[mcp_servers.afresh]"), "{codex}");
    init(&repo, &["--remove", "--yes"]).expect(0);
    assert_eq!(files(&repo.root()), before);
    let mode = fs::metadata(repo.root().join(".mcp.json")).expect("there").permissions();
    assert_eq!(mode.mode() & 0o777, 0o600);
}

/// HU-04: what a person changed, a file with comments, and links are left alone and named; the rest is done.
#[test]
fn what_is_not_ours_to_change_is_left_alone_and_named() {
    let repo = repo();
    init(&repo, &["--yes"]).expect(0);
    let run = ".claude/commands/afresh/run.md";
    let text = fs::read_to_string(repo.root().join(run)).expect("read");
    repo.write(run, &text.replace("Run this plan", "Please run this plan"));
    repo.write("opencode.json", "{\n  // mine\n  \"mcp\": {}\n}\n");
    repo.write(
        ".gemini/settings.json",
        "{\"mcpServers\": {\"afresh\": {\"command\": \"/opt/afresh\"}}}",
    );
    let removed = init(&repo, &["--remove", "--yes"]).expect(1);
    for (path, reason) in [
        (run, "changed since"),
        ("opencode.json", "comments"),
        (".gemini/settings.json", "not the one that afresh writes"),
    ] {
        let line = removed.stderr.lines().find(|line| line.contains(path)).unwrap_or_default();
        assert!(line.contains("left alone") && line.contains(reason), "{path}: {removed:?}");
        assert!(repo.root().join(path).exists(), "{path}");
    }
    assert!(!repo.root().join(".mcp.json").exists());
    assert!(!repo.root().join(".claude/commands/afresh/status.md").exists());

    let outside = repo.path().join("outside");
    fs::create_dir_all(outside.join("commands")).expect("a directory");
    fs::write(outside.join("mcp.json"), "{}").expect("written");
    fs::remove_dir_all(repo.root().join(".claude")).expect("removed");
    symlink(&outside, repo.root().join(".claude")).expect("a link");
    symlink(outside.join("mcp.json"), repo.root().join(".mcp.json")).expect("a link");
    let before = files(&outside);
    let refused = repo.afresh(&["init", "--claude", "--yes"]).expect(1);
    assert!(refused.stderr.contains("symbolic link"), "{refused:?}");
    assert_eq!(files(&outside), before);
}

/// HU-04: for the user, everything goes where the programs keep it, also where variables say so.
#[test]
fn an_installation_for_the_user_stays_out_of_the_project() {
    let repo = repo();
    let (home, before) = (repo.path().join("home"), files(&repo.root()));
    let clean = files(&home);
    init(&repo, &["--user", "--yes"]).expect(0);
    assert_eq!(files(&repo.root()), before);
    for path in [
        ".claude.json",
        ".claude/commands/afresh/run.md",
        ".codex/config.toml",
        ".agents/skills/afresh-run/SKILL.md",
        ".gemini/settings.json",
        ".config/opencode/opencode.json",
        ".config/opencode/commands/afresh/run.md",
    ] {
        assert!(home.join(path).is_file(), "{path}");
    }
    init(&repo, &["--user", "--remove", "--yes"]).expect(0);
    assert_eq!(files(&home), clean);
    let elsewhere = repo.path().join("elsewhere");
    let mut command =
        repo.command(&["init", "--codex", "--opencode", "--claude", "--user", "--yes"]);
    for (name, at) in [("CODEX_HOME", "x"), ("XDG_CONFIG_HOME", "c"), ("CLAUDE_CONFIG_DIR", "k")] {
        command.env(name, elsewhere.join(at));
    }
    afresh_testkit::repo::finish(command).expect(0);
    for path in
        ["x/config.toml", "c/opencode/opencode.json", "k/.claude.json", "k/commands/afresh/run.md"]
    {
        assert!(elsewhere.join(path).is_file(), "{path}: {:?}", files(&elsewhere));
    }
}
