//! A way to the hosts of a list, and to nobody else.
//!
//! A [`Door`] serves one worker: `CONNECT host:port` and plain `http://` requests, as programs send
//! them to a proxy. Whoever is on its list of [`Hosts`] is connected to; anybody else is refused,
//! counted and never even looked up. What goes through is not looked at: encrypted connections stay
//! encrypted from end to end. That a worker has no other way out is for the sandbox.
//!
//! ```text
//! program ─▶ listener ─▶ acceptor ─▶ visit: head ─▶ on the list? ─▶ dial ─▶ relay
//!                       (one thread)  (one thread each)    └─ no: 403, tally
//! ```
//!
//! Everything has a bound: connections of a worker and of all, bytes and time of a request's head,
//! bytes on their way, names that are remembered. A door that is dropped ends all that it carries.
//!
//! | module | idea |
//! | --- | --- |
//! | `hosts` | who may be reached, as people write it |
//! | `address` | where a name may lead |
//! | `head` | the first lines of a request, and what we make of them; pure |
//! | `upstream` | the user's own proxy |
//! | `dial` | connecting |
//! | `visit` | one connection, from its first byte to its last |
//! | `relay` | bytes both ways |
//! | `door` | listeners, threads, bounds |
//! | `tally` | who was refused, and how often |
//! | `wait` | waiting that ends when the door closes |

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
