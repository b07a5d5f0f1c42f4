//! Attempts: their stages, their ends, and what happens to them at a restart.

use crate::breaking::{Edit, Mutation};

pub(super) const ALL: &[Mutation] = &[
    Mutation {
        name: "work without the files that it was to create is accepted",
        promise: "EX-07: expected files exist",
        edits: &[Edit {
            file: "afresh-core/src/decide/attempt/verdict.rs",
            text: "harvest.missing.iter().filter(|path| !declared(path))",
            instead: "harvest.missing.iter().filter(|path| declared(path))",
        }],
    },
    Mutation {
        name: "a fresh worker does not get earlier comments",
        promise: "BE-12: every fresh worker has all comments",
        edits: &[Edit {
            file: "afresh-core/src/run/apply/attempts.rs",
            text: "task.hand_over_comments(&work);",
            instead: "",
        }],
    },
    Mutation {
        name: "a conversation that continues gets every comment again",
        promise: "BE-12: no worker gets a comment twice",
        edits: &[Edit {
            file: "afresh-core/src/run/apply/comments.rs",
            text: "!known.iter().any(|number| kept.read_by.contains(number))",
            instead: "known.len() < usize::MAX",
        }],
    },
    Mutation {
        name: "comments are lost when a task is done again",
        promise: "BE-12: comments are kept",
        edits: &[Edit {
            file: "afresh-core/src/run/task/mod.rs",
            text: "self.people.comments = history.comments;",
            instead: "",
        }],
    },
    Mutation {
        name: "no fencing of late reports",
        promise: "R2: a late answer of an old attempt changes nothing",
        edits: &[Edit {
            file: "afresh-core/src/decide/mod.rs",
            text: "(state.attempt() == Some(attempt)).then_some(&state.stage)",
            instead: "Some(&state.stage)",
        }],
    },
    Mutation {
        name: "effects before the record",
        promise: "R1, R3: nothing is performed before it is recorded",
        edits: &[Edit {
            file: "afresh-engine/src/driver/mod.rs",
            text: "let turn = self.decide_on(inputs);",
            instead: "let mut turn = self.decide_on(inputs);\n        for effect in std::mem::take(&mut turn.effects) {\n            self.host.perform(effect, &self.run);\n        }",
        }],
    },
    Mutation {
        name: "the driver performs after a failed write",
        promise: "R1: what is not stored is not performed",
        edits: &[Edit {
            file: "afresh-engine/src/driver/mod.rs",
            text: "self.host.cancel_all();\n                    return Err(error.into());",
            instead: "let _ = error;",
        }],
    },
    Mutation {
        name: "a halt that waits comes after the opening",
        promise: "R7: nothing starts after a halt",
        edits: &[Edit {
            file: "afresh-engine/src/driver/mod.rs",
            text: ".partition(|queued| matches!(queued.input, Input::HaltAsked { .. }));",
            instead: ".partition(|_| false);",
        }],
    },
    Mutation {
        name: "a deadline does not wake the driver",
        promise: "AG-05: what waits for its backoff starts when that is over",
        edits: &[Edit {
            file: "afresh-engine/src/driver/mod.rs",
            text: "if deadline.is_some_and(|at| at <= self.host.now()) {",
            instead: "if false {",
        }],
    },
    Mutation {
        name: "use is counted twice",
        promise: "R14: use is counted once per attempt",
        edits: &[Edit {
            file: "afresh-core/src/run/apply/attempts.rs",
            text: "*counted = counted.at_least(usage);",
            instead: "*counted = counted.plus(usage);",
        }],
    },
    Mutation {
        name: "the budget is never reached",
        promise: "R14: a budget stops spending within one event",
        edits: &[Edit {
            file: "afresh-core/src/decide/attempt/lifecycle.rs",
            text: "if self.run.budget_reached() || !self.run.settings().budget.is_reached_by(spent) {",
            instead: "if self.run.usage().tokens() < u64::MAX {",
        }],
    },
    Mutation {
        name: "workers go on beyond the budget",
        promise: "R14: a budget stops spending within one event",
        edits: &[Edit {
            file: "afresh-core/src/decide/attempt/lifecycle.rs",
            text: "        self.record(Event::BudgetReached { spent });\n        let grace = self.run.settings().halt_grace;\n        self.stop_workers(grace);",
            instead: "        self.record(Event::BudgetReached { spent });",
        }],
    },
    Mutation {
        name: "a slot is free before its work is saved",
        promise: "R16: work is never deleted before it is saved",
        edits: &[Edit {
            file: "afresh-core/src/run/apply/attempts.rs",
            text: "        self.count(attempt, &end.usage)?;\n",
            instead: "        self.count(attempt, &end.usage)?;\n        self.free_slot(attempt);\n",
        }],
    },
    Mutation {
        name: "orphans are adopted",
        promise: "R2, R12: an attempt dies with its driver and is tried again",
        edits: &[Edit {
            file: "afresh-core/src/decide/recovery.rs",
            text: "self.attempt_ended(&attempt, &end);",
            instead: "drop((attempt, end));",
        }],
    },
    Mutation {
        name: "numbers of attempts are used again",
        promise: "R2: every result carries its attempt's number",
        edits: &[Edit {
            file: "afresh-core/src/run/apply/attempts.rs",
            text: "task.retries.last_number = work.attempt.number;",
            instead: "task.retries.last_number = 0;",
        }],
    },
    Mutation {
        name: "a second halt ends nobody",
        promise: "R7: after the second halt everything is ended",
        edits: &[Edit {
            file: "afresh-core/src/decide/halting.rs",
            text: "            self.stop_workers(grace);\n            self.request(Effect::StopChecks);",
            instead: "            drop(grace);\n            self.request(Effect::StopChecks);",
        }],
    },
    Mutation {
        name: "an intended landing is forgotten",
        promise: "R3, R12: a landing that was cut off is completed",
        edits: &[Edit {
            file: "afresh-core/src/decide/recovery.rs",
            text: "TaskStage::Merging { .. } if self.run.task(at).stage.is_underway() => { self.resume_merge(at); }",
            instead: "",
        }],
    },
    Mutation {
        name: "finished steps are forgotten",
        promise: "ST-02: the next worker goes on after the last finished step",
        edits: &[Edit {
            file: "afresh-core/src/run/mod.rs",
            text: "Some(commit) if self.steps_hold(at) => { StartPoint::after(last.base.clone(), commit.clone()) }",
            instead: "Some(_) if self.steps_hold(at) => fresh,",
        }],
    },
    Mutation {
        name: "steps go on although a task that they rest on was redone",
        promise: "EX-03: a worker starts on top of everything it needs",
        edits: &[Edit {
            file: "afresh-core/src/run/mod.rs",
            text: "last.is_none_or(|last| last.needs == self.landed_needs(at))",
            instead: "let _ = last;\n        true",
        }],
    },
    Mutation {
        name: "going back is forgotten by the next driver",
        promise: "R12: going back is completed",
        edits: &[Edit {
            file: "afresh-core/src/decide/recovery.rs",
            text: "self.resume_rewind();",
            instead: "",
        }],
    },
    Mutation {
        name: "a skipped task holds nobody up",
        promise: "EX-06: what needs a task that was given up is blocked",
        edits: &[Edit {
            file: "afresh-core/src/run/apply/mod.rs",
            text: "TaskStage::Skipped { reason: reason.clone(), ignored: false }",
            instead: "TaskStage::Skipped { reason: reason.clone(), ignored: true }",
        }],
    },
    Mutation {
        name: "a blocked task does not wait",
        promise: "RE-04: it waits behind the unfinished task that it names",
        edits: &[Edit {
            file: "afresh-core/src/run/drive_state.rs",
            text: "self.held_up_by(*at).next().is_none() && self.obstacle_to(*at).is_none())",
            instead: "self.obstacle_to(*at).is_none())",
        }],
    },
];
