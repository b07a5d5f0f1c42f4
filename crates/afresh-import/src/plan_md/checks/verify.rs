//! `<verify>`: the commands in it. Prose is for the worker, who is shown the task as it stands.

use std::ops::Range;

use crate::plan_md::checks::command;
use crate::plan_md::parse::remarks::PlanRemarks;
use crate::plan_md::parse::tags::{tags, trim, unescape};
use afresh_formats::text::limits::MAX_LISTED;
use afresh_formats::text::markdown::lines::{TextLine, lines_from};
use afresh_formats::text::markdown::{FenceTracker, LineKind};

/// A command and where it stands.
pub type LocatedCommand = (String, Range<usize>);

/// What a `<verify>` asks for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct VerifyBlock {
    pub commands: Vec<LocatedCommand>,
    /// What is no command, and therefore not run.
    pub prose: Vec<String>,
}

/// What a person looks at is no check, and how often is nothing that a check could tell.
const PARTS: [&str; 5] = ["automated", "human-check", "manual", "sampling_rate", "human"];

/// What stands in a `<verify>`.
pub fn parse(text: &str, part: &Range<usize>, remarks: &mut PlanRemarks) -> VerifyBlock {
    let mut verify = VerifyBlock::default();
    let parts = tags(text, part.clone(), &PARTS).known;
    if parts.is_empty() {
        verify.add_commands(text, part, remarks);
    }
    for tag in parts.iter().filter(|tag| tag.opening.name == "automated") {
        verify.add_commands(text, &tag.inner, remarks);
    }
    for (command, at) in &verify.commands {
        warn_about_command(command, at, remarks);
    }
    verify
}

impl VerifyBlock {
    fn add_commands(&mut self, text: &str, part: &Range<usize>, remarks: &mut PlanRemarks) {
        let part = trim(text, part.clone());
        let lines = worth_reading(text, &part);
        if lines.len() > MAX_LISTED {
            let message = format!("more than {MAX_LISTED} lines of checks");
            remarks.error("too-large", &lines[0].range(), message, "put them into a script");
            return;
        }
        if let Some(script) = as_script(&lines) {
            self.commands.push((script, part));
            return;
        }
        let mut prose = None;
        for line in lines {
            let bare = unescape(line.without_bullet().text);
            if let Some(command) = command::find(&bare) {
                self.commands.push((command, line.range()));
            } else {
                prose = prose.or(Some(line.range()));
                self.prose.push(bare.into_owned());
            }
        }
        if let Some(at) = prose {
            let message = "this check is not a command, so it is not run".to_owned();
            let hint = "write a command whose exit code tells, e.g. `npm test`; the worker is shown the text";
            remarks.warning("check-is-prose", &at, message, hint);
        }
    }
}

/// The lines that say something: without blank ones, marks of code blocks and comments of a shell.
fn worth_reading<'a>(text: &'a str, part: &Range<usize>) -> Vec<TextLine<'a>> {
    let mut fences = FenceTracker::default();
    let marks = |kind| matches!(kind, LineKind::Opening | LineKind::Closing);
    lines_from(&text[part.clone()], part.start)
        .filter(|line| !marks(fences.kind(line)))
        .map(|line| line.trimmed())
        .filter(|line| !line.text.is_empty() && !line.text.starts_with("# "))
        .collect()
}

/// The lines as one script, where one line means nothing without the others.
fn as_script(lines: &[TextLine]) -> Option<String> {
    let continues = |line: &TextLine| {
        let ends = ["\\", "|", "&&", "||", "{", "(", "do", "then", "else"];
        ends.iter().any(|end| line.text.ends_with(end)) || line.text.contains("<<")
    };
    let sets_up = |line: &TextLine| {
        let words: Vec<&str> = line.text.split_whitespace().collect();
        matches!(words.as_slice(), ["cd", _] | ["set" | "export" | "source" | ".", ..])
            || (words.len() == 1 && line.text.contains('=') && !line.text.contains('`'))
    };
    let before_last = lines.split_last().map_or(&[][..], |(_, before)| before);
    if !before_last.iter().any(|line| continues(line) || sets_up(line)) {
        return None;
    }
    let script = lines.iter().map(|line| line.text).collect::<Vec<_>>().join("\n");
    // The exit code of a script is that of its last line, unless it is told otherwise.
    command::find(&unescape(&script)).map(|script| format!("set -e\n{script}"))
}

/// What is wrong with a command that can be seen without running it.
fn warn_about_command(command: &str, at: &Range<usize>, remarks: &mut PlanRemarks) {
    if let Some(why) = command::cannot_fail(command) {
        let message = format!("this check always passes: {why}");
        let hint = "leave that part out; output is kept and bounded anyway";
        remarks.warning("check-cannot-fail", at, message, hint);
    }
    if command::leaves_the_tree(command) {
        let message = "this check goes to a directory outside the worker's clone".to_owned();
        let hint = "checks start in the root of a clone: leave the `cd` out";
        remarks.warning("check-leaves-tree", at, message, hint);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use afresh_formats::findings::SourceText;

    /// The commands, and what was said.
    fn read(text: &str) -> (Vec<String>, Vec<String>) {
        let mut remarks = PlanRemarks::default();
        let commands = parse(text, &(0..text.len()), &mut remarks).commands;
        let said = remarks.render(&SourceText::new("PLAN.md", text));
        let said = said.into_iter().map(|found| format!("{} {}", found.code, found.line));
        (commands.into_iter().map(|(command, _)| command).collect(), said.collect())
    }

    #[track_caller]
    fn runs(text: &str, commands: &[&str]) {
        assert_eq!(
            read(text),
            (commands.iter().map(ToString::to_string).collect(), vec![]),
            "{text}"
        );
    }

    #[track_caller]
    fn says(text: &str, code: &str) {
        assert_eq!(read(text).1, [code], "{text}");
    }

    #[test]
    fn one_line_is_a_command_or_prose() {
        runs("npm test && npm run lint", &["npm test && npm run lint"]);
        runs("a &amp;&amp; b", &["a && b"]);
        runs(" \n ", &[]);
        says(" All tests pass ", "check-is-prose 1");
    }

    #[test]
    fn parts_are_told_apart() {
        let text = "<automated>npm test</automated>\n<human-check><test>Click</test></human-check>\n<sampling_rate>1</sampling_rate>";
        runs(text, &["npm test"]);
        says("<automated>MISSING — write it first</automated>", "check-is-prose 1");
    }

    #[test]
    fn lines_are_checks_of_their_own_unless_they_belong_together() {
        runs("```bash\ncd a && ls\n# why\ncd b && ls\n```", &["cd a && ls", "cd b && ls"]);
        runs("cd app\nnpm test", &["set -e\ncd app\nnpm test"]);
        runs("grep -q a b &&\n  ls", &["set -e\ngrep -q a b &&\nls"]);
        let mixed = "1. `npm test` passes\n2. Log in and look\n3. Look again";
        assert_eq!(read(mixed), (vec!["npm test".to_owned()], vec!["check-is-prose 2".to_owned()]));
    }

    #[test]
    fn checks_that_prove_nothing_are_reported() {
        says("npm test 2>&1 | tail -5", "check-cannot-fail 1");
        says("cd /home/me/app && npm test", "check-leaves-tree 1");
        says("cd ~/app && npm test", "check-leaves-tree 1");
    }
}
