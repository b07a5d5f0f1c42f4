//! Moments and spans as people read them.

use std::time::Duration;

/// A moment in UTC, as `2026-11-15T09:30:00.123Z`.
pub(crate) fn iso(wall_ms: i64) -> String {
    jiff::Timestamp::from_millisecond(wall_ms)
        .map_or_else(|_| wall_ms.to_string(), |at| format!("{at:.3}"))
}

/// Seconds since 1970, as commits carry them.
pub(crate) fn now_seconds() -> u64 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default().as_secs()
}

/// A span as `1h 02m`, `3m 05s` or `4.2s`.
pub(crate) fn span(span: Duration) -> String {
    let seconds = span.as_secs();
    match seconds {
        0..60 => format!("{seconds}.{}s", span.subsec_millis() / 100),
        60..3600 => format!("{}m {:02}s", seconds / 60, seconds % 60),
        _ => format!("{}h {:02}m", seconds / 3600, seconds / 60 % 60),
    }
}

/// Reads `30m`, `5s`, `500ms`, `2h`.
pub(crate) fn parse_span(text: &str) -> Option<Duration> {
    let digits = text.find(|c: char| !c.is_ascii_digit())?;
    let number: u64 = text[..digits].parse().ok()?;
    let seconds = |n: u64| Duration::from_secs(n);
    match &text[digits..] {
        "ms" => Some(Duration::from_millis(number)),
        "s" => Some(seconds(number)),
        "m" => number.checked_mul(60).map(seconds),
        "h" => number.checked_mul(3600).map(seconds),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_read_and_written_as_people_do() {
        assert_eq!(parse_span("30m"), Some(Duration::from_secs(1800)));
        assert_eq!(parse_span("500ms"), Some(Duration::from_millis(500)));
        for bad in ["", "5", "m", "5 m", "-1s", "5d", "99999999999999999999s"] {
            assert_eq!(parse_span(bad), None, "{bad:?}");
        }
        assert_eq!(span(Duration::from_millis(4_250)), "4.2s");
        assert_eq!(span(Duration::from_secs(725)), "12m 05s");
        assert_eq!(span(Duration::from_secs(3_720)), "1h 02m");
    }
}
