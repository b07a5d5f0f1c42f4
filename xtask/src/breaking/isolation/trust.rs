//! What a worker may pass on to other programs, and what git does with it.

use super::Group;
use crate::breaking::{Edit, Mutation};

pub(super) const GROUPS: &[Group] = &[
    Group {
        noticed_by: &[
            "-p",
            "afresh",
            "--test",
            "runs",
            "--test",
            "agents",
            "--",
            "scope::",
            "bad_workers::",
        ],
        mutations: &[
            Mutation {
                name: "trust: files that hand it over are free",
                promise: "EX-04: nothing is trusted by the way",
                edits: &[Edit {
                    file: "afresh-core/src/attempt/scope.rs",
                    text: "        if hands_trust(&change.path) {\n            return Some(ViolationReason::Trust);\n        }\n",
                    instead: "",
                }],
            },
            Mutation {
                name: "trust: nobody is asked",
                promise: "EX-04: a person decides about listed ones",
                edits: &[Edit {
                    file: "afresh-core/src/attempt/scope.rs",
                    text: "} else if hands_trust(&change.path) && !is_plan_document(&change.path) {",
                    instead: "} else if false {",
                }],
            },
            Mutation {
                name: "trust: the plan may be changed",
                promise: "B28: a run rests on its own plan",
                edits: &[Edit {
                    file: "afresh-core/src/attempt/scope.rs",
                    text: "if self.pinned.contains(&change.path) {",
                    instead: "if false {",
                }],
            },
            Mutation {
                name: "trust: links may leave the tree",
                promise: "B03: no link leads out",
                edits: &[Edit {
                    file: "afresh-core/src/attempt/scope.rs",
                    text: "EntryKind::Symlink(target) if leaves_tree(&change.path, target) => {",
                    instead: "EntryKind::Symlink(target) if target.is_empty() && leaves_tree(&change.path, target) => {",
                }],
            },
        ],
    },
    Group {
        noticed_by: &["-p", "afresh-git"],
        mutations: &[
            Mutation {
                // Either protection alone is enough, so both have to be removed.
                name: "git: a worker's own configuration is used, and file monitors run",
                promise: "B31: nothing of a worker runs as us",
                edits: &[
                    Edit {
                        file: "afresh-git/src/git/command.rs",
                        text: "    \"core.fsmonitor=false\",\n",
                        instead: "",
                    },
                    Edit {
                        file: "afresh-git/src/workspace/pool.rs",
                        text: "Ok(call.env(\"GIT_WORK_TREE\", &tree)",
                        instead: "Ok(call.env(\"GIT_WORK_TREE\", &tree).env(\"GIT_DIR\", tree.join(\".git\"))",
                    },
                ],
            },
            Mutation {
                name: "git: hooks run",
                promise: "B31: nothing of a worker runs as us",
                edits: &[Edit {
                    file: "afresh-git/src/git/command.rs",
                    text: "\"core.hooksPath=/dev/null\",\n    \"core.fsmonitor=false\",",
                    instead: "\"core.fsmonitor=false\",",
                }],
            },
            Mutation {
                name: "git: a changed .git is not noticed",
                promise: "B31: it is told",
                edits: &[Edit {
                    file: "afresh-git/src/harvest/tamper.rs",
                    text: "if is_setting && DANGEROUS.iter().any(known) {",
                    instead: "if false {",
                }],
            },
        ],
    },
];
