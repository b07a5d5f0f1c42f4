//! One line: `T001: SUCCESS` or `T001: FAILED - reason`.

use crate::text::markdown::lines;

/// What `ID: SUCCESS` or `ID: FAILED - reason` says, where a line is that and nothing else.
pub(super) enum Said<'a> {
    Success,
    Failed(&'a str),
    /// It is about another task.
    Other(&'a str),
}

pub(super) fn read<'l>(line: &'l str, task: &str) -> Option<Said<'l>> {
    let bare = line.trim().trim_matches(['`', '*']);
    let (id, said) = bare.split_once(": ")?;
    let said = said.trim();
    let verdict = match said.strip_prefix("FAILED") {
        Some("") => Said::Failed("the worker gave no reason"),
        Some(rest) => Said::Failed(rest.strip_prefix(" - ")?.trim()),
        None if said == "SUCCESS" => Said::Success,
        None => return None,
    };
    // `tests: FAILED - 2 errors` is somebody's log.
    let like_an_id = id
        .strip_prefix('T')
        .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit()));
    match id {
        _ if id == task => Some(verdict),
        _ if like_an_id && task.is_empty() => Some(verdict),
        _ if like_an_id => Some(Said::Other(id)),
        _ => None,
    }
}

/// Why the last line about this task says that it failed.
pub(super) fn failed(text: &str, task: &str) -> Option<String> {
    let said = lines(text).filter_map(|line| read(line.text, task)).last()?;
    match said {
        Said::Failed(reason) => Some(format!("FAILED - {reason}")),
        Said::Success | Said::Other(_) => None,
    }
}
