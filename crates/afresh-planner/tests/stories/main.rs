//! What the planner does with whole specifications.

mod audits;
mod ledgers;
mod reviews;
