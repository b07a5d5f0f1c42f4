//! How large a prompt is, against what its model can hold (PR-06).
//!
//! A token is taken to be four bytes: close for English and code, and too high rather than too low
//! for scripts whose characters have several bytes.

use afresh_core::usage::ContextFill;

const BYTES_PER_TOKEN: usize = 4;

/// The tokens of a text of so many bytes, estimated; rounded up.
pub fn tokens(bytes: usize) -> u64 {
    u64::try_from(bytes.div_ceil(BYTES_PER_TOKEN)).unwrap_or(u64::MAX)
}

/// Why a prompt is refused: its worker would start with a context that is full.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "the prompt would take about {} tokens, {} % of the {} that its model can hold; {limit} % is the limit",
    .fill.used, .fill.percent(), .fill.window
)]
pub struct PromptTooLarge {
    pub fill: ContextFill,
    pub limit: u8,
}

/// What to do about a task that is too large.
pub const SIZE_HINT: &str = "split the task, shorten its text or its spec, or give it `context = \"minimal\"` or a larger model";

/// How full a context is that starts with so many bytes.
pub fn fill(bytes: usize, window: u64) -> ContextFill {
    ContextFill { used: tokens(bytes), window }
}

/// Refused where a context starts at the limit or above.
pub fn fits(fill: ContextFill, limit: u8) -> Result<(), PromptTooLarge> {
    if fill.percent() >= u64::from(limit) { Err(PromptTooLarge { fill, limit }) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// PR-06: what would start at the limit is refused.
    #[test]
    fn a_prompt_at_the_limit_is_refused() {
        assert_eq!(tokens(5), 2);
        assert_eq!(fits(fill(2_796, 1_000), 70), Ok(()));
        let refused = fits(fill(2_800, 1_000), 70).expect_err("too large");
        assert!(refused.to_string().contains("700 tokens, 70 % of the 1000"), "{refused}");
    }
}
