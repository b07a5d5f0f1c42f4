//! The full-screen view without a terminal: what keys do, and what stands on the screen.

#[path = "../../../afresh-dashboard/tests/dashboards/recorded.rs"]
#[allow(dead_code, reason = "the tests of the dashboard use the rest")]
mod recorded;

mod drawings;
mod hostile;
mod scene;
mod stories;
