//! Counts denied hosts. A program chooses the names, so their number is limited.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// How many names are remembered; all others are counted as one.
const MAX_NAMES: usize = 32;

#[derive(Debug, Default)]
pub(crate) struct DenialCounts(Mutex<BTreeMap<String, u64>>);

/// A host that was requested and denied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeniedHost {
    /// `host:port`, or a description of the rest.
    pub host: String,
    pub times: u64,
}

const OTHERS: &str = "others";

impl DenialCounts {
    /// Hosts were parsed before, so their names contain only letters, digits and dots.
    pub(crate) fn add(&self, host: &str) {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_known = seen.contains_key(host) || seen.len() < MAX_NAMES;
        let host = if is_known { host } else { OTHERS };
        let times = seen.entry(host.to_owned()).or_default();
        *times = times.saturating_add(1);
    }

    /// The most frequent first.
    pub(crate) fn all(&self) -> Vec<DeniedHost> {
        let seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut all: Vec<DeniedHost> = seen
            .iter()
            .map(|(host, times)| DeniedHost { host: host.clone(), times: *times })
            .collect();
        all.sort_by_key(|refused| std::cmp::Reverse(refused.times));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// R15: a worker that asks for ever new names uses no memory.
    #[test]
    fn excess_names_are_counted_as_others() {
        let denials = DenialCounts::default();
        (0..1000).for_each(|number| denials.add(&format!("h{number}.test:443")));
        let all = denials.all();
        assert_eq!(all.len(), MAX_NAMES + 1);
        assert_eq!(all[0], DeniedHost { host: OTHERS.to_owned(), times: 968 });
    }
}
