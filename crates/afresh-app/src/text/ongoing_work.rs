//! Work that is underway, in words.

use afresh_engine::reports::quiet::{AttemptActivity, OngoingWork};

use super::time;

/// Who works, and for how long: `T003.1` and `for 5m 00s, 12k tokens`.
pub fn describe(work: &OngoingWork) -> (String, String) {
    let who = match &work.attempt {
        Some(attempt) => attempt.to_string(),
        None if work.activity == AttemptActivity::Probing => "the base".to_owned(),
        None => "the final tree".to_owned(),
    };
    let tokens = match work.tokens {
        0 => String::new(),
        tokens => format!(", {} tokens", short_number(tokens)),
    };
    (who, format!("for {}{tokens}", time::format_duration(work.lasting)))
}

/// A number to glance at: `950`, `12k`, `3.4M`.
fn short_number(number: u64) -> String {
    match number {
        0..1_000 => number.to_string(),
        1_000..1_000_000 => format!("{}k", number / 1_000),
        _ => format!("{}.{}M", number / 1_000_000, number / 100_000 % 10),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use afresh_core::ids::{AttemptId, TaskId};
    use std::time::Duration;

    #[test]
    fn ongoing_work_is_named_with_its_time_and_its_tokens() {
        let task = TaskId::new("T003").expect("an id");
        let attempt = Some(AttemptId { task, number: 1 });
        let (activity, lasting) = (AttemptActivity::Running, Duration::from_secs(300));
        let mut work = OngoingWork { activity, attempt, lasting, tokens: 12_345 };
        assert_eq!(describe(&work), ("T003.1".into(), "for 5m 00s, 12k tokens".into()));
        work.tokens = 3_450_000;
        assert_eq!(describe(&work).1, "for 5m 00s, 3.4M tokens");
        (work.tokens, work.attempt) = (0, None);
        assert_eq!(describe(&work), ("the final tree".into(), "for 5m 00s".into()));
    }
}
