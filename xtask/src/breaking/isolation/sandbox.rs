//! Sandboxes and limits.

use super::Group;
use crate::breaking::{Edit, Mutation};

pub(super) const GROUPS: &[Group] = &[
    Group {
        noticed_by: &["-p", "afresh-sandbox"],
        mutations: &[
            Mutation {
                name: "bubblewrap: the network stays",
                promise: "B22: checks have no network",
                edits: &[Edit {
                    file: "afresh-sandbox/src/bubblewrap.rs",
                    text: "add(&[\"--unshare-net\"]);",
                    instead: "add(&[]);",
                }],
            },
            Mutation {
                name: "bubblewrap: processes of others stay",
                promise: "R6: nobody else is signalled",
                edits: &[Edit {
                    file: "afresh-sandbox/src/bubblewrap.rs",
                    text: "\"--unshare-pid\", ",
                    instead: "",
                }],
            },
            Mutation {
                name: "bubblewrap: everything may be written",
                promise: "R5: a program writes in its own place",
                edits: &[Edit {
                    file: "afresh-sandbox/src/bubblewrap.rs",
                    text: "\"--ro-bind\", \"/\", \"/\"",
                    instead: "\"--bind\", \"/\", \"/\"",
                }],
            },
            Mutation {
                name: "bubblewrap: nothing is hidden",
                promise: "B22: the home directory is not there",
                edits: &[Edit {
                    file: "afresh-sandbox/src/bubblewrap.rs",
                    text: "if Path::new(&path).is_dir() => {\n                add(&[\"--tmpfs\", &path]);",
                    instead: "if Path::new(&path).is_dir() => {\n                add(&[]);",
                }],
            },
            Mutation {
                name: "bubblewrap: hidden files are seen",
                promise: "B22: what is hidden is not there",
                edits: &[Edit {
                    file: "afresh-sandbox/src/bubblewrap.rs",
                    text: "add(&[\"--ro-bind\", \"/dev/null\", &path])",
                    instead: "add(&[])",
                }],
            },
            Mutation {
                name: "bubblewrap: root keeps its rights",
                promise: "R5: a room cannot be opened from inside",
                edits: &[Edit {
                    file: "afresh-sandbox/src/bubblewrap.rs",
                    text: "add(&[\"--cap-drop\", \"ALL\"]);",
                    instead: "",
                }],
            },
            Mutation {
                name: "bubblewrap: services can be called",
                promise: "B29: no service opens the room",
                edits: &[Edit {
                    file: "afresh-sandbox/src/bubblewrap.rs",
                    text: "add(&[\"--tmpfs\", SERVICES]);",
                    instead: "add(&[]);",
                }],
            },
            Mutation {
                name: "bubblewrap: temporary files of all",
                promise: "R5: temporary files are its own",
                edits: &[Edit {
                    file: "afresh-sandbox/src/bubblewrap.rs",
                    text: "add(&[\"--bind\", &path_text(&spec.temp), \"/tmp\"]);",
                    instead: "add(&[\"--bind\", \"/tmp\", \"/tmp\"]);",
                }],
            },
            Mutation {
                name: "bubblewrap: what is hidden takes files",
                promise: "R5: nothing is written beside the room",
                edits: &[Edit {
                    file: "afresh-sandbox/src/bubblewrap.rs",
                    text: "if *access == PathAccess::Hide && path.is_dir() {",
                    instead: "if false {",
                }],
            },
            Mutation {
                name: "Landlock: no rules at all",
                promise: "R5: a program writes in its own place",
                edits: &[Edit {
                    file: "afresh-sandbox/src/exec_stage.rs",
                    text: "            landlock::restrict(spec)?;\n",
                    instead: "",
                }],
            },
            Mutation {
                name: "Landlock: everything may be written",
                promise: "R5: a program writes in its own place",
                edits: &[Edit {
                    file: "afresh-sandbox/src/landlock.rs",
                    text: "made = allow(made, &path, read)?;",
                    instead: "made = allow(made, &path, all)?;",
                }],
            },
            Mutation {
                name: "Landlock: what is hidden is read",
                promise: "B22: the home directory is not read",
                edits: &[Edit {
                    file: "afresh-sandbox/src/landlock.rs",
                    text: "if hidden.contains(path.as_path()) {",
                    instead: "if false {",
                }],
            },
            Mutation {
                name: "Landlock: signals to all",
                promise: "R6: nobody else is signalled",
                edits: &[Edit {
                    file: "afresh-sandbox/src/landlock.rs",
                    text: "            .scope(Scope::Signal)?\n",
                    instead: "",
                }],
            },
            Mutation {
                name: "seccomp: no filter",
                promise: "B22: no way around the rules",
                edits: &[Edit {
                    file: "afresh-sandbox/src/exec_stage.rs",
                    text: "            seccomp::restrict(spec)?;\n",
                    instead: "",
                }],
            },
            Mutation {
                name: "seccomp: sockets of all kinds",
                promise: "B22: checks have no network",
                edits: &[Edit {
                    file: "afresh-sandbox/src/seccomp.rs",
                    text: "Network::Off => vec![all(&[is_not(0, libc::AF_UNIX)?])?],",
                    instead: "Network::Off => Vec::new(),",
                }],
            },
            Mutation {
                name: "seccomp: sockets of services",
                promise: "B29: no service opens the room",
                edits: &[Edit {
                    file: "afresh-sandbox/src/seccomp.rs",
                    text: "if !spec.sockets {",
                    instead: "if false {",
                }],
            },
            Mutation {
                name: "limits: none",
                promise: "F16: memory and files are limited",
                edits: &[Edit {
                    file: "afresh-sandbox/src/rlimits.rs",
                    text: "pub(crate) fn apply(&self) -> io::Result<()> {",
                    instead: "pub(crate) fn apply(&self) -> io::Result<()> {\n        if !cfg!(any()) { return Ok(()); }",
                }],
            },
        ],
    },
    Group {
        noticed_by: &["-p", "afresh", "--test", "isolation", "--", "sandbox::", "hostile_worker::"],
        mutations: &[
            Mutation {
                name: "rooms: afresh's state is seen",
                promise: "R5: the journal is out of reach",
                edits: &[Edit {
                    file: "afresh-engine/src/executor/sandbox/mod.rs",
                    text: "            self.layout.state.clone(),\n",
                    instead: "",
                }],
            },
            Mutation {
                name: "rooms: workspaces of others are seen",
                promise: "R5: other attempts are out of reach",
                edits: &[Edit {
                    file: "afresh-engine/src/executor/sandbox/mod.rs",
                    text: "            self.layout.cache.clone(),\n",
                    instead: "",
                }],
            },
            Mutation {
                name: "rooms: the checkout is seen",
                promise: "R5: the checkout is out of reach",
                edits: &[Edit {
                    file: "afresh-engine/src/executor/sandbox/mod.rs",
                    text: "hidden.extend(repository.root().map(Path::to_owned));",
                    instead: "",
                }],
            },
            Mutation {
                name: "rooms: the home directory is seen",
                promise: "B22: the home directory is not there",
                edits: &[Edit {
                    file: "afresh-engine/src/executor/sandbox/mod.rs",
                    text: "let private = home.iter().filter(|path| path.parent().is_some()).cloned().collect();",
                    instead: "let private = Vec::new();",
                }],
            },
            Mutation {
                name: "rooms: checks have a network",
                promise: "B22: checks have no network",
                edits: &[Edit {
                    file: "afresh-engine/src/executor/sandbox/network.rs",
                    text: "SandboxSubject::Check if !sandbox.check_network => AgentNetwork::Off,",
                    instead: "SandboxSubject::Check if false => AgentNetwork::Off,",
                }],
            },
            Mutation {
                name: "rooms: nobody is inside",
                promise: "R5, B22: workers and checks are held",
                edits: &[Edit {
                    file: "afresh-engine/src/executor/sandbox/mod.rs",
                    text: "job.wrapper = enclosed.wrapper;",
                    instead: "drop(enclosed.wrapper);",
                }],
            },
            Mutation {
                name: "required: goes on without",
                promise: "F22: nothing runs without a sandbox that is required",
                edits: &[Edit {
                    file: "afresh-app/src/config/policy/sandbox.rs",
                    text: "if found.level.is_off() && (request.required || !matches!(word, \"auto\" | \"off\")) {",
                    instead: "if false {",
                }],
            },
        ],
    },
];
