//! What people and scripts are shown: plans, findings and runs as text and JSON.
//!
//! Nothing in here prints, reads files or knows a terminal: functions take data and return text or
//! something that serialises. The binary prints it.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`audit`] | how large a specification is, as text and JSON |
//! | [`colored_diff`] | the kinds of the lines of a patch |
//! | [`html_report`] | a run as one HTML page |
//! | [`plan`] | a plan as text, as JSON, and as a picture |
//! | [`probe_json`] | checks before any work as JSON |
//! | [`pull_request`] | a run as the text of a pull request |
//! | [`sarif`] | findings as SARIF |
//! | [`state_page`] | the state of a run as Markdown |
//! | [`task_page`] | one task of a run as text |
//! | [`trace`] | requirements and what proves them, as text and Markdown |
//! | [`verification`] | which commits receipts cover, as a table and as JSON |
//! | [`worker_files`] | the workers of a run, as users of long-run look for them |

pub mod audit;
pub mod colored_diff;
pub mod html_report;
pub mod plan;
pub mod probe_json;
pub mod pull_request;
pub mod sarif;
pub mod state_page;
pub mod task_page;
pub mod trace;
pub mod verification;
pub mod worker_files;
