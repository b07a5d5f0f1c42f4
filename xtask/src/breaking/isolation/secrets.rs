//! Secrets, and text that controls terminals.

use super::Group;
use crate::breaking::{Edit, Mutation};

pub(super) const GROUPS: &[Group] = &[
    Group {
        noticed_by: &["-p", "afresh", "--test", "isolation", "leaks::"],
        mutations: &[Mutation {
            name: "secrets: a change may hold them",
            promise: "B36: such a change does not land",
            edits: &[Edit {
                file: "afresh-engine/src/executor/harvest/secret_scan.rs",
                text: "if matches.is_empty() {",
                instead: "if true {",
            }],
        }],
    },
    Group {
        noticed_by: &["-p", "afresh", "--test", "isolation", "secrets::"],
        mutations: &[
            Mutation {
                name: "secrets: output is not redacted",
                promise: "B36: no key on disk",
                edits: &[Edit {
                    file: "afresh-secrets/src/matcher.rs",
                    text: "let Some(pattern) = Self::key_pattern(&found) else {\n            return Classified::Secret { end: found.end() };\n        };",
                    instead: "let Some(pattern) = Self::key_pattern(&found) else {\n            return Classified::NotSecret;\n        };",
                }],
            },
            Mutation {
                name: "secrets: workers see the whole environment",
                promise: "B36: an allow-list, never the whole",
                edits: &[Edit {
                    file: "afresh-engine/src/execution_config.rs",
                    text: "        named\n            .filter_map(|name| {\n                self.environment.get(name).map(|value| (name.to_owned(), value.clone()))\n            })\n            .collect()",
                    instead: "        drop(named);\n        self.environment.clone()",
                }],
            },
        ],
    },
    Group {
        noticed_by: &["-p", "afresh", "--test", "isolation", "scanning::"],
        mutations: &[
            Mutation {
                name: "scan: finds nothing",
                promise: "B36: where secrets are",
                edits: &[Edit {
                    file: "afresh-secrets/src/scan.rs",
                    text: "if matches.is_empty() {",
                    instead: "if true {",
                }],
            },
            Mutation {
                name: "scan: kept work is passed over",
                promise: "B36: also in work that did not land",
                edits: &[Edit {
                    file: "afresh-engine/src/scan/history.rs",
                    text: "(SecretSource::Salvage, OWN_REFS)",
                    instead: "(SecretSource::Salvage, \"refs/nothing/\")",
                }],
            },
        ],
    },
    Group {
        noticed_by: &["-p", "afresh-core", "--lib"],
        mutations: &[Mutation {
            name: "terminal: control characters pass",
            promise: "B35: nothing draws on the terminal",
            edits: &[Edit {
                file: "afresh-core/src/printable.rs",
                text: "None if is_unprintable(c) => shown.extend(c.escape_default()),",
                instead: "None if false => shown.extend(c.escape_default()),",
            }],
        }],
    },
];
