//! What is known of a finished task: facts of the journal and of its commit, so that the same task is always written
//! the same way, also after a crash.

use std::collections::BTreeSet;
use std::time::Duration;

use afresh_core::outcome::CompletionClaim;

/// A finished task.
#[derive(Debug, Clone, Default)]
pub struct MarkedTask {
    pub id: String,
    pub title: String,
    pub run: String,
    /// The number of the attempt that did it.
    pub attempt: u32,
    /// What the worker reported.
    pub claim: CompletionClaim,
    pub created: Vec<String>,
    pub modified: Vec<String>,
    pub deleted: Vec<String>,
    /// The checks that passed.
    pub checks: Vec<PassedCheck>,
    /// When its work was committed, in seconds since 1970.
    pub finished_at: u64,
    /// The ids of all finished tasks of the run.
    pub finished: BTreeSet<String>,
}

/// A check that passed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PassedCheck {
    pub command: String,
    /// None if it runs on the very tree that this is written into: it lands only if it passes.
    pub took: Option<Duration>,
}

/// The longest line of a worker's text.
const MAX_LINE_CHARS: usize = 400;

impl MarkedTask {
    /// `2026-11-18`.
    pub fn date(&self) -> String {
        let (year, month, day) = civil_date(self.finished_at / SECONDS_A_DAY);
        format!("{year:04}-{month:02}-{day:02}")
    }

    /// `2026-11-18T20:15:00Z`.
    pub fn moment(&self) -> String {
        let of_day = self.finished_at % SECONDS_A_DAY;
        let (hour, minute, second) = (of_day / 3600, of_day / 60 % 60, of_day % 60);
        format!("{}T{hour:02}:{minute:02}:{second:02}Z", self.date())
    }

    /// The worker's summary, in one line.
    pub fn summary(&self) -> Option<String> {
        self.claim.notes.as_deref().map(one_line).filter(|line| !line.is_empty())
    }
}

/// A worker's text in one line, which is no heading, list, box or fence of the document that it goes into.
pub fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let whole = words.join(" ");
    let mut line: String = whole.chars().filter(|c| !c.is_control()).take(MAX_LINE_CHARS).collect();
    if line.chars().count() < whole.chars().filter(|c| !c.is_control()).count() {
        line.push('…');
    }
    let bare = line.trim_start_matches(['#', '-', '*', '+', '>', '|', '`', '~', '[', '<', ' ']);
    bare.replace('|', "/").replace('<', "‹")
}

/// A path or a command as it is, as code in one line.
pub fn code_span(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let plain: String =
        words.join(" ").chars().filter(|c| !c.is_control()).take(MAX_LINE_CHARS).collect();
    let longest = plain.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let pad = if plain.starts_with('`') || plain.ends_with('`') { " " } else { "" };
    format!("{fence}{pad}{plain}{pad}{fence}")
}

const SECONDS_A_DAY: u64 = 24 * 60 * 60;

/// Year, month and day of a day since 1970.
fn civil_date(days: u64) -> (u64, u64, u64) {
    // Years begin in March, so that the leap day is the last one.
    let shifted = days + 719_468;
    let (era, of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    (era * 400 + year_of_era + u64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_written_in_utc() {
        for (seconds, moment) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_795_032_899, "2026-11-18T20:14:59Z"),
            (4_102_444_799, "2099-12-31T23:59:59Z"),
        ] {
            let task = MarkedTask { finished_at: seconds, ..MarkedTask::default() };
            assert_eq!(task.moment(), moment);
        }
    }

    /// FO-07: a command is recorded as it ran.
    #[test]
    fn a_command_stays_what_it_is() {
        assert_eq!(code_span("[ -s a ] || exit 1"), "`[ -s a ] || exit 1`");
        assert_eq!(code_span("echo `date`\u{1b}[2J\n< x"), "``echo `date`[2J < x``");
    }

    /// FO-07: a worker's text adds no box and no heading to a plan.
    #[test]
    fn a_text_of_a_worker_stays_one_plain_line() {
        assert_eq!(one_line("# done\n- [ ] T9 more"), "done - [ ] T9 more");
        assert_eq!(one_line("- [ ] x"), "] x");
        assert!(one_line(&"word ".repeat(500)).chars().count() <= MAX_LINE_CHARS + 1);
    }
}
