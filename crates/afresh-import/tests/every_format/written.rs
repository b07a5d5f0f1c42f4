//! The same few tasks written in each format.

use std::fmt::Write as _;

use afresh_formats::Finding;
use afresh_formats::folder::MemoryFolder;
use afresh_formats::native;
use afresh_formats::reading::PlanReading;
use afresh_import::detect::{ReadOptions, format_by_name};
use serde_json::{Value, json};

/// A task, before it is written down.
#[derive(Debug, Clone)]
pub(crate) struct Sample {
    /// The name that dependencies use.
    pub(crate) name: String,
    pub(crate) title: String,
    pub(crate) needs: Vec<String>,
    pub(crate) file: String,
    pub(crate) check: String,
}

type Files = Vec<(String, String)>;

/// A format, and how tasks are written in it.
#[expect(clippy::struct_excessive_bools, reason = "each says what one format can do")]
pub(crate) struct Kind {
    pub(crate) name: &'static str,
    /// The name of the nth task.
    pub(crate) word: fn(usize) -> String,
    pub(crate) write: fn(&[Sample]) -> Files,
    /// Whether ids are free text, not file names or numbers.
    pub(crate) free_names: bool,
    /// Whether it has lists of files.
    pub(crate) lists_files: bool,
    /// Whether it has commands as checks.
    pub(crate) has_checks: bool,
    /// Whether tasks state what they need; otherwise they are done in the order of the file.
    pub(crate) states_needs: bool,
}

pub(crate) const KINDS: &[Kind] = &[
    Kind {
        name: "native",
        word: |n| format!("T{n:03}"),
        write: toml,
        free_names: true,
        lists_files: true,
        has_checks: true,
        states_needs: true,
    },
    Kind {
        name: "native",
        word: |n| format!("T{n:03}"),
        write: json,
        free_names: true,
        lists_files: true,
        has_checks: true,
        states_needs: true,
    },
    Kind {
        name: "long-run",
        word: |n| format!("{n:02}"),
        write: long_run,
        free_names: false,
        lists_files: true,
        has_checks: true,
        states_needs: true,
    },
    Kind {
        name: "ultraplan",
        word: |n| format!("01-{n:02}"),
        write: ultraplan,
        free_names: false,
        lists_files: true,
        has_checks: true,
        states_needs: true,
    },
    Kind {
        name: "gsd",
        word: |n| format!("01-{n:02}"),
        write: gsd,
        free_names: false,
        lists_files: true,
        has_checks: true,
        states_needs: true,
    },
    Kind {
        name: "specflow",
        word: |n| format!("G{n}"),
        write: specflow,
        free_names: false,
        lists_files: true,
        has_checks: false,
        states_needs: true,
    },
    Kind {
        name: "agent-os",
        word: |n| n.to_string(),
        write: agent_os,
        free_names: false,
        lists_files: false,
        has_checks: false,
        states_needs: true,
    },
    Kind {
        name: "spec-kit",
        word: |n| format!("T{n:03}"),
        write: spec_kit,
        free_names: false,
        lists_files: true,
        has_checks: false,
        states_needs: true,
    },
    Kind {
        name: "gsd2",
        word: |n| format!("S{n:02}"),
        write: gsd2,
        free_names: false,
        lists_files: true,
        has_checks: true,
        states_needs: true,
    },
    Kind {
        name: "tasker",
        word: |n| format!("T{n:03}"),
        write: tasker,
        free_names: true,
        lists_files: true,
        has_checks: true,
        states_needs: true,
    },
    Kind {
        name: "task-master",
        word: |n| n.to_string(),
        write: task_master,
        free_names: true,
        lists_files: false,
        has_checks: false,
        states_needs: true,
    },
    Kind {
        name: "beads",
        word: |n| format!("bd-{n}"),
        write: beads,
        free_names: true,
        lists_files: false,
        has_checks: false,
        states_needs: true,
    },
    Kind {
        name: "openspec",
        word: |n| format!("1.{n}"),
        write: openspec,
        free_names: false,
        lists_files: true,
        has_checks: true,
        states_needs: false,
    },
    Kind {
        name: "kiro",
        word: |n| n.to_string(),
        write: kiro,
        free_names: false,
        lists_files: true,
        has_checks: true,
        states_needs: true,
    },
    Kind {
        name: "prd",
        word: |n| format!("US-{n:03}"),
        write: prd,
        free_names: true,
        lists_files: false,
        has_checks: true,
        states_needs: true,
    },
    Kind {
        name: "checklist",
        word: |n| n.to_string(),
        write: checklist,
        free_names: false,
        lists_files: true,
        has_checks: true,
        states_needs: false,
    },
];

impl Kind {
    /// This many plain tasks in sequence.
    pub(crate) fn samples(&self, count: usize) -> Vec<Sample> {
        let sample = |n: usize| Sample {
            name: (self.word)(n),
            title: format!("task {n}"),
            needs: Vec::new(),
            file: format!("src/{n}.txt"),
            check: format!("test -s src/{n}.txt"),
        };
        (1..=count).map(sample).collect()
    }

    pub(crate) fn read(&self, samples: &[Sample]) -> (Files, PlanReading) {
        let files = (self.write)(samples);
        let reading = self.read_files(&files);
        (files, reading)
    }

    /// Reads it: a plan, or errors, each with a valid position and a hint.
    #[track_caller]
    pub(crate) fn read_files(&self, files: &[(String, String)]) -> PlanReading {
        let reading = match self.name {
            "native" => native::read(&files[0].0, files[0].1.as_bytes()),
            name => {
                let folder = MemoryFolder::new(files.iter().cloned());
                (format_by_name(name).expect("a format").read)(&folder, &ReadOptions::default())
            }
        };
        let errors = reading.findings.iter().any(Finding::is_error);
        assert!(reading.plan.is_some() || errors, "{}: {}", self.name, rendered(&reading));
        assert!(reading.blocked.is_empty() || errors, "{}: {:?}", self.name, reading.blocked);
        for finding in &reading.findings {
            let text = files.iter().find(|(path, _)| *path == finding.file).map(|(_, text)| text);
            let lines = text.map_or(0, |text| text.split('\n').count());
            assert!(finding.line <= lines && finding.hint.is_some(), "{finding:?}");
            let shown = finding.render();
            assert!(!shown.contains(|c: char| c.is_control() && c != '\n'), "{shown:?}");
        }
        reading
    }
}

pub(crate) fn rendered(reading: &PlanReading) -> String {
    reading.findings.iter().map(Finding::render).collect()
}

/// The findings with this code.
pub(crate) fn with_code<'r>(reading: &'r PlanReading, code: &str) -> Vec<&'r Finding> {
    reading.findings.iter().filter(|finding| finding.code == code).collect()
}

fn entry(sample: &Sample) -> Value {
    json!({"id": sample.name, "title": sample.title, "needs": sample.needs, "files": [sample.file], "checks": [sample.check]})
}

fn toml(samples: &[Sample]) -> Files {
    let mut text = "version = 1\n".to_owned();
    for sample in samples {
        text.push_str("[[task]]\n");
        let Value::Object(fields) = entry(sample) else { unreachable!("an object") };
        for (key, value) in fields {
            let _ = writeln!(text, "{key} = {value}");
        }
    }
    vec![("p.plan.toml".to_owned(), text)]
}

fn json(samples: &[Sample]) -> Files {
    let tasks: Vec<Value> = samples.iter().map(entry).collect();
    let plan = json!({"version": 1, "task": tasks});
    vec![("p.plan.json".to_owned(), serde_json::to_string_pretty(&plan).expect("JSON"))]
}

fn plan_md(sample: &Sample) -> String {
    let needs: Vec<String> = sample.needs.iter().map(|need| format!("{need:?}")).collect();
    format!(
        "---\ndepends_on: [{}]\n---\n<task type=\"auto\">\n<name>{}</name>\n<files>{}</files>\n<verify>{}</verify>\n</task>\n",
        needs.join(", "),
        sample.title,
        sample.file,
        sample.check
    )
}

fn long_run(samples: &[Sample]) -> Files {
    let file =
        |sample: &Sample| (format!(".long-run/plans/{}-PLAN.md", sample.name), plan_md(sample));
    samples.iter().map(file).collect()
}

fn gsd(samples: &[Sample]) -> Files {
    let file = |sample: &Sample| {
        (format!(".planning/phases/01-a/{}-PLAN.md", sample.name), plan_md(sample))
    };
    samples.iter().map(file).collect()
}

fn ultraplan(samples: &[Sample]) -> Files {
    let mut files = gsd(samples);
    files.push((".ultraplan/config.json".to_owned(), "{}".to_owned()));
    files
}

fn specflow(samples: &[Sample]) -> Files {
    let mut text = "---\nid: SPEC-001\n---\n# A spec\n## Files to Create\n".to_owned();
    for sample in samples {
        let _ = writeln!(text, "- `{}`", sample.file);
    }
    text.push_str("### Task Groups\n| Group | Tasks | Dependencies |\n|-|-|-|\n");
    for sample in samples {
        let needs =
            if sample.needs.is_empty() { "—".to_owned() } else { sample.needs.join(", ") };
        let _ = writeln!(text, "| {} | {} | {needs} |", sample.name, sample.title);
    }
    vec![(".specflow/specs/SPEC-001.md".to_owned(), text)]
}

fn agent_os(samples: &[Sample]) -> Files {
    let mut text = String::new();
    for sample in samples {
        let _ = writeln!(text, "#### Task Group {}: {}", sample.name, sample.title);
        let needs: Vec<String> =
            sample.needs.iter().map(|need| format!("Task Group {need}")).collect();
        let needs = if needs.is_empty() { "None".to_owned() } else { needs.join(", ") };
        let _ = writeln!(text, "**Dependencies:** {needs}\n- [ ] {}.1 do it", sample.name);
    }
    vec![("agent-os/specs/x/tasks.md".to_owned(), text)]
}

fn spec_kit(samples: &[Sample]) -> Files {
    let mut text = "## Phase 1: All\n".to_owned();
    for sample in samples {
        let needs = sample.needs.join(", ");
        let after = if needs.is_empty() { String::new() } else { format!(" (depends on {needs})") };
        let _ =
            writeln!(text, "- [ ] {} [P] {} in {}{after}", sample.name, sample.title, sample.file);
    }
    vec![("specs/001-x/tasks.md".to_owned(), text)]
}

fn gsd2(samples: &[Sample]) -> Files {
    let home = ".gsd/milestones/M001";
    let mut roadmap = String::new();
    let mut files = Vec::new();
    for sample in samples {
        let Sample { name, title, file, check, .. } = sample;
        let _ =
            writeln!(roadmap, "- [ ] **{name}: {title}** `depends:[{}]`", sample.needs.join(","));
        let plan = format!(
            "- [ ] **T01: {title}** `est:5m`\n  - Files: `{file}`\n  - Verify: `{check}`\n"
        );
        files.push((format!("{home}/slices/{name}/{name}-PLAN.md"), plan));
    }
    files.push((format!("{home}/M001-ROADMAP.md"), roadmap));
    files
}

fn tasker(samples: &[Sample]) -> Files {
    let file = |(at, sample): (usize, &Sample)| {
        let task = json!({
            "id": sample.name, "name": sample.title, "phase": 1, "behaviors": ["B1"],
            "files": [{"path": sample.file, "action": "create"}],
            "dependencies": {"tasks": sample.needs},
            "acceptance_criteria": [{"criterion": "it is there", "verification": sample.check}],
        });
        let text = serde_json::to_string_pretty(&task).expect("JSON");
        (format!(".tasker/tasks/T{:05}.json", at + 1), text)
    };
    samples.iter().enumerate().map(file).collect()
}

fn task_master(samples: &[Sample]) -> Files {
    let task = |sample: &Sample| json!({"id": sample.name, "title": sample.title, "dependencies": sample.needs, "status": "pending"});
    let all = json!({"tasks": samples.iter().map(task).collect::<Vec<_>>()});
    let text = serde_json::to_string_pretty(&all).expect("JSON");
    vec![(".taskmaster/tasks/tasks.json".to_owned(), text)]
}

fn beads(samples: &[Sample]) -> Files {
    let issue = |sample: &Sample| {
        let need = |need: &String| json!({"issue_id": sample.name, "depends_on_id": need, "type": "blocks"});
        let needs: Vec<Value> = sample.needs.iter().map(need).collect();
        json!({"id": sample.name, "title": sample.title, "status": "open", "dependencies": needs})
            .to_string()
    };
    let lines: Vec<String> = samples.iter().map(issue).collect();
    vec![(".beads/issues.jsonl".to_owned(), lines.join("\n"))]
}

fn openspec(samples: &[Sample]) -> Files {
    let mut text = "## 1. All\n".to_owned();
    for Sample { name, title, file, check, .. } in samples {
        let _ = writeln!(text, "- [ ] {name} {title}\n  - in `{file}`\n  - `{check}` passes");
    }
    vec![("openspec/changes/x/tasks.md".to_owned(), text)]
}

fn kiro(samples: &[Sample]) -> Files {
    let mut text = "# Implementation Plan\n".to_owned();
    for Sample { name, title, file, check, .. } in samples {
        let _ = writeln!(text, "- [ ] {name}. {title}\n  - in `{file}`\n  - `{check}` passes");
    }
    text.push_str("## Task Dependency Graph\n```json\n{\"tasks\": [\n");
    for (at, sample) in samples.iter().enumerate() {
        let comma = if at + 1 < samples.len() { "," } else { "" };
        let entry = json!({"id": sample.name, "dependsOn": sample.needs});
        let _ = writeln!(text, "{entry}{comma}");
    }
    text.push_str("]}\n```\n");
    vec![(".kiro/specs/x/tasks.md".to_owned(), text)]
}

fn prd(samples: &[Sample]) -> Files {
    let story = |sample: &Sample| {
        json!({
            "id": sample.name, "title": sample.title, "passes": false, "dependsOn": sample.needs,
            "acceptanceCriteria": [{"text": "it is there", "testCommand": sample.check}],
        })
    };
    let all = json!({"project": "x", "userStories": samples.iter().map(story).collect::<Vec<_>>()});
    vec![("prd.json".to_owned(), serde_json::to_string_pretty(&all).expect("JSON"))]
}

fn checklist(samples: &[Sample]) -> Files {
    let mut text = "# List\n".to_owned();
    for Sample { name, title, file, check, .. } in samples {
        let _ = writeln!(text, "- [ ] {name}. {title}\n  - in `{file}`\n  - `{check}` passes");
    }
    vec![("TODO.md".to_owned(), text)]
}
