//! Ways to break the core; the simulator has to notice each.

mod attempts;
mod landing;
mod models;
mod reviewing;
mod starting;

use super::{Breakage, Mutation};

const SIMULATION: &[&str] = &["-p", "afresh-testkit", "--test", "simulation"];

pub(super) fn all() -> Vec<Breakage> {
    let all: [&[Mutation]; 5] =
        [starting::ALL, attempts::ALL, landing::ALL, models::ALL, reviewing::ALL];
    let all = all.into_iter().flatten();
    all.map(|mutation| Breakage { mutation, noticed_by: SIMULATION }).collect()
}
