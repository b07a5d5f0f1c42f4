//! What was logged: the activity of a run, and what the attempts of a task printed.
//!
//! | module | idea |
//! | --- | --- |
//! | [`activity`] | the journal as lines, and what is added to it |
//! | [`transcript`] | which files tell of an attempt |
//! | [`pages`] | printing those files, and what is added to them |
//! | [`readers`], [`told`] | which agent said it; its reports as people read them |
//! | [`decode`] | bytes of a worker as text that is safe to show |

pub(crate) mod activity;
mod decode;
pub(crate) mod pages;
pub(crate) mod readers;
mod told;
pub(crate) mod transcript;

use std::time::Duration;

/// How often files and journal are looked at while they are followed.
pub(crate) const PAUSE: Duration = Duration::from_millis(150);
