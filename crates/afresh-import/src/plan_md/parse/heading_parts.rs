//! The labelled parts of a task that is a heading: `**Files:**`, `**Verify:**`, and the lists below them.

use std::ops::Range;

use afresh_core::plan::{FileAction, FileDraft};

use crate::plan_md::checks::verify::{self, LocatedCommand};
use crate::plan_md::files::{self, FileMention};
use crate::plan_md::parse::item::collect_files;
use crate::plan_md::parse::remarks::PlanRemarks;
use crate::prose::paths::is_path;
use afresh_formats::text::markdown::lines::lines_from;
use afresh_formats::text::markdown::{FenceTracker, LineKind, TextLine, check_box};

/// The files and checks of a task.
#[derive(Debug, Default)]
pub(crate) struct HeadingParts {
    pub(crate) files: Vec<(FileDraft, Range<usize>)>,
    pub(crate) checks: Vec<LocatedCommand>,
}

/// What a label announces, after it and in the lines below.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PartLabel {
    Files(Option<FileAction>),
    Verify,
    Other,
}

impl HeadingParts {
    pub(crate) fn read(text: &str, body: &Range<usize>, remarks: &mut PlanRemarks) -> Self {
        let mut parts = Self::default();
        let mut fences = FenceTracker::within(text, body.clone());
        let mut label = PartLabel::Other;
        // The lines of checks that are read together.
        let mut verified: Option<Range<usize>> = None;
        for line in lines_from(&text[body.clone()], body.start) {
            let is_text = fences.kind(&line) == LineKind::Text;
            let stated = if is_text { labelled(&line, label) } else { None };
            if let Some((next, rest)) = stated {
                parts.add_checks(text, verified.take(), remarks);
                label = next;
                parts.add_line(&rest, label, remarks);
                verified = (label == PartLabel::Verify).then(|| rest.range());
            } else if is_text && !line.text.trim().is_empty() && (!is_item(&line) || is_step(&line))
            {
                // A paragraph or a step ends the lists below a label.
                parts.add_checks(text, verified.take(), remarks);
                label = PartLabel::Other;
            } else if is_text {
                parts.add_line(&line, label, remarks);
            }
            if let Some(range) = &mut verified {
                range.end = range.end.max(line.end());
            }
        }
        parts.add_checks(text, verified, remarks);
        parts
    }

    /// Adds the files of a line below a label for files.
    fn add_line(&mut self, line: &TextLine<'_>, label: PartLabel, remarks: &mut PlanRemarks) {
        let PartLabel::Files(action) = label else { return };
        let mut named = files::parse_line(line);
        for mention in &mut named {
            if let FileMention::File(file, _) = mention {
                file.action = file.action.or(action);
            }
        }
        collect_files(named, &mut self.files, remarks);
    }

    fn add_checks(&mut self, text: &str, at: Option<Range<usize>>, remarks: &mut PlanRemarks) {
        if let Some(at) = at.filter(|at| !text[at.clone()].trim().is_empty()) {
            self.checks.extend(verify::parse(text, &at, remarks).commands);
        }
    }
}

/// `**Files:** …`, `- Verify: …`, `**Files to create**: …`, `Test: tests/a.py`.
fn labelled<'a>(line: &TextLine<'a>, current: PartLabel) -> Option<(PartLabel, TextLine<'a>)> {
    let bare = line.without_bullet();
    let (label, rest) = bare.text.trim_start_matches(['*', '_']).split_once(':')?;
    let rest = bare.part(rest.trim_start_matches(['*', '_']).trim());
    let label = label.trim_matches(['*', '_', ' ']).to_ascii_lowercase();
    let marked = line.text.trim_start().starts_with("**") || line.text.trim_start() == bare.text;
    // In a list of files, `Create: a.py` is a file.
    let is_listed = matches!(current, PartLabel::Files(_)) && is_item(line);
    let mut words = label.split_whitespace();
    let first = words.next()?;
    let action = words.clone().find_map(files::action_of);
    match first {
        "files" | "file" if words.clone().count() < 4 => Some((PartLabel::Files(action), rest)),
        "verify" | "verification" if label == first => Some((PartLabel::Verify, rest)),
        "test" | "tests" if label == first && !is_listed && marked => {
            let is_file = is_path(rest.text.trim_matches('`'));
            Some((if is_file { PartLabel::Files(None) } else { PartLabel::Verify }, rest))
        }
        first if label == first && !is_listed && marked => {
            files::action_of(first).map(|action| (PartLabel::Files(Some(action)), rest))
        }
        _ if line.text.trim_start().starts_with("**") => Some((PartLabel::Other, rest)),
        // `- **Do:** …` in a list of labels; `- **src/a.ts**: …` is a file.
        _ if bare.text.starts_with("**") && !names_file(&label) => Some((PartLabel::Other, rest)),
        _ => None,
    }
}

/// Whether a label in a list of files is about one: `Create`, `Test`, or its path.
fn names_file(label: &str) -> bool {
    let first = label.split_whitespace().next().unwrap_or_default();
    is_path(label) || matches!(first, "test" | "tests" | "new") || files::action_of(first).is_some()
}

/// `- [ ] **Step 1: …**`, `- [ ] Write it`: a box that is no file.
fn is_step(line: &TextLine<'_>) -> bool {
    let is_prose = |mention: &FileMention| matches!(mention, FileMention::Prose(..));
    check_box::parse(line).is_some_and(|found| {
        let named = files::parse_line(line);
        found.text.starts_with("**") || named.is_empty() || named.iter().any(is_prose)
    })
}

fn is_item(line: &TextLine<'_>) -> bool {
    line.without_bullet().start != line.trimmed().start
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (Vec<String>, Vec<String>) {
        let mut remarks = PlanRemarks::default();
        let parts = HeadingParts::read(text, &(0..text.len()), &mut remarks);
        let file = |(file, at): &(FileDraft, Range<usize>)| {
            assert_eq!(text[at.clone()], file.path);
            let action = file.action.map(|action| format!(" {action:?}")).unwrap_or_default();
            format!("{}{action}", file.path)
        };
        let checks = parts.checks.into_iter().map(|(command, _)| command).collect();
        (parts.files.iter().map(file).collect(), checks)
    }

    /// FO-10: the ways in which tasks under headings name their files.
    #[test]
    fn files_follow_their_label() {
        for text in [
            "**Files:** Create a.gd, modify b.gd\n",
            "**Files:** Create `a.gd` and modify `b.gd`\n",
            "**Files:**\n- Create: `a.gd`\n- Modify: `b.gd:10-20`\n\nText: c.gd\n",
            "**Files:**\n\n* Create a.gd\n* Modify b.gd\n",
            "Files:\n1. a.gd (new)\n2. b.gd — modify\n\n```\nFiles: c.gd\n```\n",
            "**Create:** `a.gd`\n**Modify:** `b.gd`\n**Note:** c.gd\n",
            "**Files to create:** a.gd\n**Files to modify:**\n- b.gd\n",
            "- **Files:** Create a.gd, modify b.gd\n- **Do:** Write:\n  - the front\n  - c.gd\n",
            "**Files:**\n- **Create:** `a.gd`\n- **Modify:** `b.gd`\n\n- [ ] **Step 1: c.gd**\n",
            "**Files**: create a.gd, modify b.gd\n- [ ] Replace `x()` by `y()`\n- [ ] c.gd\n",
            "**Files:**\n- [ ] Create: a.gd\n- [x] Modify: b.gd\n",
        ] {
            assert_eq!(read(text).0, ["a.gd Create", "b.gd Modify"], "{text}");
        }
    }

    #[test]
    fn checks_follow_their_label() {
        assert_eq!(read("**Verify:** `npm test`\n").1, ["npm test"]);
        assert_eq!(read("**Verify:**\n- `npm test`\n- `npm run lint`\n").1.len(), 2);
        assert_eq!(
            read("**Verification:**\n```bash\nnpm test\n```\nThen commit.\n").1,
            ["npm test"]
        );
        let both =
            "**Files:**\n- Create: `a.py`\n- Test: `tests/a.py`\n\n**Test:** `pytest tests/a.py`\n";
        assert_eq!(
            read(both),
            (vec!["a.py Create".into(), "tests/a.py".into()], vec!["pytest tests/a.py".into()])
        );
    }
}
