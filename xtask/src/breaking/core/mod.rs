//! Ways to break the core; the simulator has to notice each.

mod attempts;
mod by_hand;
mod contests;
mod hooks;
mod landing;
mod merge_queue;
mod models;
mod reviewing;
mod starting;

use super::{Breakage, Mutation};

const SIMULATION: &[&str] = &["-p", "afresh-testkit", "--test", "simulation"];

pub(super) fn all() -> Vec<Breakage> {
    let all: [&[Mutation]; 9] = [
        starting::ALL,
        attempts::ALL,
        by_hand::ALL,
        contests::ALL,
        landing::ALL,
        merge_queue::ALL,
        models::ALL,
        reviewing::ALL,
        hooks::ALL,
    ];
    let all = all.into_iter().flatten();
    all.map(|mutation| Breakage { mutation, noticed_by: SIMULATION }).collect()
}
