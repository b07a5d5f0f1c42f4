//! Resolves the names in `depends_on`.
//!
//! A name is an id; or else the `NN-PP` that it starts with; or else a bare number, which is a plan of
//! the same phase. Numbers repeat from milestone to milestone, so a plan of the same phase comes
//! first, and a name that several other plans have means all of them. Anything else is reported and
//! ignored.

use std::collections::BTreeMap;

use crate::plan_md::order::plan_set::{PlanNumber, PlanSet, phase_number};
use afresh_formats::text::yaml::values::LocatedWord;

/// The dependencies of a plan: indexes in the set, with the position of each name.
pub type PlanNeeds = Vec<(usize, std::ops::Range<usize>)>;

/// The dependencies of each plan. Unresolved names become remarks.
pub fn resolve(set: &mut PlanSet) -> Vec<PlanNeeds> {
    let names = PlanNames::from_set(set);
    let mut all = Vec::with_capacity(set.members.len());
    for member in &mut set.members {
        let mut needs: PlanNeeds = Vec::new();
        for word in &member.document.fields.depends_on {
            let Some(name) = bare(word) else { continue };
            let found = names.find(name, member.space, member.phase);
            if !found.is_empty() {
                needs.extend(found.iter().map(|other| (*other, word.at.clone())));
                continue;
            }
            let message = format!("{:?} matches no plan, so the dependency is ignored", word.text);
            let hint = "write the plan's id, as in the name of its file";
            member.document.remarks.warning("unresolved-dependency", &word.at, message, hint);
        }
        all.push(needs);
    }
    all
}

/// Plans by name.
#[derive(Default)]
struct PlanNames {
    ids: BTreeMap<String, Vec<usize>>,
    stems: BTreeMap<(usize, String), Vec<usize>>,
    stems_in_phase: BTreeMap<(usize, String), Vec<usize>>,
    numbered: BTreeMap<(usize, PlanNumber), Vec<usize>>,
    numbered_in_phase: BTreeMap<(usize, PlanNumber), Vec<usize>>,
    /// By the bare number, or the text after the number of the phase.
    short: BTreeMap<(usize, String), Vec<usize>>,
}

impl PlanNames {
    fn from_set(set: &PlanSet) -> Self {
        let mut names = Self::default();
        for (at, member) in set.members.iter().enumerate() {
            let (space, phase) = (member.space, member.phase);
            let stem = member.stem.to_ascii_lowercase();
            names.ids.entry(member.id.to_ascii_lowercase()).or_default().push(at);
            if let Some(tail) =
                phase_number(&stem).and_then(|(_, end)| stem[end..].strip_prefix('-'))
            {
                names.short.entry((phase, tail.to_owned())).or_default().push(at);
            }
            names.stems.entry((space, stem.clone())).or_default().push(at);
            names.stems_in_phase.entry((phase, stem)).or_default().push(at);
            if let Some(number) = &member.number {
                names.numbered.entry((space, number.clone())).or_default().push(at);
                names.numbered_in_phase.entry((phase, number.clone())).or_default().push(at);
                let bare = names.short.entry((phase, number.plan.to_string())).or_default();
                if !bare.contains(&at) {
                    bare.push(at);
                }
            }
        }
        names
    }

    fn find(&self, name: &str, space: usize, phase: usize) -> &[usize] {
        let lower = name.to_ascii_lowercase();
        let number = PlanNumber::leading(name).map(|(number, _)| number);
        let bare = name.parse::<u64>().map_or_else(|_| lower.clone(), |number| number.to_string());
        let found = self
            .stems_in_phase
            .get(&(phase, lower.clone()))
            .or_else(|| self.ids.get(&lower))
            .or_else(|| self.numbered_in_phase.get(&(phase, number.clone()?)))
            .or_else(|| self.stems.get(&(space, lower)))
            .or_else(|| self.numbered.get(&(space, number.clone()?)))
            .or_else(|| self.short.get(&(phase, bare)).filter(|_| number.is_none()));
        found.map(Vec::as_slice).unwrap_or_default()
    }
}

/// The name without directory, extension and remark, or `None` for words such as `none`.
fn bare(word: &LocatedWord) -> Option<&str> {
    let text = word.text.trim().trim_matches(['`', '"', '\'']);
    let name = text.split([' ', '(', ':']).next().unwrap_or_default();
    let name = name.rsplit('/').next().unwrap_or(name);
    let name = name.strip_suffix(".md").unwrap_or(name);
    let name = name.strip_suffix("-PLAN").unwrap_or(name);
    let nothing = ["", "none", "nothing", "n/a", "[]", "-", "—", "null", "~"];
    (!nothing.contains(&text.to_ascii_lowercase().as_str()) && !name.is_empty()).then_some(name)
}
