//! ROADMAP.md: the phases, their dependencies, and the titles of their plans.

use std::collections::BTreeMap;

use crate::plan_md::order::plan_set::{PlanNumber, phase_number};
use afresh_formats::text::markdown::{check_boxes, headings};

#[derive(Debug, Default)]
pub struct GsdRoadmap {
    pub phases: BTreeMap<Vec<u64>, RoadmapPhase>,
    pub plans: BTreeMap<PlanNumber, RoadmapPlan>,
}

#[derive(Debug, Default, PartialEq, Eq)]
pub struct RoadmapPhase {
    /// The phases that must be finished before, if it says so.
    pub needs: Option<Vec<Vec<u64>>>,
}

/// A plan in a list of check boxes.
#[derive(Debug, PartialEq, Eq)]
pub struct RoadmapPlan {
    pub title: String,
    pub ticked: bool,
}

impl GsdRoadmap {
    pub fn read(text: &str) -> Self {
        let mut roadmap = Self::default();
        for heading in headings(text) {
            let named = heading.text.strip_prefix("Phase ").and_then(phase_number);
            if let Some((number, _)) = named {
                let needs = depends_on(&text[heading.own.clone()]);
                roadmap.phases.entry(number).or_insert(RoadmapPhase { needs });
            }
        }
        for found in check_boxes(text) {
            if let Some((number, title)) = listed_plan(found.text) {
                roadmap.plans.entry(number).or_insert(RoadmapPlan { title, ticked: found.ticked });
            }
        }
        roadmap
    }
}

/// `**Depends on**: Phase 1, Phase 2.1` or `Nothing (first phase)`.
fn depends_on(text: &str) -> Option<Vec<Vec<u64>>> {
    let line = text.lines().find_map(|line| {
        let bare: String = line.chars().filter(|c| *c != '*').collect();
        let bare = bare.trim_start_matches(['-', ' ']).to_owned();
        let label = bare.get(.."depends on".len())?;
        label.eq_ignore_ascii_case("depends on").then(|| bare["depends on".len()..].to_owned())
    })?;
    let names = line
        .split('(')
        .next()
        .unwrap_or_default()
        .trim_start_matches([':', ' '])
        .to_ascii_lowercase();
    let words =
        names.split(|c: char| !c.is_ascii_digit() && c != '.').filter(|word| !word.is_empty());
    let numbers: Vec<Vec<u64>> =
        words.filter_map(|word| phase_number(word).map(|(n, _)| n)).collect();
    let nothing = ["nothing", "none", "n/a", "-", "—"].iter().any(|word| names.starts_with(word));
    (nothing || !numbers.is_empty()).then_some(numbers)
}

/// `01-02-PLAN.md — Title`, `**01-02**: Title`.
pub(crate) fn listed_plan(text: &str) -> Option<(PlanNumber, String)> {
    let bare = text.trim_start_matches(['*', '`', '[', ' ']);
    let (number, end) = PlanNumber::leading(bare)?;
    let rest = bare[end..].trim_start_matches("-PLAN").trim_start_matches(".md");
    let rest = rest.trim_start_matches(['*', '`', ']', ':', ' ']);
    Some((number, rest.trim_start_matches(['—', '–', '-', ' ']).trim().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phases_and_plans_are_read() {
        let text = "# Roadmap\n- [ ] **Phase 1: A** - x\n### Phase 1: A\n**Depends on**: Nothing (first phase)\nPlans:\n- [x] 01-01-PLAN.md — Lay the base\n- [ ] **01-02**: Build on it\n### Phase 2.1: B (INSERTED)\n**Depends on:** Phase 1, Phase 02 (see 3)\n### Phase 3: C\n**Goal**: y\n";
        let roadmap = GsdRoadmap::read(text);
        let needs = |phase: &[u64]| roadmap.phases[phase].needs.clone();
        assert_eq!(needs(&[1]), Some(vec![]));
        assert_eq!(needs(&[2, 1]), Some(vec![vec![1], vec![2]]));
        assert_eq!(needs(&[3]), None);
        let titles: Vec<_> = roadmap.plans.values().map(|p| (p.title.as_str(), p.ticked)).collect();
        assert_eq!(titles, [("Lay the base", true), ("Build on it", false)]);
    }
}
