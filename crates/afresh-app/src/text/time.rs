//! Times and durations as text.

use std::time::Duration;

/// A time in UTC, as `2026-11-15T09:30:00.123Z`.
pub fn format_utc(wall_ms: i64) -> String {
    jiff::Timestamp::from_millisecond(wall_ms)
        .map_or_else(|_| wall_ms.to_string(), |at| format!("{at:.3}"))
}

/// A time in UTC as in mail headers, `Sun, 15 Nov 2026 09:30:00 +0000`.
pub fn format_mail_date(seconds: u64) -> String {
    let at = i64::try_from(seconds).ok().and_then(|s| jiff::Timestamp::from_second(s).ok());
    at.map_or_else(String::new, |at| at.strftime("%a, %d %b %Y %H:%M:%S +0000").to_string())
}

/// Seconds since 1970, as in commits.
pub fn now_seconds() -> u64 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default().as_secs()
}

/// Milliseconds since 1970, as in the records of a journal.
pub fn now_ms() -> i64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    i64::try_from(now.unwrap_or_default().as_millis()).unwrap_or(i64::MAX)
}

/// A duration as `1h 02m`, `3m 05s` or `4.2s`.
pub fn format_duration(span: Duration) -> String {
    let seconds = span.as_secs();
    match seconds {
        0..60 => format!("{seconds}.{}s", span.subsec_millis() / 100),
        60..3600 => format!("{}m {:02}s", seconds / 60, seconds % 60),
        _ => format!("{}h {:02}m", seconds / 3600, seconds / 60 % 60),
    }
}

/// A time that has passed, roughly: `40 s`, `3 min`, `5 h`, `2 days`.
pub fn format_age(age: Duration) -> String {
    let seconds = age.as_secs();
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{} min", seconds / 60),
        3600..172_800 => format!("{} h", seconds / 3600),
        _ => format!("{} days", seconds / 86_400),
    }
}

/// The day of the machine's calendar.
pub fn today() -> jiff::civil::Date {
    jiff::Zoned::now().date()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_written_as_people_do() {
        assert_eq!(format_duration(Duration::from_millis(4_250)), "4.2s");
        assert_eq!(format_duration(Duration::from_secs(725)), "12m 05s");
        assert_eq!(format_duration(Duration::from_secs(3_720)), "1h 02m");
    }
}
