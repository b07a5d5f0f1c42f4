//! Plans: reading, checking, showing and importing them, before anything runs.
//!
//! | module | what it tests |
//! | --- | --- |
//! | [`bad_plans`] | mistakes in the native format, in TOML and JSON |
//! | [`contained_faults`] | faults of single tasks, and the formats of real repositories |
//! | [`formats`] | plans of other formats, through the whole program |
//! | [`from_spec`] | specifications: audit, plan, run |
//! | [`hostile_plans`] | plans made to break a reader |
//! | [`hostile_text`] | text that would control a terminal |
//! | [`importing`] | `afresh import` |
//! | [`lint`] | `afresh lint` |
//! | [`lint_fixes`] | `afresh lint --fix` |
//! | [`places`] | findings name files as the caller sees them |
//! | [`show`] | `afresh show` |
//! | [`trace`] | `afresh trace` |
//! | [`two_plans`] | two plans in one repository |

#[path = "../support/mod.rs"]
mod support;

mod bad_plans;
mod contained_faults;
mod formats;
mod from_spec;
mod hostile_plans;
mod hostile_text;
mod importing;
mod lint;
mod lint_fixes;
mod places;
mod show;
mod trace;
mod two_plans;
