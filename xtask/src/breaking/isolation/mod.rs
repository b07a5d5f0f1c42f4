//! Ways to break the sandbox of workers and checks, trust, and secrecy. A test with real programs has to notice
//! each.

mod network;
mod sandbox;
mod secrets;
mod trust;

use super::{Breakage, Mutation};

/// The test that notices a group of them: the arguments of `cargo test`.
struct Group {
    noticed_by: &'static [&'static str],
    mutations: &'static [Mutation],
}

pub(super) fn all() -> Vec<Breakage> {
    let groups = [sandbox::GROUPS, network::GROUPS, trust::GROUPS, secrets::GROUPS];
    let groups = groups.into_iter().flatten();
    groups
        .flat_map(|group| {
            let noticed_by = group.noticed_by;
            group.mutations.iter().map(move |mutation| Breakage { mutation, noticed_by })
        })
        .collect()
}
