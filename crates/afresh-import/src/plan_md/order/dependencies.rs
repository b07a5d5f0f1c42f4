//! Resolves the names in `depends_on`.
//!
//! A name is an id; or else the `NN-PP` that it starts with; or else a bare number, which is a plan of
//! the same phase. Anything else is reported and ignored.

use std::collections::BTreeMap;

use crate::plan_md::order::plan_set::{PlanNumber, PlanSet};
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
            if let Some(other) = names.find(name, member.space, member.phase) {
                needs.push((other, word.at.clone()));
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

/// Plans by name. A name of several plans means none of them.
#[derive(Default)]
struct PlanNames {
    ids: BTreeMap<String, Option<usize>>,
    stems: BTreeMap<(usize, String), Option<usize>>,
    numbered: BTreeMap<(usize, PlanNumber), Option<usize>>,
    in_phase: BTreeMap<(usize, u64), Option<usize>>,
}

impl PlanNames {
    fn from_set(set: &PlanSet) -> Self {
        let mut names = Self::default();
        for (at, member) in set.members.iter().enumerate() {
            enter(&mut names.ids, member.id.to_ascii_lowercase(), at);
            enter(&mut names.stems, (member.space, member.stem.to_ascii_lowercase()), at);
            if let Some(number) = &member.number {
                enter(&mut names.numbered, (member.space, number.clone()), at);
                enter(&mut names.in_phase, (member.phase, number.plan), at);
            }
        }
        names
    }

    fn find(&self, name: &str, space: usize, phase: usize) -> Option<usize> {
        let lower = name.to_ascii_lowercase();
        if let Some(found) = self.ids.get(&lower) {
            return *found;
        }
        if let Some(found) = self.stems.get(&(space, lower)) {
            return *found;
        }
        if let Some((number, _)) = PlanNumber::leading(name) {
            return *self.numbered.get(&(space, number))?;
        }
        *self.in_phase.get(&(phase, name.parse().ok()?))?
    }
}

fn enter<K: Ord>(names: &mut BTreeMap<K, Option<usize>>, name: K, at: usize) {
    names.entry(name).and_modify(|found| *found = None).or_insert(Some(at));
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
