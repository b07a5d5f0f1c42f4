//! What people and scripts are shown: plans, findings and runs as text and JSON.
//!
//! Nothing in here prints, reads files or knows a terminal: functions take data and return text or
//! something that serialises. The binary prints it.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`audit`] | how large a specification is, as text and JSON |
//! | [`colored_diff`] | the kinds of the lines of a patch |
//! | [`conflicts`] | why two tasks cannot run at the same time |
//! | [`forecast_text`] | what a plan is expected to take, and its score, in a line each |
//! | [`html_report`] | a run as one HTML page |
//! | [`plan_graph`] | a plan as a picture, as a tree, for Mermaid, for Graphviz |
//! | [`plan_json`] | a plan as JSON |
//! | [`plan_text`] | a plan as text |
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
pub mod conflicts;
pub mod forecast_text;
pub mod html_report;
pub mod plan_graph;
pub mod plan_json;
pub mod plan_text;
pub mod probe_json;
pub mod pull_request;
pub mod sarif;
pub mod state_page;
pub mod task_page;
pub mod trace;
pub mod verification;
pub mod worker_files;
