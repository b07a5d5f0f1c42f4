//! A proxy to the hosts of an allowlist, and to no others.
//!
//! A [`Proxy`] serves one worker: `CONNECT host:port` and plain `http://` requests. Hosts on its
//! [`HostAllowlist`] are connected to; all others are denied, counted and never even resolved. The
//! traffic is not inspected: encrypted connections stay encrypted from end to end. The sandbox
//! makes sure that a worker has no other way out.
//!
//! ```text
//! program ─▶ listener ─▶ acceptor ─▶ connection: request head ─▶ allowed? ─▶ dial ─▶ relay
//!                       (one thread)  (one thread each)             └─ no: 403, counted
//! ```
//!
//! Everything is limited: connections per worker and in total, size and time of a request's head,
//! bytes in transit, remembered names. Dropping a proxy ends all its connections.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `allowlist` | the hosts that may be reached |
//! | `address` | the addresses that a name may resolve to |
//! | `request_head` | parsing and rewriting a request's head; pure |
//! | `upstream` | the user's own proxy |
//! | `dial` | connecting |
//! | `connection` | one connection of a program |
//! | `relay` | copying bytes both ways |
//! | `proxy` | listeners, threads, connection limits |
//! | `denials` | counts of denied hosts |
//! | `shutdown` | waits that end when the proxy is shut down |

mod address;
mod allowlist;
mod connection;
mod denials;
mod dial;
mod proxy;
mod relay;
mod request_head;
mod shutdown;
mod upstream;

pub use crate::allowlist::{HostAllowlist, HostPattern, HostPatternError, ProxyTarget};
pub use crate::denials::DeniedHost;
pub use crate::proxy::{ConnectionLimit, ListenerRoute, Proxy, ProxyListener};
pub use crate::request_head::{HeadError, MAX_HEAD_BYTES, ProxyRequest, RequestHead, parse_head};
pub use crate::shutdown::ShutdownSignal;
pub use upstream::{UpstreamError, UpstreamProxy};
