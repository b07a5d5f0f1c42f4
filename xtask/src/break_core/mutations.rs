//! The ways to break it: exact texts, so that a change of the core that outdates one is noticed.

/// One way to break the core.
pub(super) struct Mutation {
    pub(super) name: &'static str,
    /// What no longer holds.
    pub(super) promise: &'static str,
    pub(super) edits: &'static [Edit],
}

/// A text that stands exactly once in a file below `crates/`, and what to write in its place.
pub(super) struct Edit {
    pub(super) file: &'static str,
    pub(super) text: &'static str,
    pub(super) instead: &'static str,
}

pub(super) const MUTATIONS: &[Mutation] = &[
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
        name: "no dependency check",
        promise: "EX-03: a worker starts on top of everything it needs",
        edits: &[
            Edit {
                file: "afresh-core/src/run/frontier.rs",
                text: "if self.idle[at] && self.unmet[at] == 0 {",
                instead: "if self.idle[at] {",
            },
            Edit {
                file: "afresh-core/src/decide/starting.rs",
                text: "plan.needs(at).iter().all(|need| self.run.task(*need).is_met()),",
                instead: "true,",
            },
        ],
    },
    Mutation {
        name: "a merged task is not done",
        promise: "R3: a task's work is merged once",
        edits: &[Edit {
            file: "afresh-core/src/run/apply/merges.rs",
            text: "self.set(at, Stage::Done { commit, attempt: attempt.clone(), receipt });",
            instead: "drop((receipt, commit));\n        self.set(at, Stage::Idle);",
        }],
    },
    Mutation {
        name: "the merge slot is not held",
        promise: "R3, R4: one merge at a time",
        edits: &[Edit {
            file: "afresh-core/src/decide/merging.rs",
            text: "if self.run.merging().is_some() {",
            instead: "if false {",
        }],
    },
    Mutation {
        name: "a start in a halted run",
        promise: "R7: after a halt nothing new starts",
        edits: &[Edit {
            file: "afresh-core/src/decide/starting.rs",
            text: "self.run.halt().is_none() && self.run.aborted().is_none() && !",
            instead: "self.run.aborted().is_none() && !",
        }],
    },
    Mutation {
        name: "effects before the record",
        promise: "R1, R3: nothing is performed before it is recorded",
        edits: &[
            Edit {
                file: "afresh-testkit/src/simulation/mod.rs",
                text: "        let cut = self.draw_cut();\n",
                instead: "        self.perform(&reaction.effects)?;\n        let cut = self.draw_cut();\n",
            },
            Edit {
                file: "afresh-testkit/src/simulation/mod.rs",
                text: "self.perform(&reaction.effects[..last])?;",
                instead: "",
            },
        ],
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
            file: "afresh-core/src/decide/attempts.rs",
            text: "if self.run.budget_reached() || !self.run.settings().budget.is_reached_by(spent) {",
            instead: "if self.run.usage().tokens() < u64::MAX {",
        }],
    },
    Mutation {
        name: "workers go on beyond the budget",
        promise: "R14: a budget stops spending within one event",
        edits: &[Edit {
            file: "afresh-core/src/decide/attempts.rs",
            text: "        self.record(Event::BudgetReached { spent });\n        let grace = self.run.settings().halt_grace;\n        self.stop_workers(grace);",
            instead: "        self.record(Event::BudgetReached { spent });",
        }],
    },
    Mutation {
        name: "parallel starts overshoot the budget",
        promise: "R14: the budget is reserved before a spawn",
        edits: &[Edit {
            file: "afresh-core/src/decide/starting.rs",
            text: "(alone || !budget.is_exceeded_by(planned.plus(expected))).then_some(expected)",
            instead: "(alone || planned != expected || planned == expected).then_some(expected)",
        }],
    },
    Mutation {
        name: "all workers start before anything is known",
        promise: "R14: the budget is overshot by what one worker adds at most",
        edits: &[Edit {
            file: "afresh-core/src/decide/starting.rs",
            text: "|| unknown && !alone {",
            instead: "|| unknown && workers > 1_000 {",
        }],
    },
    Mutation {
        name: "near the limit all workers go on",
        promise: "R14: the budget is overshot by what one worker adds at most",
        edits: &[Edit {
            file: "afresh-core/src/decide/spending.rs",
            text: "for (_, attempt) in workers.into_iter().skip(1) {",
            instead: "for (_, attempt) in workers.into_iter().skip(usize::MAX) {",
        }],
    },
    Mutation {
        name: "a task goes on beyond its budget",
        promise: "R14: a budget of a task stops its spending",
        edits: &[Edit {
            file: "afresh-core/src/decide/spending.rs",
            text: "if let Some(reason) = self.task_budget_reached(at) {",
            instead: "if let Some(reason) = self.task_budget_reached(at).filter(|_| at > 10_000) {",
        }],
    },
    Mutation {
        name: "a slot is free before its work is saved",
        promise: "R16: work is never deleted before it is saved",
        edits: &[Edit {
            file: "afresh-core/src/run/apply/attempts.rs",
            text: "        self.count(attempt, &end.usage);\n",
            instead: "        self.count(attempt, &end.usage);\n        self.free_slot(attempt);\n",
        }],
    },
    Mutation {
        name: "a merge lands unchecked",
        promise: "R4: every commit passed its checks as exactly that tree",
        edits: &[Edit {
            file: "afresh-core/src/decide/merging.rs",
            text: "merged.tree == harvest.tree && self.covers(at, &results)",
            instead: "self.covers(at, &results)",
        }],
    },
    Mutation {
        name: "new checks do not count for old work",
        promise: "R4: every commit passed its checks as exactly that tree",
        edits: &[Edit {
            file: "afresh-core/src/decide/checking.rs",
            text: "self.checks_of(at).iter().all(told)",
            instead: "true || self.checks_of(at).iter().all(told)",
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
        name: "two attempts at once",
        promise: "R2: one live attempt per task",
        edits: &[
            Edit {
                file: "afresh-core/src/run/frontier.rs",
                text: "self.idle[at] = matches!(to, Stage::Idle);",
                instead: "self.idle[at] = matches!(to, Stage::Idle | Stage::Running(_));",
            },
            Edit {
                file: "afresh-core/src/decide/starting.rs",
                text: ".any(|other| may_collide(self.run, at, other))",
                instead: ".any(|other| other != at && may_collide(self.run, at, other))",
            },
        ],
    },
    Mutation {
        name: "numbers of attempts are used again",
        promise: "R2: every result carries its attempt's number",
        edits: &[Edit {
            file: "afresh-core/src/run/apply/attempts.rs",
            text: "task.attempts = work.attempt.number;",
            instead: "task.attempts = 0;",
        }],
    },
    Mutation {
        name: "tasks that share a file run at once",
        promise: "EX-01: two tasks that may write one file never run at once",
        edits: &[Edit {
            file: "afresh-core/src/decide/starting.rs",
            text: "if self.collides(at) {",
            instead: "if self.collides(at) && false {",
        }],
    },
    Mutation {
        name: "one worker too many",
        promise: "EX-01: up to `parallel` at once",
        edits: &[Edit {
            file: "afresh-core/src/decide/starting.rs",
            text: "if taken.len() >= usize::from(parallel) {",
            instead: "if taken.len() > usize::from(parallel) {",
        }],
    },
    Mutation {
        name: "no barrier between waves",
        promise: "EX-02: a barrier between waves",
        edits: &[Edit {
            file: "afresh-core/src/decide/starting.rs",
            text: "let barrier = self.open_wave();",
            instead: "let barrier = self.open_wave().filter(|_| false);",
        }],
    },
    Mutation {
        name: "a collision counts",
        promise: "EX-05: who was slower loses no attempt",
        edits: &[Edit {
            file: "afresh-core/src/decide/merging.rs",
            text: "                    Rejection::Conflict { paths: paths.clone(), detail: detail.clone() },\n                    false,",
            instead: "                    Rejection::Conflict { paths: paths.clone(), detail: detail.clone() },\n                    true,",
        }],
    },
    Mutation {
        name: "attempts are never spent",
        promise: "`attempts` fresh workers per task before it counts as failed",
        edits: &[Edit {
            file: "afresh-core/src/decide/verdict.rs",
            text: "if counts && self.run.task(at).counted >= self.run.settings().attempts.max(1) {",
            instead: "if counts && self.run.task(at).counted > self.run.settings().attempts.max(1) {",
        }],
    },
    Mutation {
        name: "a second halt ends nobody",
        promise: "R7: after the second halt everything is ended",
        edits: &[Edit {
            file: "afresh-core/src/decide/halting.rs",
            text: "            self.stop_workers(grace);\n            self.ask_world(Effect::StopChecks);",
            instead: "            drop(grace);\n            self.ask_world(Effect::StopChecks);",
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
        name: "an intended landing is forgotten",
        promise: "R3, R12: a landing that was cut off is completed",
        edits: &[Edit {
            file: "afresh-core/src/decide/recovery.rs",
            text: "Stage::Merging(..) if self.run.task(at).stage.is_underway() => self.resume_merge(at),",
            instead: "",
        }],
    },
    Mutation {
        name: "an outsider's commit is taken for ours",
        promise: "R3: the branch is where the journal says",
        edits: &[Edit {
            file: "afresh-core/src/decide/merging.rs",
            text: "Move::Foreign(commit) => self.ask_about_branch(at, commit),",
            instead: "Move::Foreign(commit) => {\n                self.record(Event::Merged { attempt: attempt.clone(), commit: commit.clone() });\n            }",
        }],
    },
    Mutation {
        name: "work of a task that left the plan is not saved",
        promise: "R16: work is never deleted before it is saved",
        edits: &[Edit {
            file: "afresh-core/src/run/apply/plan.rs",
            text: "self.leavings.insert(work.slot, work);",
            instead: "drop(work);",
        }],
    },
    Mutation {
        name: "a task that left the plan takes its use along",
        promise: "R14: use is counted once per attempt",
        edits: &[Edit {
            file: "afresh-core/src/run/apply/plan.rs",
            text: "self.retired.insert(old.id.clone(), Retired { attempts, usages });",
            instead: "",
        }],
    },
    Mutation {
        name: "finished steps are forgotten",
        promise: "ST-02: the next worker goes on after the last finished step",
        edits: &[Edit {
            file: "afresh-core/src/run/mod.rs",
            text: "Some(commit) if self.steps_hold(at) => Ground::after(last.base.clone(), commit.clone()),",
            instead: "Some(_) if self.steps_hold(at) => fresh,",
        }],
    },
    Mutation {
        name: "a step counts before it is checked",
        promise: "EX-04: a finished step has passed its checks",
        edits: &[Edit {
            file: "afresh-core/src/decide/steps.rs",
            text: "Checked::Ran(results) if results.iter().all(CheckResult::passed) => {\n                self.finish_step",
            instead: "Checked::Ran(results) => {\n                self.finish_step",
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
        name: "steps are dropped with every attempt",
        promise: "ST-02: finished steps are kept",
        edits: &[Edit {
            file: "afresh-core/src/decide/steps.rs",
            text: "            _ => false,\n        }\n    }\n\n    pub(super) fn drop_steps",
            instead: "            _ => true,\n        }\n    }\n\n    pub(super) fn drop_steps",
        }],
    },
    Mutation {
        name: "the branch goes back while work is underway",
        promise: "R2, ST-05: what is going on ends before the branch goes back",
        edits: &[Edit {
            file: "afresh-core/src/decide/rewinding.rs",
            text: "if self.run.is_underway() || self.run.merging().is_some()",
            instead: "if self.run.merging().is_some()",
        }],
    },
    Mutation {
        name: "what went back with the branch stays done",
        promise: "R3, ST-05: what is no longer on the branch is done again",
        edits: &[Edit {
            file: "afresh-core/src/run/apply/rewinds.rs",
            text: "if matches!(&before, Stage::Done { commit, .. } if *commit == landing.commit) {",
            instead: "if false && matches!(&before, Stage::Done { commit, .. } if *commit == landing.commit) {",
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
            text: "Stage::Skipped { reason: reason.clone(), ignored: false }",
            instead: "Stage::Skipped { reason: reason.clone(), ignored: true }",
        }],
    },
    Mutation {
        name: "a blocked task does not wait",
        promise: "RE-04: it waits behind the unfinished task that it names",
        edits: &[Edit {
            file: "afresh-core/src/run/mod.rs",
            text: "filter(|at| self.held_up_by(*at).next().is_none())",
            instead: "filter(|_| true)",
        }],
    },
    Mutation {
        name: "tasks wait for each other",
        promise: "RE-04: nobody waits in vain",
        edits: &[Edit {
            file: "afresh-core/src/decide/blocking.rs",
            text: " && !self.waits_for(*other, at)",
            instead: "",
        }],
    },
    Mutation {
        name: "nobody is asked about a task that waits for one given up",
        promise: "RE-04: nobody waits in vain",
        edits: &[Edit {
            file: "afresh-core/src/decide/starting.rs",
            text: "            self.ask_about_what_waits_in_vain();\n",
            instead: "",
        }],
    },
    Mutation {
        name: "a passing failure of a model counts",
        promise: "AG-05: it says nothing about the task",
        edits: &[Edit {
            file: "afresh-core/src/decide/models.rs",
            text: "class => !class.is_transient() && !class.is_lasting(),",
            instead: "class => !class.is_lasting(),",
        }],
    },
    Mutation {
        name: "a model's wait is not kept",
        promise: "BE-04: a parked agent starts nothing before its time",
        edits: &[Edit {
            file: "afresh-core/src/run/programs.rs",
            text: "self.tasks[at].not_before.max(parked)",
            instead: "self.tasks[at].not_before.max(parked.filter(|_| false))",
        }],
    },
    Mutation {
        name: "a model's agent is not parked",
        promise: "BE-04: others of the same agent and size wait too",
        edits: &[Edit {
            file: "afresh-core/src/decide/models.rs",
            text: "            self.park_agent(at, &error);\n",
            instead: "",
        }],
    },
    Mutation {
        name: "a model is tried again at once",
        promise: "AG-05: after a failure there is a pause",
        edits: &[Edit {
            file: "afresh-core/src/run/programs.rs",
            text: "self.tasks[at].not_before.max(parked)",
            instead: "parked",
        }],
    },
    Mutation {
        name: "a model that refuses is tried again",
        promise: "AG-06: what cannot pass is not tried again",
        edits: &[Edit {
            file: "afresh-core/src/decide/models.rs",
            text: "let over = class.is_lasting() || self",
            instead: "let over = self",
        }],
    },
    Mutation {
        name: "a model is waited for without end",
        promise: "AG-06: a person is asked in the end",
        edits: &[Edit {
            file: "afresh-core/src/decide/models.rs",
            text: "let over = class.is_lasting() || self.patience_is_over(at, &error);",
            instead: "let over = class.is_lasting();",
        }],
    },
    Mutation {
        name: "a model that fails is never replaced",
        promise: "AG-05: the next one down is tried",
        edits: &[Edit {
            file: "afresh-core/src/run/programs.rs",
            text: "let down = self.tasks[at].model_failures / TRIES_PER_MODEL;",
            instead: "let down = 0;",
        }],
    },
    Mutation {
        name: "a full context goes on",
        promise: "AG-07: at the hard limit the worker is stopped",
        edits: &[Edit {
            file: "afresh-core/src/decide/models.rs",
            text: "self.ask_world(Effect::Stop { attempt: attempt.clone(), grace });",
            instead: "let _ = (grace, |attempt, grace| Effect::Stop { attempt, grace });",
        }],
    },
    Mutation {
        name: "a full context is forgotten",
        promise: "AG-07: who was stopped for it is followed by a fresh worker",
        edits: &[Edit {
            file: "afresh-core/src/decide/verdict.rs",
            text: "(Ending::Stopped, ..) if self.run.task(at).context_reached.is_some() =>",
            instead: "(Ending::Stopped, ..) if false && self.run.task(at).context_reached.is_some() =>",
        }],
    },
    Mutation {
        name: "a full context counts, whatever was finished",
        promise: "AG-07: who finished a step has not failed",
        edits: &[Edit {
            file: "afresh-core/src/decide/models.rs",
            text: "self.reject(at, Rejection::ContextFull { fill }, !progressed);",
            instead: "self.reject(at, Rejection::ContextFull { fill }, progressed || !progressed);",
        }],
    },
    Mutation {
        name: "a conversation is taken up for ever",
        promise: "AG-08: after two resumes a fresh worker comes",
        edits: &[Edit {
            file: "afresh-core/src/decide/interruptions.rs",
            text: "const MAX_RESUMES: usize = 2;",
            instead: "const MAX_RESUMES: usize = 20;",
        }],
    },
    Mutation {
        name: "a conversation goes on in any slot",
        promise: "AG-08: whoever goes on is where it was",
        edits: &[Edit {
            file: "afresh-core/src/decide/interruptions.rs",
            text: "let same = left.slot == slot",
            instead: "let _ = slot;\n        let same = true",
        }],
    },
    Mutation {
        name: "rejected work is taken up again",
        promise: "AG-08: only whoever was cut off goes on",
        edits: &[Edit {
            file: "afresh-core/src/rejection.rs",
            text: "Self::ModelFailed { error } => error.is_passing(),\n            _ => false,",
            instead: "Self::ModelFailed { error } => error.is_passing(),\n            _ => true,",
        }],
    },
    Mutation {
        name: "a conversation that went on unseen is taken up",
        promise: "AG-08: files and conversation belong together",
        edits: &[Edit {
            file: "afresh-core/src/run/apply/interruptions.rs",
            text: "reason if reason.is_interruption() => self.forget_conversation(),",
            instead: "reason if reason.is_interruption() => {}",
        }],
    },
    Mutation {
        name: "a conversation is taken up on a base that is gone",
        promise: "AG-08, ST-05: what stood on an undone landing starts over",
        edits: &[Edit {
            file: "afresh-core/src/run/apply/rewinds.rs",
            text: "task.interrupted.as_ref().is_some_and(|left| gone(&left.ground.base))",
            instead: "false",
        }],
    },
    Mutation {
        name: "a worker is warned again and again",
        promise: "AG-07: at the soft limit a worker is told once",
        edits: &[Edit {
            file: "afresh-core/src/decide/models.rs",
            text: "is_first && !is_warned &&",
            instead: "is_first && (is_warned || true) &&",
        }],
    },
];
