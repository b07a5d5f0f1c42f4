//! How a worker reports: one way for each kind of agent.

use crate::bundle::{Bundle, ReportChannel};

/// Done, as an object; the example has no answer in it.
const COMPLETED: &str = r#"{"status": "COMPLETED", "files_modified": ["…"], "deviations": []}"#;

/// All others, and when each is right.
const OTHERS: &str = r#"- {"status": "PARTIAL", "reason": "…"}: some of it is done, and you cannot continue
- {"status": "BLOCKED", "blocked_by": ["TASK"], "error": "…"}: another task must be done first
- {"status": "NEEDS_DECISION", "decision_needed": "…", "options": [{"key": "a", "description": "…"}]}: a person must choose
- {"status": "NEEDS_ACTION", "action_needed": "…", "instructions": ["…"]}: a person must do something that you cannot
- {"status": "FAILED", "error": "…"}: it cannot be done
A deviation is {"rule": 1, "description": "…", "files": ["…"]}."#;

pub(super) fn contract(bundle: &Bundle) -> String {
    let tool = "Your last act is one call of the tool `report_result` (server `afresh`)";
    let how = match bundle.reports_by {
        ReportChannel::Commands => {
            return format!(
                "End your output with exactly one block like this, each marker alone on its line:\n\
                 OUTPUT_JSON_START\n{COMPLETED}\nOUTPUT_JSON_END\n\
                 Instead of COMPLETED, if that is not so:\n{OTHERS}"
            );
        }
        ReportChannel::Tools => String::new(),
        ReportChannel::HiddenTools => {
            " It may be hidden: then search for it with `tool_search`.".to_owned()
        }
        ReportChannel::ToolsOrCommand => {
            " It may be hidden: then search for it. If there is none, pipe the same \
             object into `afresh report-result`."
                .to_owned()
        }
    };
    format!(
        "{tool}, with one of these objects; without it, your work may be lost.{how}\n\
         - {COMPLETED}: the task is done\n{OTHERS}"
    )
}
