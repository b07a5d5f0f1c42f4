//! `afresh serve`: who gets in, and the page in a real browser.
//!
//! `AFRESH_TEST_PAGE_TOOLS` names the directory that `.ci/page-tools` prints; without it the stories in a browser report
//! that they did nothing. Whatever the browser writes to its console as an error fails the story.
//!
//! | module | what it tests |
//! | --- | --- |
//! | [`access`] | token, Host, Origin, paths, bodies, connections; no browser |
//! | [`acting`] | answers, comments, retries, skips and halts from the page |
//! | [`browser`] | drives Chromium, for the stories |
//! | [`hostile`] | what workers print, shown as text |
//! | [`layout`] | phone, dark, keyboard, a thousand tasks |
//! | [`live`] | updates, late joins, a server that was killed |
//! | [`modules`] | the types of the page's modules |
//! | [`server`] | a running `afresh serve`, and requests to it |

#[path = "../support/mod.rs"]
mod support;

mod access;
mod acting;
mod browser;
mod hostile;
mod layout;
mod live;
mod modules;
mod server;
