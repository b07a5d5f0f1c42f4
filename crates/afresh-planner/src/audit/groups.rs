//! Groups that fit a worker, made by rule (AU-04): types and interfaces first, independent parts apart, wiring last.
//!
//! Parts that write the same file are in one group, or ordered where one group cannot hold them.

use std::collections::{BTreeMap, BTreeSet};

use afresh_core::estimate::ContextEstimate;
use serde::Serialize;

use super::AuditedSizes;
use super::units::{AuditUnit, UnitRole};
use crate::spec::files::SpecFile;

/// The most parts of one group.
const MAX_TASKS: usize = 3;

/// What one worker would do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UnitGroup {
    pub id: String,
    pub tasks: Vec<String>,
    pub needs: Vec<String>,
    /// The share of the window, in per cent.
    pub percent: u64,
    #[serde(skip)]
    pub statements: Vec<String>,
    #[serde(skip)]
    pub files: Vec<String>,
}

/// Groups, and what fits in none.
#[derive(Debug, Clone, Default)]
pub(super) struct GroupDivision {
    pub(super) groups: Vec<UnitGroup>,
    pub(super) too_large: Vec<String>,
}

impl GroupDivision {
    pub(super) fn written(groups: Vec<UnitGroup>) -> Self {
        Self { groups, too_large: Vec::new() }
    }
}

/// What a group of parts costs its worker.
pub(super) struct GroupEstimator<'a> {
    pub(super) spec_tokens: u64,
    pub(super) window: u64,
    pub(super) files: &'a [SpecFile],
    pub(super) sizes: &'a AuditedSizes<'a>,
}

impl GroupEstimator<'_> {
    pub(super) fn tokens(&self, units: &[&AuditUnit]) -> u64 {
        let files: BTreeSet<usize> =
            units.iter().flat_map(|unit| unit.files.iter().copied()).collect();
        let files = files.into_iter().map(|at| self.sizes.tokens(&self.files[at]));
        let files = files.fold(0, u64::saturating_add);
        let statements: usize = units.iter().map(|unit| unit.statements.len()).sum();
        ContextEstimate::work_tokens(self.spec_tokens, statements).saturating_add(files)
    }

    fn percent(&self, units: &[&AuditUnit]) -> u64 {
        ContextEstimate { tokens: self.tokens(units), window: self.window }.percent()
    }
}

/// Divides the work into groups of at most three parts and `soft` tokens.
pub(super) fn divide(
    units: &[AuditUnit],
    estimator: &GroupEstimator<'_>,
    soft: u64,
) -> GroupDivision {
    let mut division = GroupDivision::default();
    let mut packed: Vec<(UnitRole, Vec<usize>)> = Vec::new();
    for role in [UnitRole::Foundation, UnitRole::Part, UnitRole::Wiring] {
        let own: Vec<usize> = (0..units.len()).filter(|at| units[*at].role == role).collect();
        for bunch in pack(units, &own, estimator, soft) {
            packed.push((role, bunch));
        }
    }
    for (_, bunch) in &packed {
        let chosen: Vec<&AuditUnit> = bunch.iter().map(|at| &units[*at]).collect();
        let tokens = estimator.tokens(&chosen);
        if tokens > soft {
            let title = chosen.first().map_or("", |unit| unit.title.as_str());
            division.too_large.push(format!(
                "\"{title}\" alone takes about {tokens} tokens; a group may take {soft}"
            ));
        }
    }
    let ids: Vec<String> = (1..=packed.len()).map(|number| format!("G{number}")).collect();
    let mut writers: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (at, (role, bunch)) in packed.iter().enumerate() {
        let needs = needs(units, &packed, at, *role, bunch, &mut writers);
        let chosen: Vec<&AuditUnit> = bunch.iter().map(|at| &units[*at]).collect();
        let files: BTreeSet<usize> =
            chosen.iter().flat_map(|unit| unit.files.iter().copied()).collect();
        division.groups.push(UnitGroup {
            id: ids[at].clone(),
            tasks: chosen.iter().map(|unit| unit.title.clone()).collect(),
            needs: needs.into_iter().map(|need| ids[need].clone()).collect(),
            percent: estimator.percent(&chosen),
            statements: chosen.iter().flat_map(|unit| unit.statements.clone()).collect(),
            files: files.into_iter().map(|at| estimator.files[at].path.clone()).collect(),
        });
    }
    division
}

/// The groups before this one that it waits for.
fn needs(
    units: &[AuditUnit],
    packed: &[(UnitRole, Vec<usize>)],
    at: usize,
    role: UnitRole,
    bunch: &[usize],
    writers: &mut BTreeMap<usize, Vec<usize>>,
) -> BTreeSet<usize> {
    let before = packed.iter().enumerate().take(at);
    let mut needs: BTreeSet<usize> = match role {
        UnitRole::Foundation => BTreeSet::new(),
        UnitRole::Part => before
            .filter(|(_, (role, _))| *role == UnitRole::Foundation)
            .map(|(at, _)| at)
            .collect(),
        UnitRole::Wiring => {
            before.filter(|(_, (role, _))| *role != UnitRole::Wiring).map(|(at, _)| at).collect()
        }
    };
    for file in bunch.iter().flat_map(|unit| units[*unit].files.iter().copied()) {
        let earlier = writers.entry(file).or_default();
        needs.extend(earlier.iter().copied().filter(|earlier| *earlier != at));
        earlier.push(at);
    }
    needs
}

/// Bunches of parts: those that write the same file together, then neighbours of a section, as many as fit.
fn pack(
    units: &[AuditUnit],
    own: &[usize],
    estimator: &GroupEstimator<'_>,
    soft: u64,
) -> Vec<Vec<usize>> {
    let mut bunches: Vec<Vec<usize>> = Vec::new();
    let fits = |bunch: &[usize]| {
        let chosen: Vec<&AuditUnit> = bunch.iter().map(|at| &units[*at]).collect();
        bunch.len() <= MAX_TASKS && estimator.tokens(&chosen) <= soft
    };
    for at in own {
        let unit = &units[*at];
        let is_near = |bunch: &Vec<usize>| {
            let shares = bunch.iter().any(|other| !units[*other].files.is_disjoint(&unit.files));
            // Without files of its own, a part is done beside its neighbours.
            let is_neighbour =
                bunch.last().is_some_and(|last| units[*last].section == unit.section);
            shares || (is_neighbour && (unit.files.is_empty() || units[bunch[0]].files.is_empty()))
        };
        let room = bunches.iter().position(|bunch| {
            is_near(bunch) && fits(&bunch.iter().copied().chain([*at]).collect::<Vec<_>>())
        });
        match room {
            Some(room) => bunches[room].push(*at),
            None => bunches.push(vec![*at]),
        }
    }
    bunches
}

/// The groups by wave: each after all that it needs.
pub(super) fn waves(groups: &[UnitGroup]) -> Vec<Vec<String>> {
    let mut level: BTreeMap<&str, usize> = BTreeMap::new();
    // Needs name earlier groups only, except in a table that a person wrote: bounded rounds.
    for _ in 0..groups.len() {
        for group in groups {
            let above = group.needs.iter().filter_map(|need| level.get(need.as_str()));
            let own = above.map(|level| level + 1).max().unwrap_or(0).min(groups.len());
            level.insert(&group.id, own);
        }
    }
    let mut waves: Vec<Vec<String>> = Vec::new();
    for group in groups {
        let own = level.get(group.id.as_str()).copied().unwrap_or(0);
        waves.resize(waves.len().max(own + 1), Vec::new());
        waves[own].push(group.id.clone());
    }
    waves.retain(|wave| !wave.is_empty());
    waves
}
