//! Decisions about one attempt, from its start to the verdict on its work.
//!
//! | module | what it decides |
//! | --- | --- |
//! | `lifecycle` | what follows when an attempt is spawned, reports, ends and is harvested |
//! | `verdict` | whether its work is accepted, and whether a fresh worker retries |
//! | `steps` | finished steps, which outlive their worker |
//! | `models` | failures of models, backoff, and full contexts |
//! | `interruptions` | whether the next worker continues a conversation that was cut off |
//! | `blocking` | a worker that cannot continue before something else is done |

mod blocking;
mod interruptions;
mod lifecycle;
mod models;
mod steps;
pub(super) mod verdict;

use super::Decider;
