//! `<verify>`: the commands in it. Prose is only shown to the worker.

use std::ops::Range;

use crate::plan_md::checks::{command, fails_when};
use crate::plan_md::parse::item::dedented;
use crate::plan_md::parse::remarks::PlanRemarks;
use crate::plan_md::parse::tags::{tags, trim, unescape};
use afresh_core::plan::shell::shell_tokens;
use afresh_formats::text::limits::MAX_LISTED;
use afresh_formats::text::markdown::lines::{TextLine, lines_from};
use afresh_formats::text::markdown::{FenceTracker, LineKind};

/// A command and its position.
pub type LocatedCommand = (String, Range<usize>);

/// The contents of a `<verify>`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct VerifyBlock {
    pub commands: Vec<LocatedCommand>,
    /// Text that is not a command and therefore not run.
    pub prose: Vec<String>,
}

/// Parts of a `<verify>`. Only `automated` contains commands.
const PARTS: [&str; 6] =
    ["automated", "fails_when", "human-check", "manual", "sampling_rate", "human"];

/// Reads a `<verify>`.
pub fn parse(text: &str, part: &Range<usize>, remarks: &mut PlanRemarks) -> VerifyBlock {
    let mut verify = VerifyBlock::default();
    let parts = tags(text, part.clone(), &PARTS).known;
    if parts.is_empty() {
        verify.add_commands(text, part, remarks);
    }
    // `<fails_when>` is about the nearest `<automated>` before it, and the first one counts.
    let mut commands = 0..0;
    for tag in &parts {
        match tag.opening.name {
            "automated" => {
                commands.start = verify.commands.len();
                verify.add_commands(text, &tag.inner, remarks);
                commands.end = verify.commands.len();
            }
            "fails_when" => {
                let about = std::mem::take(&mut commands);
                fails_when::apply(text, tag, &mut verify.commands[about], remarks);
            }
            _ => {}
        }
    }
    for (command, at) in &verify.commands {
        warn_about_command(command, at, remarks);
    }
    verify
}

impl VerifyBlock {
    fn add_commands(&mut self, text: &str, part: &Range<usize>, remarks: &mut PlanRemarks) {
        let part = trim(text, part.clone());
        let lines = check_lines(text, &part);
        if lines.len() > MAX_LISTED {
            let message = format!("more than {MAX_LISTED} lines of checks");
            remarks.error("too-large", &lines[0].range(), message, "move them to a script");
            return;
        }
        if let Some(script) = as_script(&lines).or_else(|| quoted_script(text, &part, &lines)) {
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
            let hint = "write a command such as `npm test`; the worker only reads the text";
            remarks.warning("check-is-prose", &at, message, hint);
        }
    }
}

/// The lines without blank lines, fences and shell comments.
fn check_lines<'a>(text: &'a str, part: &Range<usize>) -> Vec<TextLine<'a>> {
    let mut fences = FenceTracker::default();
    let marks = |kind| matches!(kind, LineKind::Opening | LineKind::Closing);
    lines_from(&text[part.clone()], part.start)
        .filter(|line| !marks(fences.kind(line)))
        .map(|line| line.trimmed())
        .filter(|line| !line.text.is_empty() && !line.text.starts_with("# "))
        .collect()
}

/// The lines as one script, if a line depends on another.
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
    // Without `set -e`, only the last line would decide about the exit code.
    command::find(&unescape(&script)).map(|script| format!("set -e\n{script}"))
}

/// The lines as one script, if quotes or a here-document extend over several of them: `python -c "`.
fn quoted_script(text: &str, part: &Range<usize>, lines: &[TextLine]) -> Option<String> {
    let is_open = |line: &TextLine| shell_tokens(&unescape(line.text)).is_none();
    if lines.len() < 2 || !lines.iter().any(is_open) {
        return None;
    }
    // The indentation inside the quotes matters.
    let mut fences = FenceTracker::default();
    let marks = |kind| matches!(kind, LineKind::Opening | LineKind::Closing);
    let whole: Vec<&str> = lines_from(&text[part.clone()], part.start)
        .filter(|line| !marks(fences.kind(line)))
        .map(|line| line.text)
        .collect();
    let script = dedented(&whole.join("\n"));
    command::find(&unescape(&script)).map(|script| format!("set -e\n{script}"))
}

/// Warns about a command that proves nothing.
fn warn_about_command(command: &str, at: &Range<usize>, remarks: &mut PlanRemarks) {
    if let Some(why) = command::cannot_fail(command) {
        let message = format!("this check always passes: {why}");
        let hint = "remove that part; afresh limits and keeps the output anyway";
        remarks.warning("check-cannot-fail", at, message, hint);
    }
    if command::counts_matches(command) {
        let message =
            "the exit code of this check is 1 if the count is 0, and 0 otherwise".to_owned();
        let hint = "compare the number: `test \"$(grep -c …)\" -eq 0`; or write `! grep -q …`";
        remarks.warning("check-counts", at, message, hint);
    }
    if command::leaves_the_tree(command) {
        let message =
            "this check uses a directory or machine outside of the worker's clone".to_owned();
        let hint = "checks start in the root of the clone: use paths relative to it";
        remarks.warning("check-leaves-tree", at, message, hint);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use afresh_formats::findings::SourceText;

    /// The commands and the findings.
    fn read(text: &str) -> (Vec<String>, Vec<String>) {
        let mut remarks = PlanRemarks::default();
        let commands = parse(text, &(0..text.len()), &mut remarks).commands;
        let findings = remarks.render(&SourceText::new("PLAN.md", text));
        let findings = findings.into_iter().map(|found| format!("{} {}", found.code, found.line));
        (commands.into_iter().map(|(command, _)| command).collect(), findings.collect())
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
    fn warns(text: &str, code: &str) {
        assert_eq!(read(text).1, [code], "{text}");
    }

    #[test]
    fn one_line_is_a_command_or_prose() {
        runs("npm test && npm run lint", &["npm test && npm run lint"]);
        runs("a &amp;&amp; b", &["a && b"]);
        runs(" \n ", &[]);
        warns(" All tests pass ", "check-is-prose 1");
    }

    #[test]
    fn only_automated_parts_are_commands() {
        let text = "<automated>npm test</automated>\n<human-check><test>Click</test></human-check>\n<sampling_rate>1</sampling_rate>";
        runs(text, &["npm test"]);
        warns("<automated>MISSING — write it first</automated>", "check-is-prose 1");
    }

    #[test]
    fn lines_are_separate_checks_unless_they_depend_on_each_other() {
        runs("```bash\ncd a && ls\n# why\ncd b && ls\n```", &["cd a && ls", "cd b && ls"]);
        runs("cd app\nnpm test", &["set -e\ncd app\nnpm test"]);
        runs("grep -q a b &&\n  ls", &["set -e\ngrep -q a b &&\nls"]);
        let mixed = "1. `npm test` passes\n2. Log in and look\n3. Look again";
        assert_eq!(read(mixed), (vec!["npm test".to_owned()], vec!["check-is-prose 2".to_owned()]));
    }

    /// FO-11: a program in quotes extends over several lines.
    #[test]
    fn quotes_over_several_lines_are_one_script() {
        let python = "python -c \"\nimport a\nfor x in a.all:\n    assert x\n\"";
        runs(python, &[&format!("set -e\n{python}")]);
        runs(&format!("npm test\n{python}"), &[&format!("set -e\nnpm test\n{python}")]);
        let prose = "It doesn't crash\nand it won't hang";
        assert_eq!(read(prose), (vec![], vec!["check-is-prose 1".to_owned()]));
    }

    /// FO-02: newer plans of GSD say which output means failure.
    #[test]
    fn fails_when_belongs_to_the_command_before_it() {
        let text = "<automated>cargo test rm_</automated>\n<fails_when>non-zero exit, or \"0 passed\" in output</fails_when>\n<manual>look</manual>\n<automated>npm test</automated><fails_when>TBD</fails_when>";
        let (commands, findings) = read(text);
        assert!(
            commands[0].contains("cargo test rm_")
                && commands[0].contains("grep -qwF -e '0 passed'")
        );
        assert_eq!((commands.len(), commands[1].as_str()), (2, "npm test"));
        assert_eq!(findings, ["fails-when 2", "fails-when 4"]);
        let prose = "<automated>npm test</automated>\n<fails_when>a < b, or a snapshot changed</fails_when>";
        assert_eq!(read(prose), (vec!["npm test".to_owned()], vec!["fails-when 2".to_owned()]));
        runs(
            "<automated>npm test</automated><fails_when>non-zero exit</fails_when>",
            &["npm test"],
        );
        let inverted =
            "<automated>npm test</automated><fails_when>the new test passes</fails_when>";
        warns(inverted, "fails-when 1");
    }

    #[test]
    fn checks_that_prove_nothing_are_reported() {
        warns("npm test 2>&1 | tail -5", "check-cannot-fail 1");
        warns("cd /home/me/app && npm test", "check-leaves-tree 1");
        warns("cd ~/app && npm test", "check-leaves-tree 1");
    }
}
