//! Durations, amounts and bars, as short as people read them.

/// `7s`, `4m 07s`, `2h 05m`, `3d 04h`.
pub fn duration(ms: u64) -> String {
    let seconds = ms / 1_000;
    match seconds {
        0..60 => format!("{seconds}s"),
        60..3_600 => format!("{}m {:02}s", seconds / 60, seconds % 60),
        3_600..86_400 => format!("{}h {:02}m", seconds / 3_600, seconds / 60 % 60),
        _ => format!("{}d {:02}h", seconds / 86_400, seconds / 3_600 % 24),
    }
}

/// `950`, `12k`, `3.4M`.
pub fn amount(number: u64) -> String {
    match number {
        0..1_000 => number.to_string(),
        1_000..1_000_000 => format!("{}k", number / 1_000),
        _ => format!("{}.{}M", number / 1_000_000, number / 100_000 % 10),
    }
}

/// `$0.42`; a tenth of a cent counts below ten cents.
pub fn dollars(micros: u64) -> String {
    if micros > 0 && micros < 100_000 {
        return format!("${}.{:03}", micros / 1_000_000, micros / 1_000 % 1_000);
    }
    let cents = (micros + 5_000) / 10_000;
    format!("${}.{:02}", cents / 100, cents % 100)
}

/// A bar of `width` characters.
pub fn bar(part: u64, whole: u64, width: usize) -> String {
    let wide = u64::try_from(width).unwrap_or(u64::MAX);
    let full = part.min(whole).saturating_mul(wide).checked_div(whole).unwrap_or(0);
    let full = usize::try_from(full).unwrap_or(width).min(width);
    format!("{}{}", "█".repeat(full), "░".repeat(width - full))
}

/// A bar of per cents with a tick at each limit; a tick stays visible once it is passed.
pub fn context_bar(percent: u64, ticks: [u8; 2], width: usize) -> String {
    let wide = u64::try_from(width).unwrap_or(u64::MAX);
    let column = |percent: u64| usize::try_from(percent.min(100) * wide / 100).unwrap_or(0);
    let full = column(percent);
    let tick_columns = ticks.map(|tick| column(u64::from(tick)));
    let cell = |at: usize| match (tick_columns.contains(&at), at < full) {
        (true, true) => '┃',
        (true, false) => '│',
        (false, true) => '█',
        (false, false) => '░',
    };
    (0..width).map(cell).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_short() {
        let spans = [900, 7_000, 247_000, 7_500_000, 273_600_000].map(duration);
        assert_eq!(spans, ["0s", "7s", "4m 07s", "2h 05m", "3d 04h"]);
        assert_eq!([950, 12_345, 3_450_000].map(amount), ["950", "12k", "3.4M"]);
        let prices = [0, 4_200, 99_999, 420_000, 12_345_678].map(dollars);
        assert_eq!(prices, ["$0.00", "$0.004", "$0.099", "$0.42", "$12.35"]);
    }

    #[test]
    fn bars_have_their_width_whatever_they_show() {
        assert_eq!(bar(3, 9, 6), "██░░░░");
        assert_eq!(bar(9, 9, 3), "███");
        assert_eq!(bar(5, 0, 3), "░░░");
        assert_eq!(context_bar(0, [50, 70], 10), "░░░░░│░│░░");
        assert_eq!(context_bar(60, [50, 70], 10), "█████┃░│░░");
        assert_eq!(context_bar(400, [50, 70], 10), "█████┃█┃██");
    }
}
