//! The hash that ties each record to all before it.
//!
//! A point is a place in the chain: a sequence number and the hash up to there. Two journals that
//! agree in a point agree in every record up to it.

/// The hash of a record and, through it, of all before it.
pub(crate) type RecordHash = [u8; 32];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ChainPoint {
    pub(crate) seq: u64,
    pub(crate) hash: RecordHash,
}

impl ChainPoint {
    /// Before the first record.
    pub(crate) const START: Self = Self { seq: 0, hash: [0; 32] };
}

/// All fields of a record, borrowed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RecordContent<'a> {
    pub(crate) run: &'a str,
    pub(crate) epoch: u64,
    pub(crate) at_ms: u64,
    pub(crate) wall_ms: i64,
    pub(crate) kind: &'a str,
    pub(crate) body: &'a str,
}

/// Computes the chain; keeps its buffer, because a verified open hashes every record.
#[derive(Debug, Default)]
pub(crate) struct HashChain {
    bytes: Vec<u8>,
}

impl HashChain {
    /// The point after `before`, if the next record is `content`.
    pub(crate) fn next(&mut self, before: ChainPoint, content: &RecordContent<'_>) -> ChainPoint {
        let seq = before.seq + 1;
        self.bytes.clear();
        self.field(b"afresh record 1");
        self.field(&before.hash);
        self.field(&seq.to_le_bytes());
        self.field(content.run.as_bytes());
        self.field(&content.epoch.to_le_bytes());
        self.field(&content.at_ms.to_le_bytes());
        self.field(&content.wall_ms.to_le_bytes());
        self.field(content.kind.as_bytes());
        self.field(content.body.as_bytes());
        ChainPoint { seq, hash: *blake3::hash(&self.bytes).as_bytes() }
    }

    /// The length comes first, so that no two different lists of fields give the same bytes.
    fn field(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
        self.bytes.extend_from_slice(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONTENT: RecordContent<'_> =
        RecordContent { run: "r", epoch: 1, at_ms: 2, wall_ms: 3, kind: "k", body: "{}" };

    /// R10.
    #[test]
    fn every_field_and_the_past_change_the_hash() {
        let other = ChainPoint { seq: 0, hash: [1; 32] };
        let later = ChainPoint { seq: 1, hash: [0; 32] };
        let mut chain = HashChain::default();
        let mut hashes = vec![
            chain.next(ChainPoint::START, &CONTENT),
            chain.next(other, &CONTENT),
            chain.next(later, &CONTENT),
            chain.next(ChainPoint::START, &RecordContent { run: "s", ..CONTENT }),
            chain.next(ChainPoint::START, &RecordContent { epoch: 9, ..CONTENT }),
            chain.next(ChainPoint::START, &RecordContent { at_ms: 9, ..CONTENT }),
            chain.next(ChainPoint::START, &RecordContent { wall_ms: 9, ..CONTENT }),
            chain.next(ChainPoint::START, &RecordContent { kind: "l", ..CONTENT }),
            chain.next(ChainPoint::START, &RecordContent { body: "[]", ..CONTENT }),
            chain.next(ChainPoint::START, &RecordContent { kind: "k{", body: "}", ..CONTENT }),
        ]
        .into_iter()
        .map(|point| point.hash)
        .collect::<Vec<_>>();
        let all = hashes.len();
        hashes.sort_unstable();
        hashes.dedup();
        assert_eq!(hashes.len(), all);
    }

    /// R13: a hash that changes would make every old journal unreadable.
    #[test]
    fn the_hash_of_format_1_stays_what_it_was() {
        let hash = HashChain::default().next(ChainPoint::START, &CONTENT).hash;
        assert_eq!(
            blake3::Hash::from_bytes(hash).to_hex().as_str(),
            "a326b86b764cbed1bb5f315405f909a9e4a1ce9e73ec51317044823ce007c8f9"
        );
    }
}
