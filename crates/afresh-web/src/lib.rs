//! The page of `afresh serve`: runs, tasks and questions in a browser, over HTTP on this machine.
//!
//! It shows what is recorded, and passes answers, comments, retries, skips and halts on to the run as `afresh decide`
//! and its siblings do. No request runs a command.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`server`] | binding, serving, stopping |
//! | [`guard`] | who may ask: token, Host, Origin; headers of every answer |
//! | `connections` | how many there are, and how long one may take to ask |
//! | [`feed`] | one watched run, shared by every browser that looks at it |
//! | `list_cache` | lists over all runs, made again only when they may have changed |
//! | [`failure`] | errors as JSON with a status |
//! | `routes` | what can be asked, one file per topic |
//! | `page` | the files of the page, which are part of the program |

mod connections;
pub mod failure;
pub mod feed;
pub mod guard;
mod list_cache;
mod page;
mod routes;
pub mod server;

pub use guard::AccessToken;
pub use server::{StopSwitch, WebServer, WebServerConfig};
