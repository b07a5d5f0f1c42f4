//! A result in one line: `T001: SUCCESS` or `T001: FAILED - reason`.

use crate::text::markdown::lines;

/// The meaning of a line that is only `ID: SUCCESS` or `ID: FAILED - reason`.
pub(crate) enum ResultLine<'a> {
    Success,
    Failed(&'a str),
    /// It is about another task.
    Other(&'a str),
}

pub(crate) fn read<'l>(line: &'l str, task: &str) -> Option<ResultLine<'l>> {
    let bare = line.trim().trim_matches(['`', '*']);
    let (id, status) = bare.split_once(": ")?;
    let status = status.trim();
    let verdict = match status.strip_prefix("FAILED") {
        Some("") => ResultLine::Failed("the worker gave no reason"),
        Some(rest) => ResultLine::Failed(rest.strip_prefix(" - ")?.trim()),
        None if status == "SUCCESS" => ResultLine::Success,
        None => return None,
    };
    // `tests: FAILED - 2 errors` is a line of a log, not a result.
    let like_an_id = id
        .strip_prefix('T')
        .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit()));
    match id {
        _ if id == task => Some(verdict),
        _ if like_an_id && task.is_empty() => Some(verdict),
        _ if like_an_id => Some(ResultLine::Other(id)),
        _ => None,
    }
}

/// The reason, if the last line about this task says that it failed.
pub(crate) fn failed(text: &str, task: &str) -> Option<String> {
    let last = lines(text).filter_map(|line| read(line.text, task)).last()?;
    match last {
        ResultLine::Failed(reason) => Some(format!("FAILED - {reason}")),
        ResultLine::Success | ResultLine::Other(_) => None,
    }
}
