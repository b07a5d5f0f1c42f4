//! What may land, and in which order.

use crate::breaking::{Edit, Mutation};

pub(super) const ALL: &[Mutation] = &[
    Mutation {
        name: "a merged task is not done",
        promise: "R3: a task's work is merged once",
        edits: &[Edit {
            file: "afresh-core/src/run/apply/merges.rs",
            text: "self.set(at, TaskStage::Done { commit, attempt: attempt.clone(), receipt });",
            instead: "drop((receipt, commit));\n        self.set(at, TaskStage::Idle);",
        }],
    },
    Mutation {
        name: "a failure is excused that was fixed since",
        promise: "TR-02: what passed once must not fail again",
        edits: &[Edit {
            file: "afresh-core/src/run/base.rs",
            text: "(!result.passed()).then(|| KnownFailure { class: probed.class, result: result.clone() })",
            instead: "Some(KnownFailure { class: probed.class, result: probed.result.clone() })",
        }],
    },
    Mutation {
        name: "any failure of a check of every merge is excused",
        promise: "TR-02: no merge may add a failure",
        edits: &[Edit {
            file: "afresh-core/src/run/base.rs",
            text: "if probed.result.passed() {",
            instead: "if false {",
        }],
    },
    Mutation {
        name: "new checks do not count for old work",
        promise: "R4: every commit passed its checks as exactly that tree",
        edits: &[Edit {
            file: "afresh-core/src/decide/checking.rs",
            text: "checks.iter().all(is_told)",
            instead: "true || checks.iter().all(is_told)",
        }],
    },
    Mutation {
        name: "attempts are never spent",
        promise: "`attempts` fresh workers per task before it counts as failed",
        edits: &[Edit {
            file: "afresh-core/src/decide/attempt/verdict.rs",
            text: "counts && retries.counted >= self.run.settings().attempts.max(1);",
            instead: "counts && retries.counted > self.run.settings().attempts.max(1);",
        }],
    },
    Mutation {
        name: "checks start after the second halt",
        promise: "R7: after the second halt everything is ended",
        edits: &[Edit {
            file: "afresh-core/src/decide/checking.rs",
            text: "if self.run.halt().is_some_and(|halt| halt.now) {",
            instead: "if self.run.halt().is_some_and(|halt| halt.now && halt.by.is_empty()) {",
        }],
    },
    Mutation {
        name: "a step counts before it is checked",
        promise: "EX-04: a finished step has passed its checks",
        edits: &[Edit {
            file: "afresh-core/src/decide/attempt/steps.rs",
            text: "if results.iter().all(CheckResult::is_accepted) {\n                    self.finish_step",
            instead: "if !results.is_empty() {\n                    self.finish_step",
        }],
    },
    Mutation {
        name: "steps are dropped with every attempt",
        promise: "ST-02: finished steps are kept",
        edits: &[Edit {
            file: "afresh-core/src/decide/attempt/steps.rs",
            text: "            _ => false,\n        }\n    }\n\n    pub(in crate::decide) fn drop_steps",
            instead: "            _ => true,\n        }\n    }\n\n    pub(in crate::decide) fn drop_steps",
        }],
    },
    Mutation {
        name: "the branch goes back while work is underway",
        promise: "R2, ST-05: what is going on ends before the branch goes back",
        edits: &[Edit {
            file: "afresh-core/src/decide/rewinding.rs",
            text: "if self.run.is_underway() || self.run.merge_queue().is_merging() {",
            instead: "if self.run.merge_queue().is_merging() {",
        }],
    },
    Mutation {
        name: "what went back with the branch stays done",
        promise: "R3, ST-05: what is no longer on the branch is done again",
        edits: &[Edit {
            file: "afresh-core/src/run/apply/rewinds.rs",
            text: "if matches!(&before, TaskStage::Done { commit, .. } if *commit == landing.commit) {",
            instead: "if false && matches!(&before, TaskStage::Done { commit, .. } if *commit == landing.commit) {",
        }],
    },
    Mutation {
        name: "a full context is forgotten",
        promise: "AG-07: who was stopped for it is followed by a fresh worker",
        edits: &[Edit {
            file: "afresh-core/src/decide/attempt/verdict.rs",
            text: "(ProcessEnd::Stopped, ..) if self.run.task(at).session.context_reached.is_some() =>",
            instead: "(ProcessEnd::Stopped, ..) if false && self.run.task(at).session.context_reached.is_some() =>",
        }],
    },
    Mutation {
        name: "a conversation is taken up on a base that is gone",
        promise: "AG-08, ST-05: what stood on an undone landing starts over",
        edits: &[Edit {
            file: "afresh-core/src/run/apply/rewinds.rs",
            text: "task.session.interrupted.as_ref().is_some_and(|left| gone(&left.ground.base))",
            instead: "false",
        }],
    },
];
