//! One module per plan format: where its files are, and what they say.
//!
//! | module | format |
//! | --- | --- |
//! | [`gsd`], [`long_run`] | PLAN.md files in the layouts of GSD, Ultra Planner and long-run; see [`crate::plan_md`] |
//! | [`gsd2`] | GSD 2: `.gsd/milestones/` |
//! | [`specflow`] | SpecFlow: `.specflow/specs/` |
//! | [`agent_os`] | Agent OS: `agent-os/specs/NAME/tasks.md` |
//! | [`spec_kit`] | Spec Kit: `specs/NAME/tasks.md` |
//! | [`tasker`] | Tasker: `tasks/T001.json` and its maps |
//! | [`task_master`] | Task Master: `.taskmaster/tasks/tasks.json` |
//! | [`beads`] | beads: `.beads/issues.jsonl` |
//! | [`openspec`] | OpenSpec: `openspec/changes/NAME/tasks.md` |
//! | [`kiro`] | Kiro: `.kiro/specs/NAME/tasks.md` |
//! | [`prd`] | ralph loops: `prd.json` |
//! | [`checklist`] | any Markdown file with check boxes |

pub mod agent_os;
pub mod beads;
pub mod checklist;
pub mod gsd;
pub mod gsd2;
pub mod kiro;
pub mod long_run;
pub mod openspec;
pub mod prd;
pub mod spec_kit;
pub mod specflow;
pub mod task_master;
pub mod tasker;
