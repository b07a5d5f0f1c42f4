//! Stories about the core: pure, so each one is a few reports and what follows from them.

#[path = "../support/mod.rs"]
mod support;

mod acceptance;
mod attempts;
mod base;
mod batches;
mod blocking;
mod budgets;
mod by_hand;
mod checkpoints;
mod comments;
mod contests;
mod endless;
mod failures;
mod forking;
mod giving_up;
mod halting;
mod hooks;
mod interruptions;
mod journal;
mod late;
mod marks;
mod merging;
mod models;
mod obstacles;
mod people;
mod plans;
mod replanning;
mod reviewing;
mod rewinding;
mod scheduling;
mod scope;
mod sizes;
mod steps;
mod trace;
