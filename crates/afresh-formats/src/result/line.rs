//! One line: `T001: SUCCESS` or `T001: FAILED - reason`.

use crate::text::markdown::lines;

/// What `ID: SUCCESS` or `ID: FAILED - reason` says, where a line is that and nothing else.
pub(super) enum ResultLine<'a> {
    Success,
    Failed(&'a str),
    /// It is about another task.
    Other(&'a str),
}

pub(super) fn read<'l>(line: &'l str, task: &str) -> Option<ResultLine<'l>> {
    let bare = line.trim().trim_matches(['`', '*']);
    let (id, said) = bare.split_once(": ")?;
    let said = said.trim();
    let verdict = match said.strip_prefix("FAILED") {
        Some("") => ResultLine::Failed("the worker gave no reason"),
        Some(rest) => ResultLine::Failed(rest.strip_prefix(" - ")?.trim()),
        None if said == "SUCCESS" => ResultLine::Success,
        None => return None,
    };
    // `tests: FAILED - 2 errors` is somebody's log.
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

/// Why the last line about this task says that it failed.
pub(super) fn failed(text: &str, task: &str) -> Option<String> {
    let said = lines(text).filter_map(|line| read(line.text, task)).last()?;
    match said {
        ResultLine::Failed(reason) => Some(format!("FAILED - {reason}")),
        ResultLine::Success | ResultLine::Other(_) => None,
    }
}
