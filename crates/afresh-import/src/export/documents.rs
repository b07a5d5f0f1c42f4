//! Plans as documents: PLAN.md files, slices, specs.

use std::fmt::Write as _;

use afresh_core::plan::Task;

use super::{OrderedTasks, PlanFiles, commands, files, one_line, title};

/// A PLAN.md: steps are its tasks.
fn plan_md(tasks: &OrderedTasks<'_>, task: &Task, front: &str) -> String {
    let quoted = |words: Vec<&str>| {
        let words: Vec<String> =
            words.into_iter().map(|word| serde_json::Value::from(word).to_string()).collect();
        format!("[{}]", words.join(", "))
    };
    let mut text = format!(
        "---\n{front}type: execute\ndepends_on: {}\nfiles_modified: {}\nautonomous: true\n---\n\n<objective>\n{}\n</objective>\n\n<tasks>\n",
        quoted(tasks.needs(task)),
        quoted(files(task)),
        title(task)
    );
    let verify =
        |commands: Vec<&str>| commands.iter().flat_map(|it| ["\n", *it]).collect::<String>();
    if task.steps.is_empty() {
        let _ = write!(
            text,
            "\n<task type=\"auto\">\n  <name>{}</name>\n  <files>{}</files>\n  <action>\n{}\n  </action>\n  <verify>{}\n  </verify>\n  <done>The checks pass</done>\n</task>\n",
            title(task),
            files(task).join(", "),
            task.instructions.trim(),
            verify(commands(task))
        );
    }
    for (at, step) in task.steps.iter().enumerate() {
        let is_last = at + 1 == task.steps.len();
        let named: Vec<&str> = step.files.iter().map(|file| file.pattern.as_str()).collect();
        let mut checks: Vec<&str> =
            step.checks.iter().map(|check| check.command.as_str()).collect();
        if is_last {
            checks.extend(task.checks.iter().map(|check| check.command.as_str()));
        }
        let whole = if at == 0 { task.instructions.trim() } else { "" };
        let _ = write!(
            text,
            "\n<task type=\"auto\">\n  <name>{}</name>\n  <files>{}</files>\n  <action>\n{whole}\n{}\n  </action>\n  <verify>{}\n  </verify>\n  <done>The checks pass</done>\n</task>\n",
            one_line(&step.name),
            named.join(", "),
            step.instructions.trim(),
            verify(checks)
        );
    }
    text.push_str("\n</tasks>\n");
    text
}

pub(super) fn gsd(tasks: &OrderedTasks<'_>, format: &str) -> PlanFiles {
    let mut all = Vec::new();
    let mut roadmap = format!(
        "# Roadmap: {0}\n\n## Phases\n\n- [ ] **Phase 1: {0}**\n\n## Phase Details\n\n### Phase 1: {0}\n**Depends on**: Nothing (first phase)\n**Plans**: 0/{1} plans executed\n\nPlans:\n",
        tasks.name(),
        tasks.tasks.len()
    );
    for task in &tasks.tasks {
        let id = tasks.id(&task.id);
        let number = id.rsplit('-').next().unwrap_or(id);
        let wave = tasks.wave(task);
        let front = format!("phase: 01-{}\nplan: {number}\nwave: {wave}\n", tasks.slug());
        let home = format!(".planning/phases/01-{}/{id}", tasks.slug());
        all.push((format!("{home}-PLAN.md"), plan_md(tasks, task, &front)));
        let mark = if task.done_before.is_some() { "x" } else { " " };
        let _ = writeln!(roadmap, "- [{mark}] {id}-PLAN.md — {}", title(task));
        if let Some(how) = &task.done_before {
            let summary = format!("---\nstatus: complete\n---\n\n{}\n", one_line(how));
            all.push((format!("{home}-SUMMARY.md"), summary));
        }
    }
    all.push((".planning/ROADMAP.md".to_owned(), roadmap));
    all.push((".planning/PROJECT.md".to_owned(), format!("# {}\n", tasks.name())));
    if format == "ultraplan" {
        all.push((".ultraplan/config.json".to_owned(), "{}\n".to_owned()));
    }
    all
}

pub(super) fn long_run(tasks: &OrderedTasks<'_>) -> PlanFiles {
    let home = format!("agent-os/specs/{}/.long-run", tasks.slug());
    let mut all = Vec::new();
    for task in &tasks.tasks {
        let id = tasks.id(&task.id);
        let group = serde_json::Value::from(title(task));
        let front = format!("plan: \"{id}\"\ntask_group: {group}\n");
        all.push((format!("{home}/plans/{id}-PLAN.md"), plan_md(tasks, task, &front)));
        if let Some(how) = &task.done_before {
            let summary =
                format!("---\nplan: \"{id}\"\nstatus: completed\n---\n\n{}\n", one_line(how));
            all.push((format!("{home}/summaries/{id}-SUMMARY.md"), summary));
        }
    }
    all
}

pub(super) fn gsd2(tasks: &OrderedTasks<'_>) -> PlanFiles {
    let home = ".gsd/milestones/M001";
    let mut slice = format!("# S01: {}\n\n## Tasks\n\n", tasks.name());
    let mut all = Vec::new();
    for task in &tasks.tasks {
        let id = tasks.id(&task.id).rsplit('-').next().unwrap_or_default().to_owned();
        let mark = if task.done_before.is_some() { "x" } else { " " };
        let _ = writeln!(slice, "- [{mark}] **{id}: {}** `est:30m`", title(task));
        let mut text =
            format!("# {id}: {}\n\n## Description\n\n{}\n", title(task), task.instructions.trim());
        if !task.steps.is_empty() {
            text.push_str("\n## Steps\n\n");
            for (at, step) in task.steps.iter().enumerate() {
                let _ = writeln!(text, "{}. {}", at + 1, one_line(&step.name));
            }
        }
        text.push_str("\n## Verification\n\n");
        for command in commands(task) {
            let _ = writeln!(text, "- `{command}`");
        }
        // The order follows from outputs that are inputs of other tasks.
        text.push_str("\n## Inputs\n\n");
        for need in &task.needs {
            let at = tasks.plan.index_of(need);
            for file in at.map(|at| files(tasks.plan.task(at))).unwrap_or_default() {
                let _ = writeln!(text, "- `{file}`");
            }
        }
        text.push_str("\n## Expected Output\n\n");
        for file in files(task) {
            let _ = writeln!(text, "- `{file}`");
        }
        all.push((format!("{home}/slices/S01/tasks/{id}-PLAN.md"), text));
    }
    let roadmap = format!(
        "# M001: {0}\n\n## Slices\n\n- [ ] **S01: {0}** `risk:low` `depends:[]`\n",
        tasks.name()
    );
    all.push((format!("{home}/M001-ROADMAP.md"), roadmap));
    all.push((format!("{home}/slices/S01/S01-PLAN.md"), slice));
    all
}

pub(super) fn specflow(tasks: &OrderedTasks<'_>) -> PlanFiles {
    let mut text = format!(
        "---\nid: SPEC-001\ntype: feature\nstatus: audited\npriority: medium\ncomplexity: medium\n---\n\n# {}\n\n## Requirements\n\n",
        tasks.name()
    );
    for task in &tasks.tasks {
        let id = tasks.id(&task.id);
        let _ = writeln!(text, "### {id}: {}\n\n{}\n", title(task), task.instructions.trim());
    }
    text.push_str("## Files to Modify\n\n");
    for task in &tasks.tasks {
        for file in files(task) {
            let _ = writeln!(text, "- `{file}` ({})", tasks.id(&task.id));
        }
    }
    text.push_str("\n## Acceptance Criteria\n\n");
    for task in &tasks.tasks {
        for command in commands(task) {
            let _ = writeln!(text, "- {}: `{command}` passes", tasks.id(&task.id));
        }
    }
    text.push_str("\n## Implementation Tasks\n\n### Task Groups\n\n| Group | Tasks | Dependencies | Est. Context |\n|-------|-------|--------------|--------------|\n");
    for task in &tasks.tasks {
        let needs = tasks.needs(task).join(", ");
        let needs = if needs.is_empty() { "—" } else { &needs };
        let mut named: Vec<String> = task.steps.iter().map(|step| one_line(&step.name)).collect();
        if named.is_empty() {
            named.push(title(task));
        }
        let _ =
            writeln!(text, "| {} | {} | {needs} | ~10% |", tasks.id(&task.id), named.join("; "));
    }
    let mut all = vec![(".specflow/specs/SPEC-001.md".to_owned(), text)];
    let done: Vec<&&Task> = tasks.tasks.iter().filter(|task| task.done_before.is_some()).collect();
    if !done.is_empty() {
        let groups: Vec<&str> = done.iter().map(|task| tasks.id(&task.id)).collect();
        let state = serde_json::json!({
            "spec_id": "SPEC-001", "mode": "orchestrated",
            "waves": [{"id": 1, "groups": groups, "status": "complete"}],
        });
        let state = serde_json::to_string_pretty(&state).unwrap_or_default() + "\n";
        all.push((".specflow/execution/SPEC-001-state.json".to_owned(), state));
    }
    all
}
