//! Batches of merges: how they are formed, checked, taken apart and landed.

use crate::breaking::{Edit, Mutation};

pub(super) const ALL: &[Mutation] = &[
    Mutation {
        name: "a merge lands unchecked",
        promise: "R4: the branch only points to trees that passed",
        edits: &[Edit {
            file: "afresh-core/src/decide/merging/rounds.rs",
            text: "let is_same = merged.tree == harvest.tree && merged.onto == *self.run.tip();",
            instead: "let is_same = merged.onto == *self.run.tip();",
        }],
    },
    Mutation {
        name: "a failed batch lands",
        promise: "R4: the branch only points to trees that passed",
        edits: &[Edit {
            file: "afresh-core/src/decide/merging/rounds.rs",
            text: "if !results.iter().all(CheckResult::is_accepted) {\n                    self.record(Event::BatchFailed",
            instead: "if results.is_empty() {\n                    self.record(Event::BatchFailed",
        }],
    },
    Mutation {
        name: "a later batch lands first",
        promise: "R3, IN-04: only the first batch of the chain lands",
        edits: &[Edit {
            file: "afresh-core/src/decide/merging/landing.rs",
            text: "let Some(first) = self.run.merge_queue().chain().first().cloned() else { return };",
            instead: "let Some(first) = self.run.merge_queue().chain().last().cloned() else { return };",
        }],
    },
    Mutation {
        name: "what was built on a failed batch is kept",
        promise: "IN-04: the result of a dropped premise is not used",
        edits: &[Edit {
            file: "afresh-core/src/decide/merging/rounds.rs",
            text: "return self.postpone_after(batch.id, PostponeReason::PremiseFailed);",
            instead: "return;",
        }],
    },
    Mutation {
        name: "a batch is larger than allowed",
        promise: "IN-02: `[merge] batch` bounds it",
        edits: &[Edit {
            file: "afresh-core/src/decide/merging/forming.rs",
            text: "BatchLimit::AtMost(most) => usize::from(most.max(1)),",
            instead: "BatchLimit::AtMost(most) => usize::from(most.max(1)) + 1,",
        }],
    },
    Mutation {
        name: "the owner of a failed check is rejected at once",
        promise: "IN-03: what fails in company is tried alone",
        edits: &[Edit {
            file: "afresh-core/src/decide/merging/culprits.rs",
            text: "        if !suspects.is_empty() {\n            return self.set_apart(&batch, &suspects);",
            instead: "        if let Some(at) = suspects.first() {\n            return self.reject_broken(*at, results.to_vec());",
        }],
    },
    Mutation {
        name: "the last member is always the culprit",
        promise: "IN-03: work that breaks nothing is not sent back",
        edits: &[Edit {
            file: "afresh-core/src/decide/merging/culprits.rs",
            text: "        self.set_apart(&batch, &[batch.members[search.bad - 1]]);",
            instead: "        let results = search.results.clone();\n        self.reject_broken(batch.members[batch.members.len() - 1], results);",
        }],
    },
    Mutation {
        name: "results of a prefix count for the whole batch",
        promise: "R4: the tree that lands is the tree that passed",
        edits: &[Edit {
            file: "afresh-core/src/run/apply/merges.rs",
            text: "        if passed {\n            search.good = search.good.max(length);",
            instead: "        if passed {\n            let results = search.results.iter().cloned().map(|mut it| { it.end = crate::check::CheckEnd::Exited(0); it });\n            let results = results.collect();\n            self.merge_queue.set_stage(id, BatchStage::Passed(results));\n            return;",
        }],
    },
    Mutation {
        name: "a receipt names a tree that nobody checked",
        promise: "R4: a receipt is about a tree that was checked",
        edits: &[Edit {
            file: "afresh-core/src/decide/merging/landing.rs",
            text: "        tree: covering.tree.clone(),",
            instead: "        tree: harvest.tree.clone(),",
        }],
    },
    Mutation {
        name: "batches of an earlier driver are believed",
        promise: "R12: checks die with their driver",
        edits: &[Edit {
            file: "afresh-core/src/decide/merging/mod.rs",
            text: "        if let Some(id) = stale.map(|batch| batch.id) {\n            self.postpone_from(id, PostponeReason::Restarted);\n        }\n",
            instead: "        let _ = (stale, PostponeReason::Restarted);\n",
        }],
    },
    Mutation {
        name: "only the last member is recorded as merged",
        promise: "R3: everything that is on the branch is done",
        edits: &[Edit {
            file: "afresh-core/src/decide/merging/landing.rs",
            text: "                for at in batch.members {\n                    let Some(merged)",
            instead: "                for at in batch.members.into_iter().rev().take(1) {\n                    let Some(merged)",
        }],
    },
    Mutation {
        name: "a batch waits for more work for ever",
        promise: "IN-02: waiting for more work is bounded",
        edits: &[Edit {
            file: "afresh-core/src/decide/merging/forming.rs",
            text: "            return until > self.now;",
            instead: "            return until.0 > 0;",
        }],
    },
    Mutation {
        name: "a collision counts",
        promise: "EX-05: who was slower loses no attempt",
        edits: &[Edit {
            file: "afresh-core/src/decide/merging/rounds.rs",
            text: "self.reject(at, Rejection::Conflict { paths, detail }, AttemptCounts::No);",
            instead: "self.reject(at, Rejection::Conflict { paths, detail }, AttemptCounts::Yes);",
        }],
    },
    Mutation {
        name: "an outsider's commit is taken for ours",
        promise: "R3: the branch is where the journal says",
        edits: &[Edit {
            file: "afresh-core/src/decide/merging/landing.rs",
            text: "BranchMove::Foreign(commit) => self.ask_about_branch(at, commit),",
            instead: "BranchMove::Foreign(commit) => {\n                self.record(Event::Merged { attempt: attempt.clone(), commit: commit.clone() });\n            }",
        }],
    },
];
