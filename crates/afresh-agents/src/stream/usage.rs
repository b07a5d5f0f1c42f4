//! Numbers that agent programs report: invalid ones are dropped, never added up (R14).

/// More tokens than any attempt uses.
const MAX_TOKENS: f64 = 1e12;
/// More dollars than any attempt costs.
const MAX_USD: f64 = 1e6;

/// A number of tokens, if it is plausible.
pub fn tokens(number: f64) -> Option<u64> {
    within(number, MAX_TOKENS)
}

/// Dollars as whole millionths, if the amount is plausible.
pub fn micros(usd: f64) -> Option<u64> {
    (0.0..=MAX_USD).contains(&usd).then(|| within(usd * 1e6, MAX_USD * 1e6)).flatten()
}

fn within(number: f64, most: f64) -> Option<u64> {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "checked in the same line"
    )]
    (0.0..=most).contains(&number).then(|| number.round() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// B33: negative numbers, NaN and absurd numbers are dropped.
    #[test]
    fn invalid_amounts_are_dropped() {
        for nonsense in [-1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e308] {
            assert_eq!((tokens(nonsense), micros(nonsense)), (None, None), "{nonsense}");
        }
        assert_eq!((tokens(1200.0), micros(0.0125)), (Some(1200), Some(12_500)));
        assert_eq!((tokens(0.0), micros(0.0)), (Some(0), Some(0)));
    }
}
