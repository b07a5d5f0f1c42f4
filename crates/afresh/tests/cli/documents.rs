//! What the documents show is what happens: their commands are run, and their outputs compared.
//!
//! Everything in a document runs in one scratch repository, from top to bottom:
//! - a block after `<!-- file: NAME -->` is written to that file (with `, executable` it is made so);
//! - in a `console` block, lines that start with `$ ` are run by a shell, and the lines after them are the expected
//!   output, on both streams. Ids, durations, times and repeated blanks may differ; `…` stands for any text in a line,
//!   and alone for any lines; after `<!-- any order -->` the order of lines may differ.
//!
//! In `sh` blocks, which are not run, every `afresh` command and option must exist.
//! `AFRESH_UPDATE=1 cargo test -p afresh --test cli documents` updates outputs that differ.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::support::plain::without_chance;
use afresh_testkit::TestRepo;
use afresh_testkit::repo::finish;

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("the workspace").to_owned()
}

/// The documents that are checked: the README and every page of docs/.
fn documents() -> Vec<PathBuf> {
    let pages = fs::read_dir(workspace().join("docs")).expect("docs/").flatten();
    let mut found: Vec<PathBuf> = pages.map(|page| page.path()).collect();
    found.retain(|page| page.extension().is_some_and(|extension| extension == "md"));
    found.push(workspace().join("README.md"));
    found.sort();
    found
}

/// A fenced block, and the line right before it.
struct Block<'t> {
    language: &'t str,
    remark: &'t str,
    lines: Vec<&'t str>,
    /// The number of its first line in the document, from 0.
    at: usize,
}

fn blocks(text: &str) -> Vec<Block<'_>> {
    let mut found: Vec<Block<'_>> = Vec::new();
    let mut remark = "";
    let mut open: Option<Block<'_>> = None;
    for (number, line) in text.lines().enumerate() {
        match (line.strip_prefix("```"), &mut open) {
            (Some(_), Some(_)) => found.extend(open.take()),
            (Some(language), None) => {
                open = Some(Block { language, remark, lines: vec![], at: number + 1 });
            }
            (None, Some(block)) => block.lines.push(line),
            (None, None) => {}
        }
        if open.is_none() && !line.trim().is_empty() {
            remark = line;
        }
    }
    found
}

/// The value of a remark such as `<!-- file: NAME -->`.
fn remark_value<'t>(block: &Block<'t>, key: &str) -> Option<&'t str> {
    let inner = block.remark.strip_prefix("<!-- ")?.strip_suffix(" -->")?;
    inner.strip_prefix(key)?.strip_prefix(": ")
}

/// A repository for one document, in which `afresh` is on the PATH.
struct Scratch {
    repo: TestRepo,
}

impl Scratch {
    fn new() -> Self {
        let repo = crate::support::repo();
        fs::remove_dir_all(repo.root().join(".afresh")).expect("removed");
        repo.git(&["rm", "-rq", "--cached", ".afresh"]);
        repo.commit("as new");
        Self { repo }
    }

    fn write(&self, name: &str, text: &str) {
        let (name, executable) = match name.strip_suffix(", executable") {
            Some(name) => (name, true),
            None => (name, false),
        };
        self.repo.write(name, text);
        if executable {
            let mode = fs::Permissions::from_mode(0o755);
            fs::set_permissions(self.repo.root().join(name), mode).expect("executable");
        }
    }

    /// What a command prints, on both streams, with the scratch directory called `~/project`.
    fn run(&self, command: &str) -> String {
        let like = self.repo.command(&[]);
        let program = Path::new(env!("CARGO_BIN_EXE_afresh")).parent().expect("a directory");
        let path = format!("{}:{}", program.display(), std::env::var("PATH").expect("a PATH"));
        let mut shell = Command::new("/bin/sh");
        shell.arg("-c").arg(format!("{{ {command}\n}} 2>&1")).current_dir(self.repo.root());
        shell.stdin(Stdio::null());
        for (name, value) in like.get_envs() {
            match value {
                Some(value) => shell.env(name, value),
                None => shell.env_remove(name),
            };
        }
        let ran = finish({
            shell.env("PATH", path);
            shell
        });
        let root = self.repo.root().canonicalize().expect("there");
        let around = self.repo.path().canonicalize().expect("there");
        let text = ran.stdout.replace(&*root.to_string_lossy(), "~/project");
        text.replace(&*around.to_string_lossy(), "~").replace("~/cache", "~/.cache/afresh")
    }
}

/// The commands of a console block, each with the lines that it should print.
fn commands<'t>(block: &Block<'t>) -> Vec<(&'t str, Vec<&'t str>)> {
    let mut found: Vec<(&str, Vec<&str>)> = Vec::new();
    for line in &block.lines {
        match (line.strip_prefix("$ "), found.last_mut()) {
            (Some(command), _) => found.push((command, vec![])),
            (None, Some((_, output))) => output.push(line),
            (None, None) => panic!("line {}: output before any command", block.at + 1),
        }
    }
    found
}

fn plain(lines: &[&str]) -> Vec<String> {
    let text = without_chance(&lines.join("\n"));
    let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    text.lines().map(words).collect()
}

/// Whether `found` is what a document promised.
fn fits(promised: &[String], found: &[String]) -> bool {
    let Some((first, rest)) = promised.split_first() else { return found.is_empty() };
    if first == "…" {
        return (0..=found.len()).any(|skipped| fits(rest, &found[skipped..]));
    }
    found.split_first().is_some_and(|(line, others)| fits_line(first, line) && fits(rest, others))
}

/// The same if the order of lines may differ: each expected line is found once, and no other line, unless a separate
/// `…` stands for the rest.
fn fits_in_any_order(promised: &[String], found: &[String]) -> bool {
    let mut left: Vec<&String> = found.iter().collect();
    for line in promised.iter().filter(|line| *line != "…") {
        let Some(at) = left.iter().position(|other| fits_line(line, other)) else { return false };
        left.remove(at);
    }
    left.is_empty() || promised.iter().any(|line| line == "…")
}

fn fits_line(promised: &str, found: &str) -> bool {
    let Some((start, rest)) = promised.split_once('…') else { return promised == found };
    let Some(tail) = found.strip_prefix(start.trim_end()) else { return false };
    let rest = rest.trim_start();
    tail.char_indices().map(|(at, _)| at).chain([tail.len()]).any(|at| fits_line(rest, &tail[at..]))
}

/// Plays a document; returns the corrected document, and what differs.
fn play(text: &str) -> (String, Vec<String>) {
    let scratch = Scratch::new();
    let (mut lines, mut wrong): (Vec<String>, _) =
        (text.lines().map(str::to_owned).collect(), Vec::new());
    let mut shift: isize = 0;
    for block in blocks(text) {
        if let Some(name) = remark_value(&block, "file") {
            scratch.write(name, &(block.lines.join("\n") + "\n"));
        }
        if block.language != "console" {
            continue;
        }
        let sorted = block.remark == "<!-- any order -->";
        let mut anew: Vec<String> = Vec::new();
        for (command, promised) in commands(&block) {
            let output = scratch.run(command);
            let found: Vec<&str> = output.lines().collect();
            let (wanted, got) = (plain(&promised), plain(&found));
            let fit = if sorted { fits_in_any_order } else { fits };
            anew.push(format!("$ {command}"));
            if fit(&wanted, &got) {
                anew.extend(promised.iter().map(|line| (*line).to_owned()));
            } else {
                anew.extend(found.iter().map(|line| (*line).to_owned()));
                wrong.push(format!("$ {command}\n{output}"));
            }
        }
        let start = block.at.checked_add_signed(shift).expect("inside the document");
        lines.splice(start..start + block.lines.len(), anew.iter().cloned());
        shift += isize::try_from(anew.len()).expect("small")
            - isize::try_from(block.lines.len()).expect("small");
    }
    (lines.join("\n") + "\n", wrong)
}

#[test]
fn what_the_documents_show_is_what_happens() {
    let mut wrong = Vec::new();
    for document in documents() {
        let text = fs::read_to_string(&document).expect("a document");
        if !text.contains("```console") {
            continue;
        }
        let (anew, differences) = play(&text);
        if std::env::var_os("AFRESH_UPDATE").is_some() && !differences.is_empty() {
            fs::write(&document, anew).expect("written");
        } else {
            let name = document.file_name().expect("a name").to_string_lossy().into_owned();
            wrong.extend(differences.into_iter().map(|difference| format!("{name}: {difference}")));
        }
    }
    assert!(
        wrong.is_empty(),
        "these print something else (AFRESH_UPDATE=1 cargo test -p afresh --test cli documents):\n{}",
        wrong.join("\n")
    );
}

#[test]
fn what_the_documents_name_exists() {
    let help = |args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_afresh"));
        let output = command.args(args).arg("--help").output().expect("it runs");
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
    };
    for document in documents() {
        let text = fs::read_to_string(&document).expect("a document");
        let shown = blocks(&text);
        let lines = shown.iter().filter(|block| block.language == "sh").flat_map(|b| &b.lines);
        for line in lines.filter_map(|line| line.trim().strip_prefix("afresh ")) {
            let words: Vec<&str> =
                line.split('#').next().unwrap_or_default().split_whitespace().collect();
            // `-C DIR run` and the like start with an option.
            let command = words.first().filter(|word| !word.starts_with('-'));
            let known = help(&command.copied().into_iter().collect::<Vec<_>>());
            let known = known.unwrap_or_else(|| panic!("{}: afresh {line}", document.display()));
            let nested = words.get(1).filter(|word| known.contains(&format!("\n  {word} ")));
            let all = nested.and_then(|word| help(&[words[0], word])).unwrap_or(known);
            for option in words.iter().filter(|word| word.starts_with("--")) {
                let name = option.split('=').next().unwrap_or_default();
                assert!(all.contains(name), "{}: {name} in `afresh {line}`", document.display());
            }
        }
    }
}

/// The comparison itself: what may differ, and what may not.
#[test]
fn outputs_are_compared_as_documented() {
    let same = |promised: &str, found: &str| {
        fits(
            &plain(&promised.lines().collect::<Vec<_>>()),
            &plain(&found.lines().collect::<Vec<_>>()),
        )
    };
    assert!(same("merged (0123456789) in 0.3s", "merged (abcdef0123) in 12.9s"));
    assert!(same("  0.0s   start x", " 10.0s start x"));
    assert!(same("a … d\n…\nz", "a b c d\n1\n2\nz"));
    assert!(same("a …\nz", "a\nz"));
    assert!(!same("a", "b"));
    assert!(!same("a\nb", "a"));
    assert!(!same("a", "a\nb"));
    assert!(!same("2 tasks", "3 tasks"));
    let lines = |text: &str| plain(&text.lines().collect::<Vec<_>>());
    let mixed = |promised: &str, found: &str| fits_in_any_order(&lines(promised), &lines(found));
    assert!(mixed("a\nb", "b\na"));
    assert!(mixed("a\n…", "c\nb\na"));
    assert!(!mixed("a\nb", "b\na\nc"));
    assert!(!mixed("a\na\n…", "a\nb"));
}
