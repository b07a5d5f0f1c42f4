//! What a worker or a check was refused, put together from all who can tell.

use afresh_core::refusal::{Refusal, Refused};
use afresh_git::Place;

use crate::world::{Shared, said};

/// Of a worker that has ended, before its workspace is put right. `output` is the end of what it
/// printed.
pub(super) fn of_worker(shared: &Shared, place: Place, output: &[&str]) -> Vec<Refusal> {
    let git = shared.pool.tampering(place);
    let mut refusals: Vec<Refusal> =
        git.iter().map(|finding| Refusal::new(Refused::Git, finding, 1)).collect();
    refusals.extend(of_output(shared, output));
    refusals
}

/// What was printed says nothing about a room where there is none.
pub(super) fn of_output(shared: &Shared, output: &[&str]) -> Vec<Refusal> {
    if shared.rules.sandbox.level.is_off() {
        return Vec::new();
    }
    said::refusals(output)
}
