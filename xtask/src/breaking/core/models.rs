//! What models and agent programs do to a run.

use crate::breaking::{Edit, Mutation};

pub(super) const ALL: &[Mutation] = &[
    Mutation {
        name: "a passing failure of a model counts",
        promise: "AG-05: it says nothing about the task",
        edits: &[Edit {
            file: "afresh-core/src/decide/attempt/models.rs",
            text: "class => !class.is_transient() && !class.is_lasting(),",
            instead: "class => !class.is_lasting(),",
        }],
    },
    Mutation {
        name: "a model's wait is not kept",
        promise: "BE-04: a parked agent starts nothing before its time",
        edits: &[Edit {
            file: "afresh-core/src/run/programs.rs",
            text: "self.tasks[at].retries.not_before.max(parked)",
            instead: "self.tasks[at].retries.not_before.max(parked.filter(|_| false))",
        }],
    },
    Mutation {
        name: "a model's agent is not parked",
        promise: "BE-04: others of the same agent and size wait too",
        edits: &[Edit {
            file: "afresh-core/src/decide/attempt/models.rs",
            text: "            self.park_agent(at, &error);\n",
            instead: "",
        }],
    },
    Mutation {
        name: "a model is tried again at once",
        promise: "AG-05: after a failure there is a pause",
        edits: &[Edit {
            file: "afresh-core/src/run/programs.rs",
            text: "self.tasks[at].retries.not_before.max(parked)",
            instead: "parked",
        }],
    },
    Mutation {
        name: "a model that refuses is tried again",
        promise: "AG-06: what cannot pass is not tried again",
        edits: &[Edit {
            file: "afresh-core/src/decide/attempt/models.rs",
            text: "let over = class.is_lasting() || self",
            instead: "let over = self",
        }],
    },
    Mutation {
        name: "a model is waited for without end",
        promise: "AG-06: a person is asked in the end",
        edits: &[Edit {
            file: "afresh-core/src/decide/attempt/models.rs",
            text: "let over = class.is_lasting() || self.patience_is_over(at, &error);",
            instead: "let over = class.is_lasting();",
        }],
    },
    Mutation {
        name: "a model that fails is never replaced",
        promise: "AG-05: the next one down is tried",
        edits: &[Edit {
            file: "afresh-core/src/run/programs.rs",
            text: "let down = self.tasks[at].model_health.failures / TRIES_PER_MODEL;",
            instead: "let down = 0;",
        }],
    },
    Mutation {
        name: "a full context goes on",
        promise: "AG-07: at the hard limit the worker is stopped",
        edits: &[Edit {
            file: "afresh-core/src/decide/attempt/models.rs",
            text: "self.request(Effect::Stop { attempt: attempt.clone(), grace });",
            instead: "let _ = (grace, |attempt, grace| Effect::Stop { attempt, grace });",
        }],
    },
    Mutation {
        name: "a full context counts, whatever was finished",
        promise: "AG-07: who finished a step has not failed",
        edits: &[Edit {
            file: "afresh-core/src/decide/attempt/models.rs",
            text: "self.reject(at, Rejection::ContextFull { fill }, AttemptCounts::when(!progressed));",
            instead: "self.reject(at, Rejection::ContextFull { fill }, AttemptCounts::when(progressed || !progressed));",
        }],
    },
    Mutation {
        name: "a conversation is taken up for ever",
        promise: "AG-08: after two resumes a fresh worker comes",
        edits: &[Edit {
            file: "afresh-core/src/decide/attempt/interruptions.rs",
            text: "const MAX_RESUMES: usize = 2;",
            instead: "const MAX_RESUMES: usize = 20;",
        }],
    },
    Mutation {
        name: "a conversation goes on in any slot",
        promise: "AG-08: whoever goes on is where it was",
        edits: &[Edit {
            file: "afresh-core/src/decide/attempt/interruptions.rs",
            text: "let same = left.slot == slot",
            instead: "let _ = slot;\n        let same = true",
        }],
    },
    Mutation {
        name: "rejected work is taken up again",
        promise: "AG-08: only whoever was cut off goes on",
        edits: &[Edit {
            file: "afresh-core/src/attempt/rejection.rs",
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
        name: "a worker is warned again and again",
        promise: "AG-07: at the soft limit a worker is told once",
        edits: &[Edit {
            file: "afresh-core/src/decide/attempt/models.rs",
            text: "is_first && !is_warned &&",
            instead: "is_first && (is_warned || true) &&",
        }],
    },
];
