//! The network of agents: the allowlist, the proxy, the ways around it.

use super::Group;
use crate::breaking::{Edit, Mutation};

pub(super) const GROUPS: &[Group] = &[
    Group {
        noticed_by: &[
            "-p",
            "afresh-proxy",
            "--lib",
            "--test",
            "proxy",
            "--test",
            "connection_limit",
        ],
        mutations: &[
            Mutation {
                name: "proxy: everybody is on the list",
                promise: "R5: only who is on the list is reached",
                edits: &[Edit {
                    file: "afresh-proxy/src/connection.rs",
                    text: "rules.hosts.listed(target).ok_or_else(|| RequestDenial::NotListed(target.clone()))?",
                    instead: "rules.hosts.listed(target).unwrap_or(AllowlistMatch::Name)",
                }],
            },
            Mutation {
                name: "proxy: the end of a name is enough",
                promise: "R5: a name is below another by its parts",
                edits: &[Edit {
                    file: "afresh-proxy/src/allowlist.rs",
                    text: "is_some_and(|rest| rest.len() > 1 && rest.ends_with('.'))",
                    instead: "is_some()",
                }],
            },
            Mutation {
                name: "proxy: ports do not count",
                promise: "R5: a host is reached at its ports",
                edits: &[Edit {
                    file: "afresh-proxy/src/allowlist.rs",
                    text: "port.then_some(listed)",
                    instead: "Some(listed).filter(|_| port || !port)",
                }],
            },
            Mutation {
                name: "proxy: names lead anywhere",
                promise: "R5: a name does not lead to this machine",
                edits: &[Edit {
                    file: "afresh-proxy/src/address.rs",
                    text: "hosts.names_address(address, target.port)",
                    instead: "hosts.names_address(address, target.port) || true",
                }],
            },
            Mutation {
                name: "proxy: an old address hides in a new one",
                promise: "R5: a name does not lead to this machine",
                edits: &[Edit {
                    file: "afresh-proxy/src/address.rs",
                    text: "Some(octets) => address_scope(IpAddr::from(octets)),",
                    instead: "Some(_) => AddressScope::Public,",
                }],
            },
            Mutation {
                name: "proxy: nobody counts who is refused",
                promise: "R5: who was refused is told",
                edits: &[Edit {
                    file: "afresh-proxy/src/connection.rs",
                    text: "            rules.denials.add(&target.to_string());\n            (\"403 Forbidden\"",
                    instead: "            (\"403 Forbidden\"",
                }],
            },
            Mutation {
                name: "proxy: names without end are remembered",
                promise: "R15: what is remembered is bounded",
                edits: &[Edit {
                    file: "afresh-proxy/src/denials.rs",
                    text: "let host = if is_known { host } else { OTHERS };",
                    instead: "let host = if is_known || true { host } else { OTHERS };",
                }],
            },
            Mutation {
                name: "proxy: connections without end",
                promise: "R15: connections are bounded",
                edits: &[Edit {
                    file: "afresh-proxy/src/proxy.rs",
                    text: "if own < MAX_PER_PROXY && (all < MAX_TOTAL || own < GUARANTEED_PER_PROXY) {",
                    instead: "if own < usize::MAX && all < usize::MAX && MAX_PER_PROXY + MAX_TOTAL > GUARANTEED_PER_PROXY {",
                }],
            },
            Mutation {
                name: "proxy: whoever is late finds nothing",
                promise: "R15: no worker keeps another from its model",
                edits: &[Edit {
                    file: "afresh-proxy/src/proxy.rs",
                    text: "const GUARANTEED_PER_PROXY: usize = 4;",
                    instead: "const GUARANTEED_PER_PROXY: usize = 0;",
                }],
            },
            Mutation {
                name: "proxy: a head without end",
                promise: "R15: a request's head is bounded",
                edits: &[Edit {
                    file: "afresh-proxy/src/request_head.rs",
                    text: "let too_long = bytes.len() >= MAX_HEAD_BYTES;",
                    instead: "let too_long = bytes.len() >= usize::MAX;",
                }],
            },
            Mutation {
                name: "proxy: the host is asked by another name",
                promise: "R5: the name that was judged is the one that is asked",
                edits: &[Edit {
                    file: "afresh-proxy/src/request_head.rs",
                    text: "&[\"host\", \"proxy-connection\"",
                    instead: "&[\"proxy-connection\"",
                }],
            },
            Mutation {
                name: "proxy: the end of one direction is kept",
                promise: "who has said all is heard to have",
                edits: &[Edit {
                    file: "afresh-proxy/src/relay.rs",
                    text: "let _ = self.to.shutdown(Shutdown::Write);",
                    instead: "let _ = Shutdown::Write;",
                }],
            },
        ],
    },
    Group {
        noticed_by: &["-p", "afresh-sandbox", "--test", "network"],
        mutations: &[
            Mutation {
                name: "listed, bubblewrap: the network stays",
                promise: "R5: workers reach their proxy alone",
                edits: &[Edit {
                    file: "afresh-sandbox/src/bubblewrap.rs",
                    text: "if spec.network != SandboxNetwork::On {",
                    instead: "if spec.network == SandboxNetwork::Off {",
                }],
            },
            Mutation {
                name: "listed, Landlock: connections to everybody",
                promise: "R5: workers reach their proxy alone",
                edits: &[Edit {
                    file: "afresh-sandbox/src/landlock.rs",
                    text: "ruleset = ruleset.handle_access(AccessNet::ConnectTcp)?;\n                ports.local.iter().copied().chain([ports.proxy]).collect()",
                    instead: "let _ = ports;\n                Vec::<u16>::new()",
                }],
            },
            Mutation {
                name: "listed, seccomp: sockets of all kinds",
                promise: "R5: no datagrams, no raw sockets",
                edits: &[Edit {
                    file: "afresh-sandbox/src/seccomp.rs",
                    text: "                all_but_tcp()?\n",
                    instead: "all_but_tcp()?.clear();\n                Vec::new()\n",
                }],
            },
            Mutation {
                name: "listed, seccomp: protocols that Landlock does not know",
                promise: "R5: no connection past the rules",
                edits: &[Edit {
                    file: "afresh-sandbox/src/seccomp.rs",
                    text: "vec![all(&other_families)?, all(&other_protocols)?]",
                    instead: "vec![all(&other_families)?, { let _ = other_protocols; all(&other_families)? }]",
                }],
            },
            Mutation {
                name: "listed, seccomp: connections by sending",
                promise: "R5: no connection past the rules",
                edits: &[Edit {
                    file: "afresh-sandbox/src/seccomp.rs",
                    text: "rules.extend(no_fast_open()?);",
                    instead: "let _ = no_fast_open()?;",
                }],
            },
            Mutation {
                name: "counters: calls are not counted",
                promise: "B22: calls of checks are told",
                edits: &[Edit {
                    file: "afresh-sandbox/src/handoff.rs",
                    text: "(\"Ip:\", \"OutNoRoutes\")",
                    instead: "(\"Ip:\", \"Nothing\")",
                }],
            },
        ],
    },
    Group {
        noticed_by: &["-p", "afresh", "--test", "isolation", "agent_network::"],
        mutations: &[
            Mutation {
                name: "agents: everybody is reached",
                promise: "R5: workers reach their list alone",
                edits: &[Edit {
                    file: "afresh-engine/src/executor/sandbox/network.rs",
                    text: "SandboxSubject::Worker { agent, .. } => sandbox.network_of(&agent.name),",
                    instead: "SandboxSubject::Worker { .. } => AgentNetwork::Open,",
                }],
            },
            Mutation {
                name: "agents: nobody is told who was refused",
                promise: "R5: who was refused is told",
                edits: &[Edit {
                    file: "afresh-engine/src/executor/sandbox/denials/mod.rs",
                    text: "refusals.extend(room.map(SandboxGuard::refusals).unwrap_or_default());",
                    instead: "let _ = room.map(SandboxGuard::refusals);",
                }],
            },
            Mutation {
                name: "agents: what a project closes stays open",
                promise: "B22: a project can close the network",
                edits: &[Edit {
                    file: "afresh-app/src/config/policy/network/mod.rs",
                    text: ".max(request.config.unwrap_or(NetworkMode::Open))",
                    instead: ".max(NetworkMode::Open)",
                }],
            },
            Mutation {
                name: "agents: the user's own proxy is passed by",
                promise: "workers get out where a proxy is the only way",
                edits: &[Edit {
                    file: "afresh-engine/src/executor/sandbox/network.rs",
                    text: "let upstream = self.config.sandbox.upstream.clone();",
                    instead: "let upstream = afresh_proxy::UpstreamProxy::default();",
                }],
            },
        ],
    },
];
