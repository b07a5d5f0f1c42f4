//! The size of a prompt compared with its model's context (PR-06).
//!
//! A token is estimated as four bytes: close for English and code, and an overestimate for scripts whose
//! characters have several bytes.

use afresh_core::usage::ContextFill;

const BYTES_PER_TOKEN: usize = 4;

/// The estimated tokens of a text of this many bytes, rounded up.
pub fn estimate_tokens(bytes: usize) -> u64 {
    u64::try_from(bytes.div_ceil(BYTES_PER_TOKEN)).unwrap_or(u64::MAX)
}

/// A prompt that is rejected because it would fill the context.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "the prompt has about {} tokens, {} % of the {} of its model's context; the limit is {limit} %",
    .fill.used, .fill.percent(), .fill.window
)]
pub struct PromptTooLarge {
    pub fill: ContextFill,
    pub limit: u8,
}

/// The hint for a task that is too large.
pub const SIZE_HINT: &str =
    "split the task, shorten its text or spec, or use `context = \"minimal\"` or a larger model";

/// How full a context is that starts with this many bytes.
pub fn context_fill(bytes: usize, window: u64) -> ContextFill {
    ContextFill { used: estimate_tokens(bytes), window }
}

/// Rejects a context that starts at the limit or above.
pub fn check_fits(fill: ContextFill, limit: u8) -> Result<(), PromptTooLarge> {
    if fill.percent() >= u64::from(limit) { Err(PromptTooLarge { fill, limit }) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// PR-06: a prompt at the limit is rejected.
    #[test]
    fn a_prompt_at_the_limit_is_rejected() {
        assert_eq!(estimate_tokens(5), 2);
        assert_eq!(check_fits(context_fill(2_796, 1_000), 70), Ok(()));
        let refused = check_fits(context_fill(2_800, 1_000), 70).expect_err("too large");
        assert!(refused.to_string().contains("700 tokens, 70 % of the 1000"), "{refused}");
    }
}
