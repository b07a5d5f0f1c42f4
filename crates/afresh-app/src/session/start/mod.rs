//! How a run is started.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`ground`] | what a run was prepared from, and whether it is still so |
//! | [`left_out_config`] | a configuration that is committed, but not in the checkout |
//! | [`options`] | how to run: options win over the configuration |
//! | [`preflight`] | what must be true before a run touches anything |
//! | `progress_target` | whether and where progress is written into the plan's own files |

pub mod ground;
pub mod left_out_config;
pub mod options;
pub mod preflight;
pub(super) mod progress_target;
