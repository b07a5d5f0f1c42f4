//! How messages read: what, why, and one next command; with places if a file is at fault; the same without colours;
//! and text from outside never controls the terminal.

use std::fmt::Write as _;
use std::process::Command;

use crate::support::plain::without_chance;
use crate::support::repo;
use crate::support::terminal::Terminal;
use afresh_testkit::TestRepo;
use afresh_testkit::repo::finish;

/// The message of a command that fails, with its exit code; both forms, without and with colours, have the same
/// words.
fn transcript(repo: &TestRepo, args: &[&str]) -> String {
    let ran = repo.afresh(args);
    let colored = repo.afresh(&[args, &["--color", "always"]].concat());
    let words = |text: &str| without_colors(text);
    assert_eq!(words(&colored.stderr), words(&ran.stderr), "{args:?}");
    assert!(!ran.stderr.contains('\x1b'), "{args:?}: {:?}", ran.stderr);
    // The same as JSON: a kind for scripts, and the message.
    let json = repo.afresh(&[args, &["--json"]].concat());
    assert_eq!(json.code, ran.code, "{args:?}: {}", json.stdout);
    let document = json.json();
    let error = &document["error"];
    assert!(error["kind"].is_string() && error["message"].is_string(), "{args:?}: {document}");
    let code = ran.code.expect("an exit code");
    let text = ran.stderr.replace(&*repo.path().to_string_lossy(), "[DIR]");
    let text = text.replace(&format!("by {}:", user()), "by [USER]:");
    format!("$ afresh {}\n{}exit {code}\n", args.join(" "), without_chance(&text))
}

fn user() -> String {
    let output = Command::new("id").arg("-un").output().expect("id runs");
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

fn without_colors(text: &str) -> String {
    ["31", "32", "33", "36", "2", "0"]
        .iter()
        .fold(text.to_owned(), |text, code| text.replace(&format!("\x1b[{code}m"), ""))
}

#[test]
fn mistakes_of_every_kind_are_reported_with_place_and_hint() {
    let mut all = String::new();
    let mut tell = |repo: &TestRepo, args: &[&str]| {
        let _ = writeln!(all, "{}", transcript(repo, args));
    };
    let none = TestRepo::without_git(env!("CARGO_BIN_EXE_afresh"));
    none.plan_of(1);
    none.config("");
    tell(&none, &["run", "p.plan.toml"]);
    tell(&none, &["status"]);

    let repo = repo();
    tell(&repo, &["run"]);
    tell(&repo, &["halt"]);
    tell(&repo, &["report"]);
    tell(&repo, &["land"]);
    tell(&repo, &["run", "missing.plan.toml"]);
    repo.write(
        "bad.plan.toml",
        "version = 1\n[[task]]\nid = \"A\"\ntitle = \"a\"\nneeds = [\"B\"]\nfils = [\"x\"]\n\
         [[task]]\nid = \"a b\"\ntitle = \"b\"\n",
    );
    tell(&repo, &["run", "bad.plan.toml"]);
    repo.write("torn.plan.toml", "version = 1\n[[task]\n");
    tell(&repo, &["show", "torn.plan.toml"]);
    repo.plan("[[task]]\nid = \"A\"\ntitle = \"a\"\nfiles = [\"a\"]\n");
    tell(&repo, &["run", "p.plan.toml"]);
    repo.plan("[[task]]\nid = \"A\"\ntitle = \"a\"\nagent = \"mien\"\nfiles = [\"a\"]\nchecks = [\"true\"]\n");
    tell(&repo, &["run", "p.plan.toml"]);
    repo.write(
        "bad.toml",
        "[run]\nparalel = 3\nschedule = \"soon\"\n[agents.x]\nkind = \"comand\"\n",
    );
    tell(&repo, &["run", "p.plan.toml", "--config", "bad.toml"]);
    tell(&repo, &["doctor-who"]);
    tell(&repo, &["run", "--parallel", "0"]);

    repo.plan_of(2);
    repo.agent("[ $AFRESH_TASK = T001 ] && echo x > T001.txt");
    repo.run(&["--no-input"]).expect(4);
    tell(&repo, &["decide", "Q9", "retry"]);
    tell(&repo, &["decide", "9x", "retry"]);
    tell(&repo, &["task", "retry", "T009"]);
    tell(&repo, &["task", "skip", "T001"]);
    tell(&repo, &["logs", "T00"]);
    tell(&repo, &["report", "tset-1"]);
    tell(&repo, &["land"]);
    repo.afresh(&["halt", "lunch"]).expect(0);
    tell(&repo, &["run"]);
    insta::assert_snapshot!(all);
}

/// Titles, answers and outputs with every kind of control sequence; what a real terminal gets from them.
const HOSTILE: &str = "\\u001b[2J\\u001b]0;t\\u0007\\u009b2J\\u202e\\b";

/// B35: no command lets text of a plan, a worker or a person move the cursor, set the title or change the text
/// direction.
#[test]
fn no_command_lets_others_write_to_the_terminal() {
    let repo = repo();
    repo.plan(&format!(
        "[[task]]\nid = \"A\"\ntitle = \"a{HOSTILE}\"\nfiles = [\"a\"]\ndo = \"x{HOSTILE}\"\nchecks = [\"printf '\\\\033[2J'; exit 1\"]\n\
         [[task]]\nid = \"B\"\ntitle = \"b{HOSTILE}\"\nneeds = [\"A\"]\nfiles = [\"b\"]\nno_check = \"why{HOSTILE}\"\nextra = \"{HOSTILE}\"\n",
    ));
    repo.agent(
        "printf '\\033[2J\\033]0;t\\a'; printf '\\033[2J' >&2; printf '\\033[2J' > a\n\
         afresh log WARN \"e$(printf '\\033[2J')\" \"m$(printf '\\033]0;t\\a')\"",
    );
    // The bell and the title that afresh itself sets have a test of their own.
    repo.config("[notify]\nterminal = \"off\"\n");
    let run = ["run", "p.plan.toml", "--no-input"];
    expect_harmless(&repo, &["show", "p.plan.toml"]);
    expect_harmless(&repo, &run);
    repo.afresh(&["halt", "be\u{1b}[2Jcause"]);
    let commands: &[&[&str]] = &[
        &["status"],
        &["questions"],
        &["logs"],
        &["logs", "A", "--prompt"],
        &["report"],
        &["doctor"],
        &["task", "ready"],
        &["config", "list", "--origin"],
        &["land", "--partial"],
        &run,
        &["status", "--json"],
        &["report", "--json"],
        &["logs", "A", "--json"],
        &["logs", "--json"],
    ];
    for args in commands {
        expect_harmless(&repo, args);
    }
}

#[track_caller]
fn expect_harmless(repo: &TestRepo, args: &[&str]) {
    let (_, screen) = Terminal::start(repo.command(args)).end();
    let plain = without_colors(&screen).replace("\r\n", "\n");
    let hidden = |c: char| !matches!(c, '\n' | '\t') && afresh_core::printable::is_unprintable(c);
    assert!(!plain.chars().any(hidden), "{args:?}: {plain:?}");
}

/// Every command ends by itself without input: without a terminal, with one, and with a standard input that stays
/// open without data.
#[test]
fn no_command_waits_for_input_that_cannot_come() {
    let repo = repo();
    repo.plan_of(1);
    repo.agent("exit 1");
    repo.run(&["--no-input"]).expect(4);
    let help = repo.afresh(&["--help"]).expect(0).stdout;
    let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let heads = lines.take_while(|line| !line.is_empty()).filter(|line| !line.starts_with("   "));
    for name in heads.filter_map(|line| line.split_whitespace().next()) {
        // These ask the person at the terminal; without one they end, as below.
        let asks = ["init", "run", "resume", "demo"].contains(&name);
        finish(repo.command(&[name]));
        if !asks {
            let (code, screen) = Terminal::start(repo.command(&[name])).end();
            assert!(code.is_some_and(|code| code != 70), "{name}: {screen}");
        }
        // A pipe that stays open.
        let mut sleeper = Command::new("sleep")
            .arg("600")
            .stdout(std::process::Stdio::piped())
            .spawn()
            .expect("sleep");
        let mut command = repo.command(&[name]);
        command.stdin(sleeper.stdout.take().expect("piped"));
        let ran = finish(command);
        let _ = sleeper.kill();
        let _ = sleeper.wait();
        assert!(ran.code.is_some_and(|code| code != 70), "{name}: {}", ran.stderr);
    }
}

/// HU-08: an option of another tool is answered with what does that here; no message advises to pass it as a value.
#[test]
fn an_unknown_option_is_answered_with_what_exists() {
    let repo = repo();
    for (args, hint) in [
        (["run", "--daemon"], "`afresh run --detach`"),
        (["run", "-j4"], "--parallel N"),
        (["run", "--notify"], "docs/hooks.md"),
        (["status", "--watch"], "afresh logs -f"),
        (["run", "--paralel"], "did you mean `--parallel`?"),
        (["land", "--no-ff"], "`afresh land --squash`"),
        (["run", "--pull-request"], "`afresh land --pr`"),
        (["clean", "--xyzzy"], "`afresh help clean`"),
        (["status", "--all"], "`afresh runs` lists every run"),
        (["run", "-p3"], "`--parallel N` sets how many workers"),
    ] {
        let ran = repo.afresh(&args).expect(2);
        assert!(ran.stderr.contains(hint), "{args:?}: {}", ran.stderr);
        assert!(ran.stderr.contains(&format!("`afresh {}` has no option", args[0])), "{ran:?}");
        assert!(!ran.stderr.contains("as a value"), "{ran:?}");
    }
    let log = repo.afresh(&["log", "T1"]).expect(2);
    assert!(log.stderr.contains("`afresh logs T1`"), "{log:?}");
}

/// HU-08: a suggestion resembles what was typed, and exists.
#[test]
fn a_suggestion_resembles_what_was_typed() {
    let repo = repo();
    repo.plan_of(1);
    let slip = repo.afresh(&["run", "p.plan.tmol"]).expect(2);
    assert!(slip.stderr.contains("did you mean \"p.plan.toml\"?"), "{slip:?}");
    let other = repo.afresh(&["run", "elsewhere.md"]).expect(2);
    assert!(!other.stderr.contains("did you mean"), "{other:?}");
    repo.write("q.plan.json", "{\"name\": \"q\", \"task\": []}");
    let json = repo.afresh(&["lint", "q.plan.json"]);
    assert!(json.stdout.contains("\"version\": 1"), "{json:?}");
    assert!(!json.stdout.contains("[[task]]") && !json.stdout.contains("version = 1"), "{json:?}");
    let listed = repo.afresh(&["agents", "list"]).expect(0);
    assert!(listed.stderr.contains("* the default agent"), "{listed:?}");
}

/// HU-08: whatever is wrong with a command line is reported in one style, with a cause and what to type; nothing of
/// the parser's own words is left.
#[test]
fn a_wrong_command_line_is_explained_in_our_words() {
    let repo = repo();
    for (line, message, hint) in [
        (
            "task new x",
            "`afresh task` has no subcommand `new`",
            "`afresh task add ID --title TEXT`",
        ),
        ("task info T1", "`afresh task` has no subcommand `info`", "`afresh task show TASK`"),
        (
            "task rtry",
            "`afresh task` has no subcommand `rtry`",
            "did you mean `afresh task retry`?",
        ),
        ("config set a b", "`afresh config` has no subcommand `set`", ".afresh/config.toml"),
        ("config get a", "`afresh config` has no subcommand `get`", "`afresh config list`"),
        ("schema paln", "`NAME` cannot be `paln`", "did you mean `plan`?"),
        ("probe --limit 5", "5s is 5 seconds, 5m is 5 minutes", "`afresh help probe`"),
        ("run --probe of", "`--probe` cannot be `of`", "did you mean `off`?"),
        ("lint --format gds", "`--format` cannot be `gds`", "did you mean `gsd`?"),
        ("completions bsh", "`SHELL` cannot be `bsh`", "did you mean `bash`?"),
        ("show --as picture", "`--as` cannot be `picture`", "one of: tree, mermaid, dot"),
        ("run --parallel 0", "expected a number from 1 to 1000", "`afresh help run`"),
        ("logs --lines x", "expected a number", "`afresh help logs`"),
        ("decide", "`afresh decide` needs QUESTION", "`afresh help decide`"),
        ("lint --sarif --fix --dry-run=x", "`--dry-run`", "`afresh help lint`"),
        ("verify", "afresh calls it `verify-run`", "`afresh help verify-run`"),
        ("steer", "afresh calls it `tell`", "`afresh help tell`"),
        ("edit", "afresh calls it `task edit`", "`afresh help task`"),
        ("examples", "afresh calls it `demo`", "`afresh help demo`"),
    ] {
        let args: Vec<&str> = line.split(' ').collect();
        let ran = repo.afresh(&args).expect(2);
        assert!(ran.stderr.starts_with("error: "), "{line}: {}", ran.stderr);
        assert!(ran.stderr.contains(message), "{line}: {}", ran.stderr);
        let hinted = ran.stderr.split_once("  hint: ").map(|(_, hint)| hint).unwrap_or_default();
        assert!(hinted.contains(hint), "{line}: {}", ran.stderr);
        for clap in ["Usage:", "For more information", "possible values", "unrecognized"] {
            assert!(!ran.stderr.contains(clap), "{line}: {}", ran.stderr);
        }
        let json = repo.afresh(&[&args[..], &["--json"]].concat()).expect(2).json();
        assert_eq!(json["error"]["kind"], "usage", "{line}: {json}");
    }
    let listed = repo.afresh(&["schema"]).expect(0).stdout;
    assert!(listed.contains("plan") && listed.contains("The native plan format"), "{listed}");
}
