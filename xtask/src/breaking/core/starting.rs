//! Which tasks may start, and when.

use crate::breaking::{Edit, Mutation};

pub(super) const ALL: &[Mutation] = &[
    Mutation {
        name: "no dependency check",
        promise: "EX-03: a worker starts on top of everything it needs",
        edits: &[
            Edit {
                file: "afresh-core/src/run/frontier.rs",
                text: "if self.idle[at.position()] && self.unmet[at.position()] == 0 {",
                instead: "if self.idle[at.position()] {",
            },
            Edit {
                file: "afresh-core/src/decide/scheduler.rs",
                text: "plan.needs(at).iter().all(|need| self.run.task(*need).is_met()),",
                instead: "true,",
            },
        ],
    },
    Mutation {
        name: "a start in a halted run",
        promise: "R7: after a halt nothing new starts",
        edits: &[Edit {
            file: "afresh-core/src/decide/scheduler.rs",
            text: "let resting = run.halt().is_some() || run.aborted().is_some() || run.budget_reached();",
            instead: "let resting = run.aborted().is_some() || run.budget_reached();",
        }],
    },
    Mutation {
        name: "a start before the base is measured",
        promise: "TR-02: no worker starts before the checks of every merge are measured",
        edits: &[Edit {
            file: "afresh-core/src/decide/scheduler.rs",
            text: "!resting && self.is_base_settled()",
            instead: "!resting",
        }],
    },
    Mutation {
        name: "parallel starts overshoot the budget",
        promise: "R14: the budget is reserved before a spawn",
        edits: &[Edit {
            file: "afresh-core/src/decide/scheduler.rs",
            text: "(alone || !budget.is_exceeded_by(planned.plus(expected))).then_some(expected)",
            instead: "(alone || planned != expected || planned == expected).then_some(expected)",
        }],
    },
    Mutation {
        name: "all workers start before anything is known",
        promise: "R14: the budget is overshot by what one worker adds at most",
        edits: &[Edit {
            file: "afresh-core/src/decide/scheduler.rs",
            text: "|| unknown && !alone {",
            instead: "|| unknown && workers > 1_000 {",
        }],
    },
    Mutation {
        name: "near the limit all workers go on",
        promise: "R14: the budget is overshot by what one worker adds at most",
        edits: &[Edit {
            file: "afresh-core/src/decide/budget.rs",
            text: "for (_, attempt) in workers.into_iter().skip(1) {",
            instead: "for (_, attempt) in workers.into_iter().skip(usize::MAX) {",
        }],
    },
    Mutation {
        name: "a task goes on beyond its budget",
        promise: "R14: a budget of a task stops its spending",
        edits: &[Edit {
            file: "afresh-core/src/decide/budget.rs",
            text: "if let Some(reason) = self.task_budget_reached(at) {",
            instead: "if let Some(reason) = self.task_budget_reached(at).filter(|_| at.position() > 10_000) {",
        }],
    },
    Mutation {
        name: "two attempts at once",
        promise: "R2: one live attempt per task",
        edits: &[
            Edit {
                file: "afresh-core/src/run/frontier.rs",
                text: "self.idle[at.position()] = matches!(to, TaskStage::Idle);",
                instead: "self.idle[at.position()] = matches!(to, TaskStage::Idle | TaskStage::Running(_));",
            },
            Edit {
                file: "afresh-core/src/decide/scheduler.rs",
                text: ".find(|other| may_conflict(self.run, at, *other))",
                instead: ".find(|other| *other != at && may_conflict(self.run, at, *other))",
            },
        ],
    },
    Mutation {
        name: "tasks that share a file run at once",
        promise: "EX-01: two tasks that may write one file never run at once",
        edits: &[Edit {
            file: "afresh-core/src/decide/scheduler.rs",
            text: "if self.conflicts_with_active(at) {",
            instead: "if self.conflicts_with_active(at) && false {",
        }],
    },
    Mutation {
        name: "one worker too many",
        promise: "EX-01: up to `parallel` at once",
        edits: &[Edit {
            file: "afresh-core/src/decide/scheduler.rs",
            text: "self.run.agent_slots() < usize::from(self.run.settings().parallel.max(1))",
            instead: "self.run.agent_slots() <= usize::from(self.run.settings().parallel.max(1))",
        }],
    },
    Mutation {
        name: "no barrier between waves",
        promise: "EX-02: a barrier between waves",
        edits: &[Edit {
            file: "afresh-core/src/decide/scheduler.rs",
            text: "let barrier = self.open_wave();",
            instead: "let barrier = self.open_wave().filter(|_| false);",
        }],
    },
    Mutation {
        name: "work of a task that left the plan is not saved",
        promise: "R16: work is never deleted before it is saved",
        edits: &[Edit {
            file: "afresh-core/src/run/apply/plan.rs",
            text: "self.unsaved_slots.insert(work.slot, work);",
            instead: "drop(work);",
        }],
    },
    Mutation {
        name: "a task that left the plan takes its use along",
        promise: "R14: use is counted once per attempt",
        edits: &[Edit {
            file: "afresh-core/src/run/apply/plan.rs",
            text: "self.removed_tasks.insert(old.id.clone(), history);",
            instead: "",
        }],
    },
    Mutation {
        name: "tasks wait for each other",
        promise: "RE-04: nobody waits in vain",
        edits: &[Edit {
            file: "afresh-core/src/decide/attempt/blocking.rs",
            text: " && !self.waits_for(*other, at)",
            instead: "",
        }],
    },
    Mutation {
        name: "nobody is asked about a task that waits for one given up",
        promise: "RE-04: nobody waits in vain",
        edits: &[Edit {
            file: "afresh-core/src/decide/scheduler.rs",
            text: "            self.ask_about_unreachable_tasks();\n",
            instead: "",
        }],
    },
];
