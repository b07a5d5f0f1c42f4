//! Moments on a run's own clock.
//!
//! The clock is monotonic: it starts where the journal ended, and never jumps when a person or program sets the
//! machine's time (R11). The store keeps dates for people beside the records.

use std::ops::Add;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Milliseconds on the run's clock.
#[derive(
    Debug,
    Clone,
    Copy,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    JsonSchema,
    Serialize,
    Deserialize,
)]
#[serde(transparent)]
pub struct Timestamp(pub u64);

impl Timestamp {
    /// How long until `later`; zero if it has passed.
    pub fn until(self, later: Self) -> Duration {
        Duration::from_millis(later.0.saturating_sub(self.0))
    }
}

impl Add<Duration> for Timestamp {
    type Output = Self;
    fn add(self, span: Duration) -> Self {
        let millis = u64::try_from(span.as_millis()).unwrap_or(u64::MAX);
        Self(self.0.saturating_add(millis))
    }
}

/// A duration in its largest whole unit, as people write it in a configuration: `90s`, `10m`, `2h`.
pub fn render_span(span: Duration) -> String {
    let seconds = span.as_secs();
    match (span.subsec_millis(), seconds) {
        (1.., _) => format!("{}ms", span.as_millis()),
        (0, 1..) if seconds.is_multiple_of(3600) => format!("{}h", seconds / 3600),
        (0, 1..) if seconds.is_multiple_of(60) => format!("{}m", seconds / 60),
        (0, _) => format!("{seconds}s"),
    }
}

/// Durations are written to the journal as milliseconds.
pub mod span {
    use std::time::Duration;

    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(span: &Duration, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_u64(u64::try_from(span.as_millis()).unwrap_or(u64::MAX))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
        u64::deserialize(from).map(Duration::from_millis)
    }
}
