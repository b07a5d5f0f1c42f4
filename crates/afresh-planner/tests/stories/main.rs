//! What the planner does with whole specifications.

mod artifacts;
mod audits;
mod ledgers;
mod reviews;
