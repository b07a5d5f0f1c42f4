//! What workers and checks may do, as the user set it.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`budget`] | limits on tokens and cost |
//! | [`hook_consent`] | which hooks the user has allowed |
//! | [`limits`] | limits on memory, processes and disk |
//! | [`network`] | the hosts that workers may reach |
//! | [`sandbox`] | which sandbox is used, and which paths it opens |

pub mod budget;
pub mod hook_consent;
pub mod limits;
pub mod network;
pub mod sandbox;
