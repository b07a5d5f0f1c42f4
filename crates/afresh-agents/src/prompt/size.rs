//! The size of a prompt compared with its model's context (PR-06).

use afresh_core::estimate::tokens::estimate_text;
use afresh_core::usage::ContextFill;

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

/// How full a context is that starts with this prompt.
pub fn context_fill(prompt: &str, window: u64) -> ContextFill {
    ContextFill { used: estimate_text(prompt), window }
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
        let words = |count: usize| context_fill(&"word ".repeat(count), 1_000);
        assert_eq!(check_fits(words(699), 70), Ok(()));
        let refused = check_fits(words(700), 70).expect_err("too large");
        assert!(refused.to_string().contains("700 tokens, 70 % of the 1000"), "{refused}");
    }
}
