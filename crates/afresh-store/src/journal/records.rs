//! Reading records; always checks the chain.

use std::path::Path;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension, Row};

use crate::journal::chain::{ChainPoint, HashChain, RecordContent, RecordHash};
use crate::journal::error::JournalError;
use crate::journal::head::JournalHead;

/// Passes every record after `start` to `each`, in order, and returns where the journal ends.
///
/// With a head, also verifies that everything it acknowledged exists and is unchanged.
pub(crate) fn records_after(
    connection: &Connection,
    path: &Path,
    start: ChainPoint,
    head: Option<&JournalHead>,
    mut each: impl FnMut(ChainPoint, &RecordContent<'_>),
) -> Result<ChainPoint, JournalError> {
    let failed = |at: ChainPoint, error| JournalError::sqlite("read", path, at.seq + 1, error);
    let damaged = |seq, what: &str| JournalError::Damaged {
        path: path.to_path_buf(),
        seq,
        what: what.to_owned(),
    };
    let acknowledged: Vec<ChainPoint> = head.into_iter().flat_map(JournalHead::points).collect();
    let strays =
        |at: ChainPoint| acknowledged.iter().any(|it| it.seq == at.seq && it.hash != at.hash);

    let mut statement = connection
        .prepare_cached(
            "SELECT seq, run, epoch, at_ms, wall_ms, kind, body, hash FROM records \
             WHERE seq > ?1 ORDER BY seq",
        )
        .map_err(|error| failed(start, error))?;
    let mut rows =
        statement.query([start.seq.cast_signed()]).map_err(|error| failed(start, error))?;
    let mut chain = HashChain::default();
    let mut at = start;
    while let Some(row) = rows.next().map_err(|error| failed(at, error))? {
        let seq = at.seq + 1;
        let (stored, content) =
            parse(row).ok_or_else(|| damaged(seq, "a field has the wrong type"))?;
        if stored.seq != seq {
            return Err(damaged(seq, "the record is missing"));
        }
        let next = chain.next(at, &content);
        if next != stored {
            return Err(damaged(seq, "the hash chain is broken here"));
        }
        if strays(next) {
            return Err(damaged(seq, "this is not the record that was acknowledged"));
        }
        each(next, &content);
        at = next;
    }
    match head.map(JournalHead::newest) {
        Some(newest) if newest.seq > at.seq => {
            let path = path.to_path_buf();
            Err(JournalError::MissesHead { path, head: newest.seq, last: at.seq })
        }
        _ => Ok(at),
    }
}

/// The point at record `seq`, or the end of the journal if it ends before.
pub(crate) fn point_at(
    connection: &Connection,
    path: &Path,
    seq: u64,
) -> Result<ChainPoint, JournalError> {
    connection
        .query_row(
            "SELECT seq, hash FROM records WHERE seq <= ?1 ORDER BY seq DESC LIMIT 1",
            [i64::try_from(seq).unwrap_or(i64::MAX)],
            |row| {
                let seq: i64 = row.get(0)?;
                Ok(ChainPoint { seq: seq.cast_unsigned(), hash: row.get(1)? })
            },
        )
        .optional()
        .map(|point| point.unwrap_or(ChainPoint::START))
        .map_err(|error| JournalError::sqlite("read", path, 1, error))
}

fn parse<'a>(row: &'a Row<'_>) -> Option<(ChainPoint, RecordContent<'a>)> {
    let integer = |column| match row.get_ref(column) {
        Ok(ValueRef::Integer(value)) => Some(value),
        _ => None,
    };
    let text = |column| row.get_ref(column).ok()?.as_str().ok();
    let hash: RecordHash = row.get_ref(7).ok()?.as_blob().ok()?.try_into().ok()?;
    let point = ChainPoint { seq: integer(0)?.cast_unsigned(), hash };
    let content = RecordContent {
        run: text(1)?,
        epoch: integer(2)?.cast_unsigned(),
        at_ms: integer(3)?.cast_unsigned(),
        wall_ms: integer(4)?,
        kind: text(5)?,
        body: text(6)?,
    };
    Some((point, content))
}
