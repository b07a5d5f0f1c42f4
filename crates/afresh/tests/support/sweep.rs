//! How thorough a sweep is: a sample that every run of the suite can afford, or every point with `AFRESH_SWEEP=all`.

pub(crate) fn is_thorough() -> bool {
    std::env::var("AFRESH_SWEEP").is_ok_and(|value| value == "all")
}

/// The distance between two points of a sweep whose sample takes every `sampled`-th.
pub(crate) fn stride(sampled: usize) -> usize {
    if is_thorough() { 1 } else { sampled }
}

/// How often a race is repeated.
pub(crate) fn rounds(sampled: usize, all: usize) -> usize {
    if is_thorough() { all } else { sampled }
}
