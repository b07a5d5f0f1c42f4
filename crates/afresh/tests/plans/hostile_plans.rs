//! Plans of every format made to break a reader: endless, tiny and many, deep, not files at all. Each ends with a
//! finding, within 256 MiB and without a panic (FO-06, B11, B13, B14, B15, B19).

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::Command;

use crate::support::refusal::bounded;
use crate::support::sweep::stride;
use afresh_testkit::{CommandOutput, TestRepo};

/// Just below the size limits of text, and of data.
const TEXT: usize = 2 * 1024 * 1024 - 1024;
const DATA: usize = 8 * 1024 * 1024 - 1024;

/// Every format, with the file that holds a plan, and whether that is data.
const FORMATS: &[(&str, &str, bool)] = &[
    ("native", "p.plan.toml", true),
    ("native", "p.plan.json", true),
    ("long-run", ".long-run/plans/01-PLAN.md", false),
    ("ultraplan", ".planning/phases/01-a/01-01-PLAN.md", false),
    ("gsd", ".planning/phases/01-a/01-01-PLAN.md", false),
    ("specflow", ".specflow/specs/SPEC-001.md", false),
    ("agent-os", "agent-os/specs/x/tasks.md", false),
    ("spec-kit", "specs/001-x/tasks.md", false),
    ("gsd2", ".gsd/milestones/M001/M001-ROADMAP.md", false),
    ("tasker", ".tasker/tasks/T001.json", true),
    ("task-master", ".taskmaster/tasks/tasks.json", true),
    ("beads", ".beads/issues.jsonl", true),
    ("openspec", "openspec/changes/x/tasks.md", false),
    ("kiro", ".kiro/specs/x/tasks.md", false),
    ("prd", "prd.json", true),
    ("checklist", "TODO.md", false),
];

fn lint(repo: &TestRepo, (format, file, _): (&str, &str, bool), more: &[&str]) -> CommandOutput {
    let path = if format == "native" { file } else { "." };
    bounded(repo, &[&["lint", path, "--format", format], more].concat())
}

/// Writes this to the plan's file; the program must report something, and not crash.
#[track_caller]
fn survives(format: (&str, &str, bool), text: &[u8], more: &[&str]) -> CommandOutput {
    let repo = TestRepo::without_git(env!("CARGO_BIN_EXE_afresh"));
    let path = repo.root().join(format.1);
    fs::create_dir_all(path.parent().expect("a directory")).expect("made");
    fs::write(&path, text).expect("written");
    let ran = lint(&repo, format, more);
    let start = String::from_utf8_lossy(&text[..text.len().min(60)]).into_owned();
    assert!(matches!(ran.code, Some(1 | 2)), "{format:?} {start:?}: {:?} {}", ran.code, ran.stderr);
    assert!(!ran.stdout.is_empty(), "{format:?} {start:?}: nothing is said: {}", ran.stderr);
    assert!(ran.stdout.len() < 2_000_000, "{format:?} {start:?}: {} bytes", ran.stdout.len());
    assert!(!ran.stderr.contains("panicked"), "{}", ran.stderr);
    ran
}

/// Repeats a numbered piece up to this many bytes.
fn many(bytes: usize, piece: impl Fn(usize) -> String) -> String {
    let mut text = String::with_capacity(bytes);
    for at in 0.. {
        let next = piece(at);
        if text.len() + next.len() > bytes {
            break;
        }
        text.push_str(&next);
    }
    text
}

/// FO-06: tens of megabytes are refused with the limit.
#[test]
fn an_endless_file_is_refused_with_the_limit() {
    let boxes = b"- [ ]\n".repeat(8_000_000);
    for format in FORMATS {
        let said = survives(*format, &boxes, &[]).stdout;
        assert!(said.contains("error[too-large]") && said.contains("bytes"), "{said}");
        assert!(said.contains(format.1), "{said}");
    }
}

/// FO-06: files of the maximum size, made of the smallest items that readers know.
#[test]
fn a_text_of_many_tiny_things_stays_small() {
    let pieces: Vec<String> = vec![
        many(TEXT, |_| "x".to_owned()),
        many(TEXT, |_| "<task>".to_owned()),
        many(TEXT, |at| format!("<task><name>x</name><files>a{at}</files></task>\n")),
        many(TEXT, |at| format!("## Task {at}: x\n")),
        many(TEXT, |at| format!("- [ ] T{at:03} do x\n")),
        many(TEXT, |at| format!("- [ ] **S{at:02}: x** `depends:[S{:02}]`\n", at + 1)),
        many(TEXT, |at| format!("#### Task Group {at}: x\n")),
        many(TEXT, |_| "```\n".to_owned()),
        many(TEXT, |_| "> ".to_owned()),
        format!("---\n{}---\n", many(TEXT, |at| format!("k{at}: v: w\n"))),
        format!("<task><verify>\n{}</verify></task>", many(TEXT - 99, |_| "npm test\n".to_owned())),
        format!("<task><files>\n{}</files></task>", many(TEXT - 99, |at| format!("{at}.ts\n"))),
        format!(
            "### Task Groups\n| Group | Tasks | Dependencies |\n|-|-|-|\n{}",
            many(TEXT - 99, |at| format!("| G{at} | x | G1-G9999 |\n"))
        ),
    ];
    // Ultra Planner's plans use the reader of GSD's.
    let texts = FORMATS.iter().filter(|(name, _, data)| !data && *name != "ultraplan");
    for (at, format) in texts.enumerate() {
        // Every format meets a sample of the texts, every text some of the formats.
        for text in pieces.iter().skip(at % stride(3)).step_by(stride(3)) {
            survives(*format, text.as_bytes(), &["--unit", "task"]);
        }
    }
}

/// FO-06: the same for data.
#[test]
fn data_of_many_tiny_values_stays_small() {
    let toml = [
        many(DATA, |at| format!("a{at}=1\n")),
        format!("a=[{}]", many(DATA, |_| "1,".to_owned())),
        format!("a{}=1", ".a".repeat(1_000_000)),
        many(DATA, |at| format!("[[task]]\nid=\"T{at}\"\ntitle=\"x\"\n")),
        many(DATA, |at| format!("[[task]]\nid=\"../{at}\"\n")),
    ];
    for text in &toml {
        survives(FORMATS[0], text.as_bytes(), &[]);
    }
    let json = [
        format!("[{}1]", many(DATA, |_| "1,".to_owned())),
        format!(
            "{{\"version\":1,\"task\":[{}{{}}]}}",
            many(DATA, |at| format!("{{\"id\":\"T{at}\"}},"))
        ),
        format!(
            "{{\"tasks\":[{}{{}}]}}",
            many(DATA, |at| format!("{{\"id\":{at},\"title\":\"x\"}},"))
        ),
        many(DATA, |at| format!("{{\"id\":\"a-{at}\",\"title\":\"x\",\"status\":\"open\"}}\n")),
        format!(
            "{{\"id\":\"T001\",\"name\":\"x\",{}\"z\":1}}",
            many(DATA, |at| format!("\"k{at}\":1,"))
        ),
        format!(
            "{{\"id\":\"T001\",\"name\":\"x\",\"files\":[{}{{}}]}}",
            many(DATA, |at| format!("{{\"path\":\"../{at}\"}},"))
        ),
    ];
    for format in FORMATS[1..].iter().filter(|(_, _, data)| *data) {
        for text in &json {
            survives(*format, text.as_bytes(), &[]);
        }
    }
}

/// B15: nested without end, and recursive.
#[test]
fn what_nests_or_grows_without_end_is_refused() {
    for format in FORMATS {
        for text in ["[".repeat(1_000_000), "{\"a\":".repeat(100_000), "> - ".repeat(400_000)] {
            survives(*format, text.as_bytes(), &[]);
        }
    }
    let level = |at: usize| format!("a{}: &a{} [*a{at}, *a{at}, *a{at}, *a{at}]\n", at + 1, at + 1);
    let bomb = format!("---\na0: &a0 [x]\n{}---\n<task>x</task>", many(100_000, level));
    let flow = format!("---\nid: {}\n---\n", "[".repeat(100_000));
    for format in FORMATS.iter().filter(|(_, _, data)| !data) {
        survives(*format, bomb.as_bytes(), &[]);
        survives(*format, flow.as_bytes(), &[]);
    }
}

/// B19: other encodings are reported where they begin; NULs are text, and never reach a terminal.
#[test]
fn other_encodings_are_named_in_every_format() {
    for format in FORMATS {
        let utf_16: Vec<u8> =
            "\u{feff}- [ ] T1\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
        for text in [utf_16, b"caf\xe9\n".to_vec()] {
            let said = survives(*format, &text, &[]).stdout;
            assert!(said.contains("error[not-utf8]") && said.contains(format.1), "{said}");
        }
        let said = survives(*format, b"# a\0b\x1b[2J\n<task>\0</task>", &[]).stdout;
        assert!(!said.contains(['\0', '\x1b']), "{said:?}");
    }
}

/// B13, B14: a plan that is not a file is reported with its type, and does not block.
#[test]
fn what_is_no_file_is_named_in_every_format() {
    for format in FORMATS.iter().filter(|(name, ..)| *name != "native") {
        for (what, told) in [
            ("directory", "a directory"),
            ("pipe", "a pipe"),
            ("link", "a symbolic link"),
            ("secret", "denied"),
        ] {
            let repo = TestRepo::without_git(env!("CARGO_BIN_EXE_afresh"));
            let path = repo.root().join(format.1);
            fs::create_dir_all(path.parent().expect("a directory")).expect("made");
            match what {
                "directory" => fs::create_dir(&path).expect("made"),
                "link" => symlink(&path, &path).expect("a link to itself"),
                "pipe" => {
                    assert!(Command::new("mkfifo").arg(&path).status().expect("mkfifo").success());
                }
                _ => {
                    fs::write(&path, "").expect("written");
                    fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).expect("a mode");
                    // Root can read every file.
                    if fs::File::open(&path).is_ok() {
                        continue;
                    }
                }
            }
            let ran = lint(&repo, *format, &[]).expect(2);
            let said = format!("{}{}", ran.stdout, ran.stderr);
            assert!(said.contains(format.1) && said.contains(told), "{format:?} {what}: {said}");
            assert!(said.contains("hint"), "{said}");
        }
    }
}

/// FO-06: for a directory with far too many files, afresh reports that it was not searched. Outside a repository it does
/// not search the directories around a named file at all.
#[test]
fn a_directory_of_very_many_files_says_what_was_not_read() {
    let repo = TestRepo::without_git(env!("CARGO_BIN_EXE_afresh"));
    for list in ["TODO.md", "notes/TODO.md"] {
        repo.write(list, "- [ ] Write `a.txt`; `test -s a.txt` passes\n");
    }
    for phase in 0..21 {
        let directory = repo.root().join(format!(".planning/phases/{phase:02}-a"));
        fs::create_dir_all(&directory).expect("made");
        for plan in 0..1_000 {
            fs::write(directory.join(format!("{phase:02}-{plan:03}-PLAN.md")), "x")
                .expect("written");
        }
    }
    let ran = bounded(&repo, &["lint", ".", "--format", "gsd"]);
    assert!(matches!(ran.code, Some(1 | 2)), "{:?} {}", ran.code, ran.stderr);
    assert!(ran.stdout.contains("more than 20000 files"), "{}", ran.stdout);
    let named = bounded(&repo, &["lint", "notes/TODO.md"]);
    assert!(!named.stdout.contains("20000 files"), "{}", named.stdout);
}

/// FO-06: many files, each of the maximum size.
#[test]
fn many_large_files_are_too_much_together() {
    let repo = TestRepo::without_git(env!("CARGO_BIN_EXE_afresh"));
    let text = many(TEXT, |at| format!("<task><name>x{at}</name></task> some more words\n"));
    for plan in 0..20 {
        repo.write(&format!(".planning/phases/01-a/01-{plan:02}-PLAN.md"), &text);
    }
    for unit in ["plan", "task"] {
        let ran = bounded(&repo, &["lint", ".", "--format", "gsd", "--unit", unit]);
        assert!(matches!(ran.code, Some(1 | 2)), "{:?} {}", ran.code, ran.stderr);
        assert!(ran.stdout.contains("error[too-large]"), "{}", ran.stdout);
    }
}
