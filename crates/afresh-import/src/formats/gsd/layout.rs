//! The paths of plans, and what they mean.
//!
//! `phases/02-api/02-01-PLAN.md` today; `02-01-auth-PLAN.md`, `plans/PLAN-01.md`, `02-PLAN-01.md`
//! and a bare `PLAN.md` in older projects; `ABC-02-api/` with a project's code; archived milestones
//! (`milestones/v1.0-phases/…`, `milestones/v2-abandoned/phases/…`, `archive/…`) and quick plans
//! (`quick/007-fix/…`) beside them. Numbers are unique only within a directory: GSD starts at 01
//! again with every milestone.

use std::collections::BTreeMap;

use crate::plan_md::order::plan_set::{PlanNumber, phase_number};

/// The longest id, which leaves room for suffixes.
const MAX_ID_CHARS: usize = 48;
/// The most characters of a directory in an id.
const MAX_PHASE_CHARS: usize = 24;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GsdPlanPath {
    pub path: String,
    /// The directory of `phases/` and ROADMAP.md. Ends in `/`, or is empty.
    pub root: String,
    pub area: PlanningArea,
    /// The directory of its phase.
    pub phase: String,
    /// Its name without `-PLAN.md`, or the name of its directory for a bare PLAN.md.
    pub stem: String,
    pub number: Option<PlanNumber>,
}

/// Identifies and orders phases.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct PhaseKey {
    pub root: String,
    pub area: PlanningArea,
    pub number: Vec<u64>,
    pub name: String,
}

/// A directory below `.planning`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum PlanningArea {
    /// An archived milestone, by name.
    Milestone(String),
    Phases,
    Quick,
}

/// The plans among these paths, in the order in which they run.
pub fn plans(paths: &[String]) -> Vec<GsdPlanPath> {
    let mut plans: Vec<GsdPlanPath> =
        paths.iter().filter_map(|path| GsdPlanPath::parse(path)).collect();
    plans.sort_by_cached_key(|plan| (plan.phase_key(), plan.number.clone(), plan.path.clone()));
    plans
}

impl GsdPlanPath {
    fn parse(path: &str) -> Option<Self> {
        let mut parts: Vec<&str> = path.split('/').collect();
        let (prefix, suffix) = plan_name(parts.pop()?)?;
        let foreign = [".long-run", ".gsd", "slices", "node_modules", ".git"];
        if parts.iter().any(|part| foreign.contains(part)) {
            return None;
        }
        let (area, at) = area(&parts)?;
        let phase = parts.get(at).copied().unwrap_or_default();
        let root_end = parts.iter().take(area_start(&parts, at)).map(|part| part.len() + 1).sum();
        let phase_of_dir = phase_number(without_code(phase)).map(|(number, _)| number);
        let own = without_code(prefix);
        let number = match (PlanNumber::leading(own), suffix, &phase_of_dir) {
            (Some((number, _)), ..) => Some(number),
            (None, Some(plan), _) if phase_number(own).is_some() => {
                Some(PlanNumber { phase: phase_number(own)?.0, plan })
            }
            (None, Some(plan), phase) => {
                Some(PlanNumber { phase: phase.clone().unwrap_or_default(), plan })
            }
            _ => None,
        };
        // A file that is only called PLAN.md may belong to another tool.
        if !parts.iter().any(|part| *part == "phases" || *part == ".planning")
            && area == PlanningArea::Phases
            && number.is_none()
        {
            return None;
        }
        let stem = if prefix.is_empty() && suffix.is_none() { phase } else { prefix };
        Some(Self {
            path: path.to_owned(),
            root: path[..root_end].to_owned(),
            area,
            phase: phase.to_owned(),
            stem: stem.to_owned(),
            number,
        })
    }

    /// Root, area, number and directory, which order the phases.
    pub fn phase_key(&self) -> PhaseKey {
        let own = phase_number(without_code(&self.phase)).map(|(number, _)| number);
        let number = own.or_else(|| self.number.as_ref().map(|number| number.phase.clone()));
        let last = vec![u64::MAX];
        PhaseKey {
            root: self.root.clone(),
            area: self.area.clone(),
            number: number.unwrap_or(last),
            name: self.phase.clone(),
        }
    }

    /// The possible paths of its summary.
    pub fn summaries(&self) -> Vec<String> {
        let (directory, name) = self.path.rsplit_once('/').unwrap_or(("", &self.path));
        let slash = if directory.is_empty() { "" } else { "/" };
        let beside = |name: String| format!("{directory}{slash}{name}");
        let mut all = vec![beside(name.replace("PLAN", "SUMMARY"))];
        if let Some((_, end)) = PlanNumber::leading(&self.stem) {
            all.push(beside(format!("{}-SUMMARY.md", &self.stem[..end])));
        }
        if let Some(above) = directory.strip_suffix("plans") {
            all.push(format!("{above}summaries/{}", name.replace("PLAN", "SUMMARY")));
        }
        all
    }
}

/// The name before `-PLAN` and the number after it, if the file is a plan.
fn plan_name(name: &str) -> Option<(&str, Option<u64>)> {
    let stem = name.strip_suffix(".md")?;
    if is_about_a_plan(stem) {
        return None;
    }
    if stem == "PLAN" {
        return Some(("", None));
    }
    if let Some(prefix) = stem.strip_suffix("-PLAN") {
        return Some((prefix, None));
    }
    let (prefix, rest) = match stem.strip_prefix("PLAN-") {
        Some(rest) => ("", rest),
        None => stem.split_once("-PLAN-")?,
    };
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    Some((prefix, Some(rest[..digits].parse().ok()?)))
}

/// Whether a file is about a plan: its outline, review or summary, or an older version.
fn is_about_a_plan(stem: &str) -> bool {
    let ends = ["-OUTLINE", "-SUMMARY", "-REVIEW", ".pre-bounce", "-CHECK"];
    stem == "SUMMARY" || ends.iter().any(|end| stem.ends_with(end))
}

/// Files in phases whose names say that they are plans, in a spelling that GSD does not read.
pub fn unread_plans(paths: &[String]) -> Vec<&String> {
    let is_unread = |path: &&String| {
        let parts: Vec<&str> = path.split('/').collect();
        let Some((name, directory)) = parts.split_last() else { return false };
        let Some(stem) = name.strip_suffix(".md") else { return false };
        let words = stem.split(|c: char| !c.is_ascii_alphanumeric());
        let named = words.into_iter().any(|word| word.eq_ignore_ascii_case("plan"));
        let in_phase = directory.contains(&"phases")
            && matches!(area(directory), Some((PlanningArea::Phases, at)) if at < directory.len());
        named && in_phase && !is_about_a_plan(stem) && GsdPlanPath::parse(path).is_none()
    };
    paths.iter().filter(is_unread).collect()
}

/// Directories of work that was put away.
const ARCHIVES: &[&str] = &["archive", "archived", "_archive", ".archive", "abandoned"];

/// The area of a directory, and the index of the phase in its components.
fn area(parts: &[&str]) -> Option<(PlanningArea, usize)> {
    let milestone = |name: &str| PlanningArea::Milestone(name.to_owned());
    let inside = parts.iter().rposition(|part| *part == ".planning").map_or(0, |at| at + 1);
    for (at, part) in parts.iter().enumerate() {
        let archived = part.strip_suffix("-phases").filter(|name| name.starts_with('v'));
        let next = parts.get(at + 1).copied();
        match (*part, archived) {
            ("milestones", _) if at >= inside && next.is_some() => {
                let name = next.unwrap_or_default();
                let name = name.strip_suffix("-phases").unwrap_or(name);
                let nested = usize::from(parts.get(at + 2) == Some(&"phases"));
                return Some((milestone(name), at + 2 + nested));
            }
            (archive, _) if at >= inside && inside > 0 && ARCHIVES.contains(&archive) => {
                let nested = usize::from(next == Some("phases"));
                return Some((milestone(archive), at + 1 + nested));
            }
            ("phases", _) if next.is_some_and(|next| ARCHIVES.contains(&next)) => {}
            ("phases", _) => return Some((PlanningArea::Phases, at + 1)),
            ("quick", _) => return Some((PlanningArea::Quick, at + 1)),
            (_, Some(name)) => return Some((milestone(name), at + 1)),
            _ => {}
        }
    }
    // The folder may be a phase, or contain phases.
    let is_phase = |part: &str| phase_number(without_code(part)).is_some();
    match parts {
        [] | ["plans"] => Some((PlanningArea::Phases, 0)),
        [phase] | [phase, "plans"] if is_phase(phase) => Some((PlanningArea::Phases, 0)),
        [.., ".planning"] => Some((PlanningArea::Phases, parts.len())),
        _ => None,
    }
}

/// The number of components before `phases/`, `quick/`, `milestones/` or an archive.
fn area_start(parts: &[&str], phase: usize) -> usize {
    if let Some(at) = parts.iter().rposition(|part| *part == ".planning") {
        return at + 1;
    }
    let area = phase.saturating_sub(1).min(parts.len());
    let above = parts[..area].iter().position(|part| *part == "milestones" || *part == "phases");
    above.unwrap_or(area)
}

/// The name without a project code: `ABC-02-api` is `02-api`.
fn without_code(name: &str) -> &str {
    match name.split_once('-') {
        Some((code, rest))
            if code.starts_with(|c: char| c.is_ascii_uppercase())
                && code.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit())
                && rest.starts_with(|c: char| c.is_ascii_digit()) =>
        {
            rest
        }
        _ => name,
    }
}

/// A way to name a plan.
type PlanNaming = fn(&GsdPlanPath) -> String;

/// The ids of the plans' tasks: `NN-PP` if that is unique, else the file's name, else its directory
/// and its name.
pub fn ids(plans: &[GsdPlanPath]) -> Vec<String> {
    let count = |name: PlanNaming| {
        let mut counted: BTreeMap<String, usize> = BTreeMap::new();
        for plan in plans {
            *counted.entry(name(plan).to_ascii_lowercase()).or_default() += 1;
        }
        counted
    };
    let ways: [PlanNaming; 4] = [short_id, long_id, id_by_phase, id_by_root];
    let counted = ways.map(count);
    let id = |plan: &GsdPlanPath| {
        let unique = |(way, counted): (&PlanNaming, &BTreeMap<String, usize>)| {
            let id = way(plan);
            (counted.get(&id.to_ascii_lowercase()) == Some(&1)).then_some(id)
        };
        ways.iter().zip(&counted).find_map(unique).unwrap_or_else(|| id_by_root(plan))
    };
    plans.iter().map(id).collect()
}

/// `01-new.01-01`
fn id_by_phase(plan: &GsdPlanPath) -> String {
    let phase: String = plan.phase.chars().take(MAX_PHASE_CHARS).collect();
    let own = short_id(&GsdPlanPath { area: PlanningArea::Phases, ..plan.clone() });
    with_area(plan, &format!("{phase}.{own}"))
}

/// `apps-shop-01-new.01-01`
fn id_by_root(plan: &GsdPlanPath) -> String {
    let root = plan.root.trim_end_matches('/').trim_end_matches(".planning").trim_end_matches('/');
    let root: String = root.chars().take(MAX_PHASE_CHARS).collect();
    let plain = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '-' };
    let root: String = root.chars().map(plain).collect();
    let own = id_by_phase(plan);
    let id = if root.is_empty() { own } else { format!("{}-{own}", root.trim_matches(['-', '.'])) };
    id.chars().take(MAX_ID_CHARS).collect()
}

fn short_id(plan: &GsdPlanPath) -> String {
    match PlanNumber::leading(without_code(&plan.stem)) {
        Some((_, end)) => with_area(plan, &without_code(&plan.stem)[..end]),
        None => match (&plan.number, phase_number(without_code(&plan.phase))) {
            (Some(number), Some((_, end))) => with_area(
                plan,
                &format!("{}-{:02}", &without_code(&plan.phase)[..end], number.plan),
            ),
            (Some(number), None) if plan.stem.is_empty() => {
                with_area(plan, &format!("{:02}", number.plan))
            }
            _ => long_id(plan),
        },
    }
}

fn long_id(plan: &GsdPlanPath) -> String {
    with_area(plan, if plan.stem.is_empty() { "plan" } else { &plan.stem })
}

/// The name with a prefix for its area, and without characters that ids may not have.
fn with_area(plan: &GsdPlanPath, name: &str) -> String {
    let name = match &plan.area {
        PlanningArea::Milestone(milestone) => format!("{milestone}-{name}"),
        PlanningArea::Phases => name.to_owned(),
        PlanningArea::Quick => format!("quick-{name}"),
    };
    let plain = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '-' };
    let plain: String = name.chars().map(plain).take(MAX_ID_CHARS).collect();
    plain.trim_matches(['-', '.']).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(path: &str) -> Option<(String, Option<PlanNumber>, String)> {
        let plan = GsdPlanPath::parse(path)?;
        let id = ids(std::slice::from_ref(&plan)).pop()?;
        Some((id, plan.number, plan.root))
    }

    fn id(path: &str) -> Option<String> {
        read(path).map(|(id, ..)| id)
    }

    /// FO-02: current and older layouts.
    #[test]
    fn plans_are_found_in_every_layout() {
        let is =
            |path: &str, expected: &str| assert_eq!(id(path).as_deref(), Some(expected), "{path}");
        is(".planning/phases/01-setup/01-02-PLAN.md", "01-02");
        is(".planning/phases/02.1-fix/02.1-01-PLAN.md", "02.1-01");
        is(".planning/phases/01-setup/01-02-auth-flow-PLAN.md", "01-02");
        is(".planning/phases/ABC-03-api/ABC-03-01-PLAN.md", "03-01");
        is(".planning/phases/03-api/plans/PLAN-01.md", "03-01");
        is(".planning/phases/03-api/PLAN-02-routes.md", "03-02");
        is(".planning/phases/03-api/03-PLAN-02.md", "03-02");
        is(".planning/phases/03-api/PLAN.md", "03-api");
        is(".planning/milestones/v1.0-phases/01-setup/01-01-PLAN.md", "v1.0-01-01");
        is(".planning/quick/007-fix-login/007-PLAN.md", "quick-007");
        is(".planning/quick/007-fix-login/PLAN.md", "quick-007-fix-login");
        is("phases/01-setup/01-02-PLAN.md", "01-02");
        is("01-setup/01-02-PLAN.md", "01-02");
        is("01-02-PLAN.md", "01-02");
        is("plans/PLAN-01.md", "01");
        is("app/.planning/phases/01-a b/01-01-ü-PLAN.md", "01-01");
        is(".planning/PLAN.md", "plan");
    }

    /// FO-11: archived and abandoned milestones are told apart from the current phases.
    #[test]
    fn archived_milestones_are_recognised_in_every_layout() {
        let archived = |path: &str, name: &str| {
            let plan = GsdPlanPath::parse(path).expect(path);
            assert_eq!(plan.area, PlanningArea::Milestone(name.to_owned()), "{path}");
            assert_eq!((plan.phase.as_str(), plan.root.as_str()), ("01-x", ".planning/"), "{path}");
        };
        archived(".planning/milestones/v1.0-phases/01-x/01-01-PLAN.md", "v1.0");
        archived(".planning/milestones/v7.0-abandoned/phases/01-x/01-01-PLAN.md", "v7.0-abandoned");
        archived(".planning/milestones/v2/01-x/01-01-PLAN.md", "v2");
        archived(".planning/archive/01-x/01-01-PLAN.md", "archive");
        archived(".planning/archive/phases/01-x/01-01-PLAN.md", "archive");
        archived(".planning/phases/archive/01-x/01-01-PLAN.md", "archive");
    }

    /// FO-11: two phases with one number.
    #[test]
    fn equal_numbers_are_told_apart_by_their_directories() {
        let paths = [
            ".planning/phases/01-old/01-01-PLAN.md",
            ".planning/phases/01-new/01-01-PLAN.md",
            ".planning/phases/10-subs/10.10-01-PLAN.md",
            ".planning/phases/10.10-x/10.10-01-PLAN.md",
            ".planning/phases/02-a/02-01-PLAN.md",
        ];
        let plans: Vec<GsdPlanPath> =
            paths.iter().filter_map(|path| GsdPlanPath::parse(path)).collect();
        assert_eq!(
            ids(&plans),
            ["01-old.01-01", "01-new.01-01", "10-subs.10.10-01", "10.10-x.10.10-01", "02-01"]
        );
    }

    #[test]
    fn other_files_are_not_plans() {
        for path in [
            ".planning/phases/01-a/01-01-SUMMARY.md",
            ".planning/phases/01-a/01-01-PLAN-REVIEW.md",
            ".planning/phases/01-a/01-PLAN-OUTLINE.md",
            ".planning/phases/01-a/01-01-PLAN.pre-bounce.md",
            ".planning/phases/01-a/01-PLAN-CHECK.md",
            ".planning/phases/01-a/01-RESEARCH.md",
            ".planning/phases/01-a/PLANNING.md",
            ".long-run/plans/01-PLAN.md",
            ".gsd/milestones/M001/slices/S01/S01-PLAN.md",
            "docs/PLAN.md",
            "PLAN.md",
            "plans/01-PLAN.md",
            "docs/a/b/01-01-PLAN.md",
        ] {
            assert_eq!(id(path), None, "{path}");
        }
    }

    /// FO-11: a review is a subject, too; a name that nothing reads is found.
    #[test]
    fn names_that_resemble_a_plan_are_read_or_reported() {
        assert_eq!(id(".planning/phases/06-a/06-02-CODE-REVIEW-PLAN.md").as_deref(), Some("06-02"));
        let paths: Vec<String> = [
            "01-01-plan.md",
            "01-02-PLAN.md",
            "01-02-SUMMARY.md",
            "01-PLAN-OUTLINE.md",
            "PLAN-auth.md",
            "PLAN_03.md",
            "PLANNING.md",
        ]
        .iter()
        .map(|name| format!(".planning/phases/01-a/{name}"))
        .collect();
        let unread: Vec<&str> = unread_plans(&paths)
            .iter()
            .map(|path| path.rsplit('/').next().unwrap_or(path))
            .collect();
        assert_eq!(unread, ["01-01-plan.md", "PLAN-auth.md", "PLAN_03.md"]);
    }

    #[test]
    fn the_roadmap_is_next_to_the_phases() {
        let root = |path: &str| read(path).map(|(.., root)| root);
        assert_eq!(root(".planning/phases/01-a/01-01-PLAN.md").as_deref(), Some(".planning/"));
        assert_eq!(
            root(".planning/milestones/v1-phases/01-a/01-01-PLAN.md").as_deref(),
            Some(".planning/")
        );
        assert_eq!(root("phases/01-a/01-01-PLAN.md").as_deref(), Some(""));
        assert_eq!(root("01-01-PLAN.md").as_deref(), Some(""));
    }
}
