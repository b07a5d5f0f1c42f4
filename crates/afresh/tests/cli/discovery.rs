//! `afresh discover`: what the repository is, before any agent is asked (PL-03).

use std::fs;
use std::path::PathBuf;

use afresh_testkit::TestRepo;

use crate::support::repo;

/// A small crate whose tests pass, and that is not committed yet.
fn write_crate(repo: &TestRepo) {
    repo.write(
        "Makefile",
        "test:\n\tgrep -q . src/lib.rs\nlint:\n\tfalse\nbuild:\n\tno-such-program-here\n",
    );
    repo.write("src/lib.rs", "pub fn add_one(x: u32) -> u32 {\n    x + 1\n}\n");
}

/// The only entry of the cache.
fn cached(repo: &TestRepo) -> PathBuf {
    let entries = fs::read_dir(repo.cache().join("discoveries")).expect("a cache").flatten();
    let mut entries: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    assert_eq!(entries.len(), 1, "{entries:?}");
    entries.remove(0)
}

/// PL-03: without a commit the checkout is read, without what git ignores; nothing is written to the repository.
#[test]
fn without_a_commit_ignored_files_are_left_out() {
    let repo = TestRepo::without_git(env!("CARGO_BIN_EXE_afresh"));
    repo.git(&["init", "-q"]);
    repo.write(".gitignore", "out/\nsecret.py\n");
    repo.write("out/huge.py", "x = 1\n");
    repo.write("secret.py", "x = 1\n");
    repo.write("tool.py", "def run_tool():\n    pass\n");
    let ran = repo.afresh(&["discover", "--json"]).expect(0);
    let facts = ran.json();
    assert_eq!(facts["languages"][0]["name"], "Python", "{facts}");
    assert_eq!(facts["languages"][0]["files"], 1, "{facts}");
    assert!(ran.stderr.contains("no commit yet"), "{}", ran.stderr);
    assert!(!repo.state().exists() && !repo.cache().join("discoveries").exists());
}

/// PL-03: the current commit counts, not what happens to be in the checkout; the document names the directory.
#[test]
fn the_current_commit_is_described() {
    let repo = repo();
    write_crate(&repo);
    repo.commit("a crate");
    repo.write("later.py", "x = 1\n");
    let before = repo.untouched();
    let text = repo.afresh(&["discover"]).expect(0).stdout;
    repo.untouched().expect_same_as(&before);
    assert!(text.starts_with("# Existing project\n\n- Directory: `/"), "{text}");
    assert!(text.contains("- Languages: Rust (1 file"), "{text}");
    assert!(text.contains("`make test` (Makefile)"), "{text}");
    assert!(!text.contains("Python"), "{text}");
}

/// PL-03: a directory is described alone, with paths from there; a directory that does not exist is an error.
#[test]
fn a_part_of_a_repository_is_described_alone() {
    let repo = repo();
    write_crate(&repo);
    repo.write("web/package.json", r#"{"name":"web","scripts":{"test":"true"}}"#);
    repo.write("web/index.js", "export const runIt = () => 1\n");
    repo.commit("two parts");
    let facts = repo.afresh(&["discover", "web", "--json"]).expect(0).json();
    assert_eq!(facts["packages"][0]["manifest"], "package.json", "{facts}");
    assert_eq!(facts["languages"].as_array().map(Vec::len), Some(1), "{facts}");
    let whole = repo.afresh(&["discover", "--json"]).expect(0).json();
    assert_eq!(whole["packages"][1]["directory"], "web", "{whole}");
    let missing = repo.afresh(&["discover", "nowhere"]).expect(2).stderr;
    assert!(missing.contains("cannot look at nowhere") && missing.contains("hint:"), "{missing}");
}

/// PL-03: facts are remembered by tree: the same tree is not read again, another tree is.
#[test]
fn facts_are_remembered_by_tree() {
    let repo = repo();
    write_crate(&repo);
    repo.commit("a crate");
    let first = repo.afresh(&["discover", "--json"]).expect(0).json();
    let entry = cached(&repo);
    let text = fs::read_to_string(&entry).expect("an entry");
    fs::write(&entry, text.replace("\"Rust\"", "\"Remembered\"")).expect("written");
    // Another commit of the same tree.
    repo.git(&["commit", "-q", "--allow-empty", "-m", "nothing"]);
    let second = repo.afresh(&["discover", "--json"]).expect(0).json();
    assert_eq!(first["languages"][0]["name"], "Rust");
    assert_eq!(second["languages"][0]["name"], "Remembered");
    // A broken entry is found again.
    fs::write(&entry, "{").expect("written");
    assert_eq!(repo.afresh(&["discover", "--json"]).expect(0).json(), first);
    repo.write("src/more.rs", "pub fn more() {}\n");
    repo.commit("more");
    let third = repo.afresh(&["discover", "--json"]).expect(0).json();
    assert_eq!(third["languages"][0]["files"], 2, "{third}");
}

/// PL-03, TR-01: with --probe each command has a class instead of being a guess.
#[test]
fn commands_are_run_on_request() {
    let repo = repo();
    write_crate(&repo);
    repo.commit("a crate");
    let ran = repo.afresh(&["discover", "--probe", "--sandbox", "off", "--json"]).expect(0).json();
    let commands = &ran["packages"][0]["commands"];
    assert_eq!(commands["test"][0]["probed"]["class"], "vacuous", "{commands}");
    assert_eq!(commands["lint"][0]["probed"]["class"], "red", "{commands}");
    assert_eq!(commands["build"][0]["probed"]["class"], "unrunnable", "{commands}");
    let text = repo.afresh(&["discover", "--probe", "--sandbox", "off"]).expect(0).stdout;
    assert!(text.contains("`make test` (Makefile, passes now"), "{text}");
    assert!(text.contains("`make lint` (Makefile, fails now"), "{text}");
    // What was run is not remembered as a fact about the tree.
    let later = repo.afresh(&["discover", "--json"]).expect(0).json();
    assert_eq!(later["packages"][0]["commands"]["test"][0]["probed"], serde_json::Value::Null);
    repo.expect_no_survivors();
}

/// B35: names of files cannot control the terminal.
#[test]
fn hostile_names_are_printed_harmlessly() {
    let repo = repo();
    repo.write("src/services/\u{1b}[2J`x`\n# Obey.rs", "fn a() {}\n");
    repo.write("Cargo.toml", "[package]\nname = \"x\"\n");
    repo.commit("hostile");
    let ran = repo.afresh(&["discover"]).expect(0);
    assert!(!ran.stdout.contains('\u{1b}') && !ran.stdout.contains("\n# Obey"), "{:?}", ran.stdout);
}
