//! Deterministic randomness: seed, task and attempt decide everything.

/// A random number generator (`splitmix64`).
#[derive(Debug, Clone)]
pub struct ScriptRng(u64);

impl ScriptRng {
    pub fn new(seed: u64, task: &str, attempt: u32) -> Self {
        // FNV-1a, so that every byte of the name matters.
        let start = 0xcbf2_9ce4_8422_2325_u64;
        let name = task
            .bytes()
            .fold(start, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
        Self(seed ^ name ^ u64::from(attempt).rotate_left(32))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// True with probability `of`, from 0 to 1.
    pub fn happens(&mut self, of: f64) -> bool {
        #[expect(clippy::cast_precision_loss, reason = "53 bits are exactly what a float holds")]
        let drawn = (self.next() >> 11) as f64 / (1_u64 << 53) as f64;
        drawn < of
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chance_is_the_same_every_time_and_fair_over_many_tasks() {
        let falls = |seed, n: u32| ScriptRng::new(seed, &format!("T{n}"), 1).happens(0.3);
        assert!((0..100).all(|n| falls(7, n) == falls(7, n)));
        let count = (0..1_000).filter(|n| falls(7, *n)).count();
        assert!((240..360).contains(&count), "{count} of 1000 at 0.3");
        assert!((0..1_000).any(|n| falls(7, n) != falls(8, n)), "the seed changes nothing");
        let attempts = (1..100).map(|attempt| ScriptRng::new(7, "T", attempt).happens(0.5));
        assert!(attempts.clone().any(|fell| fell) && attempts.clone().any(|fell| !fell));
    }

    #[test]
    fn zero_is_never_and_one_is_always() {
        assert!((0..100).all(|n| !ScriptRng::new(n, "T", 1).happens(0.0)));
        assert!((0..100).all(|n| ScriptRng::new(n, "T", 1).happens(1.0)));
    }
}
