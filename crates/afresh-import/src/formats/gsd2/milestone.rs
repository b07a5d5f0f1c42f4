//! The files of a milestone.

use afresh_formats::folder::PlanFolder;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Gsd2Milestone {
    pub(super) id: String,
    /// Empty, or ends in a slash.
    pub(super) directory: String,
    pub(super) roadmap: String,
}

/// The milestones, in order.
pub(super) fn all(folder: &dyn PlanFolder) -> Vec<Gsd2Milestone> {
    let found = |path: &String| {
        let (directory, name) = path.rsplit_once('/').map_or(("", path.as_str()), |parts| parts);
        let front = name.strip_suffix("ROADMAP.md")?.trim_end_matches('-');
        let (above, last) = directory.rsplit_once('/').map_or(("", directory), |parts| parts);
        let id = if directory.is_empty() { front } else { last };
        let placed = directory.is_empty() || matches!(above, ".gsd/milestones" | "milestones" | "");
        let directory = if directory.is_empty() { String::new() } else { format!("{directory}/") };
        (placed && is_id(id, 'M') && (front.is_empty() || front == id)).then(|| Gsd2Milestone {
            id: id.to_owned(),
            directory,
            roadmap: path.clone(),
        })
    };
    folder.paths().iter().filter_map(found).collect()
}

impl Gsd2Milestone {
    /// A milestone that is finished has a summary.
    pub(super) fn is_finished(&self, folder: &dyn PlanFolder) -> bool {
        let summary = format!("{}{}-SUMMARY.md", self.directory, self.id);
        folder.holds(&summary)
    }

    /// A file of a slice: `PLAN` or `SUMMARY`.
    pub(super) fn of_slice(
        &self,
        folder: &dyn PlanFolder,
        slice: &str,
        kind: &str,
    ) -> Option<String> {
        self.find(folder, slice, "", &[&format!("{slice}-{kind}.md"), &format!("{kind}.md")])
    }

    /// A file of a task.
    pub(super) fn of_task(
        &self,
        folder: &dyn PlanFolder,
        slice: &str,
        task: &str,
        kind: &str,
    ) -> Option<String> {
        self.find(folder, slice, "tasks/", &[&format!("{task}-{kind}.md")])
    }

    /// The directory of a slice is its id, in some versions followed by words.
    fn find(
        &self,
        folder: &dyn PlanFolder,
        slice: &str,
        below: &str,
        names: &[&str],
    ) -> Option<String> {
        let front = format!("{}slices/{slice}", self.directory);
        let inside = folder.starting_with(&front).iter();
        inside
            .filter(|path| {
                let rest = &path[front.len()..];
                let (words, file) = rest.split_once('/').unwrap_or((rest, ""));
                let own = words.is_empty() || words.starts_with('-');
                own && file.strip_prefix(below).is_some_and(|name| names.contains(&name))
            })
            .min_by_key(|path| path.len())
            .cloned()
    }
}

/// `M001`, `M001-abc`, `S01`, `T01b`.
pub(super) fn is_id(text: &str, letter: char) -> bool {
    let rest = text.strip_prefix(letter).unwrap_or_default();
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-';
    digits > 0 && rest.chars().all(plain)
}
