//! Plans: reading, checking, showing and importing them, before anything runs.
//!
//! | module | what it tests |
//! | --- | --- |
//! | [`bad_plans`] | mistakes in the native format, in TOML and JSON |
//! | [`contained_faults`] | faults of single tasks, and the formats of real repositories |
//! | [`editing`] | `afresh task add` and `task edit` |
//! | [`forecasts`] | what a plan is expected to take, and its score |
//! | [`formats`] | plans of other formats, through the whole program |
//! | [`from_spec`] | specifications: audit, plan, run |
//! | [`hostile_plans`] | plans made to break a reader |
//! | [`hostile_text`] | text that would control a terminal |
//! | [`importing`] | `afresh import` |
//! | [`lint`] | `afresh lint` |
//! | [`lint_fixes`] | `afresh lint --fix` |
//! | [`measured_defects`] | checks that prove nothing, measured and read |
//! | [`places`] | findings name files as the caller sees them |
//! | [`plan_tools`] | the programs of other tools, after a run on their plans |
//! | [`show`] | `afresh show` |
//! | [`staged_planning`] | planning in stages, acceptance tests, verdicts |
//! | [`starting`] | `afresh new` |
//! | [`trace`] | `afresh trace` |
//! | [`two_plans`] | two plans in one repository |
//! | [`writing_back`] | progress in the files of plans |

#[path = "../support/mod.rs"]
mod support;

mod bad_plans;
mod contained_faults;
mod editing;
mod forecasts;
mod formats;
mod from_spec;
mod hostile_plans;
mod hostile_text;
mod importing;
mod lint;
mod lint_fixes;
mod measured_defects;
mod places;
mod plan_tools;
mod show;
mod staged_planning;
mod starting;
mod trace;
mod two_plans;
mod writing_back;
