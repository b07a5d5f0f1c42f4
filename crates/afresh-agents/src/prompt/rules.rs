//! Rules and result contract, the same for every worker.

pub(crate) const RULES: &str = "\
- Work only in the current directory: it is a private clone. Do not push, and leave git's configuration alone.
- Change only the files listed above. If the task cannot be done without another file:
  1. fix a bug, 2. add what is critically missing, or 3. fix what blocks you: do it, and declare it under `deviations`;
  4. for an architectural change, stop and answer NEEDS_DECISION;
  5. anything else: leave it, and note it with `afresh issue`.
- Never change tests or checks to make them pass. Never delete files that are not yours.
- Your claim is not enough: afresh runs the checks itself, on a clean checkout.
- `afresh log INFO WORD MESSAGE` adds a line to the run's log; `afresh issue TEXT` notes a problem that is not yours to fix.
- Commits are optional.";

pub(crate) const CONTRACT: &str = "\
Last of all, call the tool `report_result` of the server `afresh`, once (not listed? find it with tool_search), with one of:
{\"status\": \"COMPLETED\", \"files_modified\": [\"…\"], \"deviations\": [{\"rule\": 3, \"description\": \"why\", \"files\": [\"…\"]}]},
{\"status\": \"NEEDS_DECISION\", \"decision_needed\": \"…\", \"options\": [{\"key\": \"a\", \"description\": \"…\"}], \"context\": \"…\"},
{\"status\": \"NEEDS_ACTION\", \"action_needed\": \"…\", \"instructions\": [\"…\"]}, {\"status\": \"FAILED\", \"failed_at\": \"…\", \"error\": \"…\"},
{\"status\": \"PARTIAL\", \"reason\": \"…\"}, {\"status\": \"BLOCKED\", \"blocked_by\": [\"TASK\"], \"error\": \"…\"}.
No such tool? The command `afresh report-result` takes the same object on standard input.
Neither works? End with exactly one block like this, each marker alone on its line:
OUTPUT_JSON_START
{\"status\": \"COMPLETED\", \"files_modified\": [\"…\"], \"deviations\": []}
OUTPUT_JSON_END";
