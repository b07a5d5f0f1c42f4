//! `<verify>`: commands that we run, and prose that the worker is shown.

use std::ops::Range;

use super::command;
use super::remark::Remarks;
use super::tag::{tags, trim, unescape};
use crate::markdown::lines::{Line, lines_from};
use crate::markdown::{Fences, Kind};

/// What a `<verify>` asks for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Verify {
    pub commands: Vec<(String, Range<usize>)>,
    /// For the worker's eyes.
    pub prose: Vec<String>,
}

const PARTS: [&str; 5] = ["automated", "human-check", "manual", "sampling_rate", "human"];

/// Reads what stands in a `<verify>`.
pub fn parse(text: &str, part: &Range<usize>, remarks: &mut Remarks) -> Verify {
    let mut verify = Verify::default();
    let parts = tags(text, part.clone(), &PARTS).known;
    if parts.is_empty() {
        verify.take(text, part, remarks);
    }
    for tag in parts {
        match tag.opening.name {
            "automated" => verify.take(text, &tag.inner, remarks),
            // How often to look is nothing that a check could tell.
            "sampling_rate" => {}
            _ => verify.prose.push(unescape(&text[tag.inner]).into_owned()),
        }
    }
    for (command, at) in &verify.commands {
        judge(command, at, remarks);
    }
    verify
}

impl Verify {
    fn take(&mut self, text: &str, part: &Range<usize>, remarks: &mut Remarks) {
        let part = trim(text, part.clone());
        if part.is_empty() {
            return;
        }
        let lines = worth_reading(text, &part);
        if let Some(script) = as_script(&lines) {
            self.commands.push((script, part));
            return;
        }
        let mut not_commands = None;
        for line in lines {
            let bare = unescape(line.without_bullet().text).into_owned();
            if let Some(found) = command::find(&bare) {
                self.commands.push((found, line.range()));
            } else {
                not_commands.get_or_insert(line.range());
                self.prose.push(bare);
            }
        }
        if let Some(at) = not_commands {
            let message = "this check is not a command, so it is not run".to_owned();
            let help = "write a command whose exit code tells, e.g. `npm test`; the worker is shown the text";
            remarks.warning("check-is-prose", &at, message, help);
        }
    }
}

/// The lines that say something: without blank ones, marks of code blocks and comments of a shell.
fn worth_reading<'a>(text: &'a str, part: &Range<usize>) -> Vec<Line<'a>> {
    let mut fences = Fences::default();
    let marks = |kind| matches!(kind, Kind::Opening | Kind::Closing);
    lines_from(&text[part.clone()], part.start)
        .filter(|line| !marks(fences.kind(line)))
        .map(|line| line.trimmed())
        .filter(|line| !line.text.is_empty() && !line.text.starts_with("# "))
        .collect()
}

/// The lines as one script, where one line means nothing without the others.
fn as_script(lines: &[Line]) -> Option<String> {
    let continues = |line: &Line| {
        let ends = ["\\", "|", "&&", "||", "{", "(", "do", "then", "else"];
        ends.iter().any(|end| line.text.ends_with(end)) || line.text.contains("<<")
    };
    let sets_up = |line: &Line| {
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
fn judge(command: &str, at: &Range<usize>, remarks: &mut Remarks) {
    if let Some(why) = command::cannot_fail(command) {
        let message = format!("this check always passes: {why}");
        let help = "leave that part out; output is kept and bounded anyway";
        remarks.warning("check-cannot-fail", at, message, help);
    }
    if command::leaves_the_tree(command) {
        let message = "this check goes to a directory outside the worker's clone".to_owned();
        let help = "checks start in the root of a clone: leave the `cd` out";
        remarks.warning("check-leaves-tree", at, message, help);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Source;

    fn read(text: &str) -> (Vec<String>, Vec<String>, Vec<String>) {
        let mut remarks = Remarks::default();
        let verify = parse(text, &(0..text.len()), &mut remarks);
        let said = remarks.render(&Source::new("PLAN.md", text));
        let said = said.into_iter().map(|found| format!("{} {}", found.code, found.line));
        (verify.commands.into_iter().map(|(c, _)| c).collect(), verify.prose, said.collect())
    }

    #[test]
    fn one_line_is_a_command_or_prose() {
        assert_eq!(read("npm test && npm run lint").0, ["npm test && npm run lint"]);
        assert_eq!(read(" All tests pass ").1, ["All tests pass"]);
        assert_eq!(read(" All tests pass ").2, ["check-is-prose 1"]);
        assert_eq!(read(" \n "), (vec![], vec![], vec![]));
        assert_eq!(read("a &amp;&amp; b").0, ["a && b"]);
    }

    #[test]
    fn parts_are_told_apart() {
        let text = "<automated>npm test</automated>\n<human-check><test>Click</test></human-check>\n<sampling_rate>1</sampling_rate>";
        assert_eq!(
            read(text),
            (vec!["npm test".to_owned()], vec!["<test>Click</test>".to_owned()], vec![])
        );
        assert_eq!(read("<automated>MISSING — write it first</automated>").2, ["check-is-prose 1"]);
    }

    #[test]
    fn lines_are_checks_of_their_own_unless_they_belong_together() {
        assert_eq!(
            read("```bash\ncd a && ls\n# why\ncd b && ls\n```").0,
            ["cd a && ls", "cd b && ls"]
        );
        assert_eq!(read("cd app\nnpm test").0, ["set -e\ncd app\nnpm test"]);
        assert_eq!(read("grep -q a b &&\n  ls").0, ["set -e\ngrep -q a b &&\nls"]);
        let (commands, prose, said) =
            read("1. `npm test` passes\n2. Log in and look\n3. Look again");
        assert_eq!(commands, ["npm test"]);
        assert_eq!(prose, ["Log in and look", "Look again"]);
        assert_eq!(said, ["check-is-prose 2"]);
    }

    #[test]
    fn checks_that_prove_nothing_are_reported() {
        assert_eq!(read("npm test 2>&1 | tail -5").2, ["check-cannot-fail 1"]);
        assert_eq!(read("cd /home/me/app && npm test").2, ["check-leaves-tree 1"]);
        assert_eq!(read("cd ~/app && npm test").2, ["check-leaves-tree 1"]);
    }
}
