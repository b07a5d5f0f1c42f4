//! Durations as people write them.

use std::time::Duration;

/// Parses `30m`, `5s`, `500ms`, `2h`.
pub fn parse(text: &str) -> Option<Duration> {
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

/// Renders a duration so that `parse` gives the same one.
pub fn render(span: Duration) -> String {
    afresh_core::time::render_span(span)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rendered_duration_parses_to_the_same() {
        for text in ["0s", "500ms", "5s", "90s", "30m", "2h", "1500ms"] {
            assert_eq!(parse(text).map(render).as_deref(), Some(text));
        }
    }
    #[test]
    fn other_text_is_not_a_duration() {
        for bad in ["", "5", "m", "5 m", "-1s", "5d", "99999999999999999999s"] {
            assert_eq!(parse(bad), None, "{bad:?}");
        }
    }
}
