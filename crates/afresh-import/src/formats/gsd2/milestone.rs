//! The files of a milestone.

use afresh_formats::folder::PlanFolder;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Gsd2Milestone {
    pub(super) id: String,
    /// Empty, or ends in a slash.
    pub(super) directory: String,
    /// Some versions write none.
    pub(super) roadmap: Option<String>,
}

/// The milestones, in order: those with a roadmap, and those that only have slices.
pub(super) fn all(folder: &dyn PlanFolder) -> Vec<Gsd2Milestone> {
    let mut found: Vec<Gsd2Milestone> = Vec::new();
    for path in folder.paths() {
        let milestone = with_roadmap(path).or_else(|| with_slices(path));
        let Some(milestone) = milestone else { continue };
        match found.iter_mut().find(|known| known.directory == milestone.directory) {
            Some(known) if known.roadmap.is_none() => known.roadmap = milestone.roadmap,
            Some(_) => {}
            None => found.push(milestone),
        }
    }
    found.sort_by(|a, b| a.id.cmp(&b.id));
    found
}

/// `M001/M001-ROADMAP.md`, `M001/ROADMAP.md`.
fn with_roadmap(path: &str) -> Option<Gsd2Milestone> {
    let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
    let front = name.strip_suffix("ROADMAP.md")?.trim_end_matches('-');
    let (above, last) = directory.rsplit_once('/').unwrap_or(("", directory));
    let id = if directory.is_empty() { front } else { last };
    let placed = directory.is_empty() || matches!(above, ".gsd/milestones" | "milestones" | "");
    let directory = if directory.is_empty() { String::new() } else { format!("{directory}/") };
    (placed && is_id(id, 'M') && (front.is_empty() || front == id)).then(|| Gsd2Milestone {
        id: id.to_owned(),
        directory,
        roadmap: Some(path.to_owned()),
    })
}

/// `.gsd/milestones/M001/slices/S01/S01-PLAN.md`.
fn with_slices(path: &str) -> Option<Gsd2Milestone> {
    let (front, rest) = path.split_once("/slices/")?;
    let (above, id) = front.rsplit_once('/')?;
    let placed = matches!(above, ".gsd/milestones" | "milestones");
    let named = is_id(id, 'M') && rest.ends_with("PLAN.md");
    (placed && named).then(|| Gsd2Milestone {
        id: id.to_owned(),
        directory: format!("{front}/"),
        roadmap: None,
    })
}

impl Gsd2Milestone {
    /// A milestone that is finished has a summary.
    pub(super) fn is_finished(&self, folder: &dyn PlanFolder) -> bool {
        let summary = format!("{}{}-SUMMARY.md", self.directory, self.id);
        folder.holds(&summary)
    }

    /// The file that findings about the whole milestone are in.
    pub(super) fn file(&self) -> &str {
        self.roadmap.as_deref().unwrap_or(".")
    }

    /// The slices by their directories, in order.
    pub(super) fn slice_ids(&self, folder: &dyn PlanFolder) -> Vec<String> {
        let front = format!("{}slices/", self.directory);
        let mut found: Vec<String> = Vec::new();
        for path in folder.starting_with(&front) {
            let name = path[front.len()..].split('/').next().unwrap_or_default();
            let digits = name.bytes().skip(1).take_while(u8::is_ascii_digit).count();
            let id = &name[..(1 + digits).min(name.len())];
            if is_id(id, 'S') && found.last().is_none_or(|last| last != id) {
                found.push(id.to_owned());
            }
        }
        found
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
