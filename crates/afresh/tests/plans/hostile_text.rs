//! Text of plans, repositories and workers that would move a cursor, fill a clipboard or change the text direction: no
//! command shows any of it unchanged (B35, R15).

use std::fs;

use crate::support::{Driver, repo, run_section};
use afresh_testkit::TestRepo;
use afresh_testkit::repo::finish;

/// Clear the screen, set the clipboard, a link, a title, C1 sequences, reversed letters, tags, a bell.
const EVIL: &str = "\u{1b}[2J\u{1b}]52;c;aGk=\u{7}\u{1b}]8;;http://x\u{1b}\\\u{1b}]0;t\u{7}\u{9b}31m\u{9d}x\u{9c}\u{202e}\u{2066}\u{200f}\u{61c}\u{e0041}\u{8}\u{7f}\u{feff}end";

/// The same as a string of TOML and JSON.
fn quoted(text: &str) -> String {
    let escaped = |c: char| match c {
        '"' | '\\' => format!("\\{c}"),
        c if u32::from(c) > 0xffff => c.to_string(),
        c if !c.is_ascii_graphic() && c != ' ' => format!("\\u{:04x}", u32::from(c)),
        c => c.to_string(),
    };
    format!("\"{}\"", text.chars().map(escaped).collect::<String>())
}

/// Characters that a terminal could obey, or that reverse or hide letters.
fn is_harmful(c: char) -> bool {
    let is_format = matches!(c, '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}'
        | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'
        | '\u{e0000}'..='\u{e007f}');
    is_format || (c.is_control() && !matches!(c, '\n' | '\t'))
}

#[track_caller]
fn expect_harmless(what: &str, text: &str) {
    if let Some(at) = text.find(is_harmful) {
        let from = text[..at].char_indices().rev().nth(60).map_or(0, |(at, _)| at);
        let line: String = text[from..].chars().take(120).collect();
        panic!("{what}: {:?} in {line:?}", text[at..].chars().next());
    }
}

/// A run in which every text from outside is hostile: titles, steps, checks, file names, answers, output, logs, the
/// user's name, the user's branch.
fn hostile_repo() -> TestRepo {
    let repo = repo();
    fs::write(
        repo.path().join("home/.gitconfig"),
        format!("[user]\nname = \"Eve {}\"\nemail = e@example.org\n", "\u{1b}[2J\u{202e}"),
    )
    .expect("written");
    repo.config(&run_section("attempts = 1"));
    let task = |id: &str, needs: &str| {
        format!(
            "[[task]]\nid = \"{id}\"\ntitle = {evil}\nneeds = [{needs}]\ndo = {evil}\nfiles = [\"{id}.txt\"]\n\
             checks = [\"test -s {id}.txt || true\"]\nsteps = [{{ name = {evil}, files = [\"{id}.txt\"], do = {evil} }}]\n",
            evil = quoted(&format!("{id} {EVIL}"))
        )
    };
    let text = format!(
        "version = 1\nname = {}\n{}{}{}{}",
        quoted(&format!("plan {EVIL}")),
        task("GOOD", ""),
        task("STRAY", ""),
        task("ASKS", ""),
        task("FAILS", "\"GOOD\"")
    );
    repo.write("p.plan.toml", &text);
    let said = quoted(&format!("said {EVIL}"));
    let block = |json: String| format!("cat <<'X'\nOUTPUT_JSON_START\n{json}\nOUTPUT_JSON_END\nX");
    let asks = block(format!(
        "{{\"status\": \"NEEDS_DECISION\", \"blocked_at\": {said}, \"decision_needed\": {said}, \
         \"options\": [{{\"key\": \"a\", \"description\": {said}}}], \"context\": {said}}}"
    ));
    let fails = block(format!(
        "{{\"status\": \"FAILED\", \"failed_at\": {said}, \"error\": {said}, \"output\": {said}}}"
    ));
    let agent = format!(
        "printf '%s\\n' '{EVIL}'; printf '%s\\n' '{EVIL}' >&2\n\
         afresh log info evil '{EVIL}'; afresh issue '{EVIL}'\n\
         echo x >$AFRESH_TASK.txt\n\
         case $AFRESH_TASK in\nSTRAY) echo x >'stray {EVIL}.txt';;\nASKS) {asks}\n;;\nFAILS) {fails}\nexit 1;;\nesac",
    );
    repo.agent(&agent);
    repo.commit("a hostile plan");
    repo.git(&["checkout", "-q", "-b", "turned\u{202e}branch"]);
    repo
}

/// B35, R15: every command that shows text of a plan, a repository or a worker, to people and to scripts, with and
/// without colours.
#[test]
fn no_command_shows_hostile_text_as_it_is() {
    let repo = hostile_repo();
    for command in [&["show", "p.plan.toml"][..], &["lint", "p.plan.toml"], &["doctor"]] {
        shows_nothing_harmful(&repo, command);
    }
    let ran = repo.run(&["--on-failure", "skip"]);
    assert!(matches!(ran.code, Some(1 | 4)), "{ran:?}");
    assert!(ran.stderr.contains("\\u{1b}[2J"), "nothing hostile was told: {}", ran.stderr);
    expect_harmless("run", &(ran.stdout + &ran.stderr));
    assert!(!repo.status()["questions"].as_array().expect("questions").is_empty());
    for command in [
        &["status"][..],
        &["report"],
        &["logs"],
        &["logs", "GOOD"],
        &["logs", "ASKS"],
        &["logs", "FAILS"],
        &["logs", "STRAY"],
        &["questions"],
        &["show", "p.plan.toml"],
        &["show", "p.plan.toml", "--graph", "tree"],
        &["show", "p.plan.toml", "--graph", "mermaid"],
        &["show", "p.plan.toml", "--graph", "dot"],
        &["bundle", "list"],
        &["bundle", "generate", "GOOD", "--prompt"],
        &["bundle", "generate", "GOOD", "--stdout"],
        &["bundle", "validate"],
        &["bundle", "validate-integrity"],
        &["task", "ready"],
        &["doctor"],
        &["config", "list"],
        &["agents", "list"],
        &["scan"],
        &["land", "--partial", "--dry-run"],
        &["import", "p.plan.toml"],
        &["clean", "--dry-run"],
        &["run", "p.plan.toml", "--dry-run"],
        &["decide", "Q1", "nonsense\u{1b}[2J"],
        &["logs", "no\u{1b}[2J\u{202e}task"],
        &["show", "no\u{1b}[2J\u{202e}file.plan.toml"],
        &["clean", "--discard", "no\u{1b}[2J\u{202e}run"],
    ] {
        shows_nothing_harmful(&repo, command);
    }
    for page in ["STATE.md", "ISSUES.md", "activity.log"] {
        let text = fs::read_to_string(repo.state().join(page)).unwrap_or_default();
        expect_harmless(page, &text);
    }
}

#[track_caller]
fn shows_nothing_harmful(repo: &TestRepo, command: &[&str]) {
    for more in [&[][..], &["--json"], &["-v"], &["--color", "always"]] {
        let args = [command, more].concat();
        let mut prepared = repo.command(&args);
        if more.contains(&"always") {
            prepared.env_remove("NO_COLOR");
        }
        let ran = finish(prepared);
        assert_ne!(ran.code, Some(70), "{args:?}: {}", ran.stderr);
        let mut text = ran.stdout + &ran.stderr;
        // A terminal gets no escape sequences except our own colours.
        for color in ["31", "32", "33", "34", "2", "0"] {
            text = text.replace(&format!("\u{1b}[{color}m"), "");
        }
        expect_harmless(&format!("{args:?}"), &text);
    }
}

/// B35: the same during a run, line by line.
#[test]
fn the_events_of_a_run_hold_nothing_harmful() {
    let repo = hostile_repo();
    let ran = Driver::run(&repo, &["--json", "--on-failure", "skip"]).end();
    assert!(ran.stdout.contains("\\u001b[2J"), "nothing hostile was told: {}", ran.stdout);
    expect_harmless("run --json", &(ran.stdout + &ran.stderr));
}
