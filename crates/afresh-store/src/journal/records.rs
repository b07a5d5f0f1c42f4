//! The one way to read records, which always checks the chain.

use std::path::Path;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension, Row};

use crate::journal::chain::{Chain, Content, Hash, Point};
use crate::journal::error::JournalError;
use crate::journal::head::Head;

/// Hands every record after `start` to `each`, in order, and returns where the journal ends.
///
/// With a head, also proves that everything it acknowledged is there and is what it was.
pub(crate) fn records_after(
    connection: &Connection,
    path: &Path,
    start: Point,
    head: Option<&Head>,
    mut each: impl FnMut(Point, &Content<'_>),
) -> Result<Point, JournalError> {
    let failed = |at: Point, error| JournalError::sqlite("read", path, at.seq + 1, error);
    let damaged = |seq, what: &str| JournalError::Damaged {
        path: path.to_path_buf(),
        seq,
        what: what.to_owned(),
    };
    let acknowledged: Vec<Point> = head.into_iter().flat_map(Head::points).collect();
    let strays = |at: Point| acknowledged.iter().any(|it| it.seq == at.seq && it.hash != at.hash);

    let mut statement = connection
        .prepare_cached(
            "SELECT seq, run, epoch, at_ms, wall_ms, kind, body, hash FROM records \
             WHERE seq > ?1 ORDER BY seq",
        )
        .map_err(|error| failed(start, error))?;
    let mut rows =
        statement.query([start.seq.cast_signed()]).map_err(|error| failed(start, error))?;
    let mut chain = Chain::default();
    let mut at = start;
    while let Some(row) = rows.next().map_err(|error| failed(at, error))? {
        let seq = at.seq + 1;
        let (stored, content) =
            parse(row).ok_or_else(|| damaged(seq, "a field is not what it was"))?;
        if stored.seq != seq {
            return Err(damaged(seq, "the record is missing"));
        }
        let next = chain.next(at, &content);
        if next != stored {
            return Err(damaged(seq, "the chain of hashes breaks here"));
        }
        if strays(next) {
            return Err(damaged(seq, "this is not the record that was acknowledged"));
        }
        each(next, &content);
        at = next;
    }
    match head.map(Head::newest) {
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
) -> Result<Point, JournalError> {
    connection
        .query_row(
            "SELECT seq, hash FROM records WHERE seq <= ?1 ORDER BY seq DESC LIMIT 1",
            [i64::try_from(seq).unwrap_or(i64::MAX)],
            |row| {
                let seq: i64 = row.get(0)?;
                Ok(Point { seq: seq.cast_unsigned(), hash: row.get(1)? })
            },
        )
        .optional()
        .map(|point| point.unwrap_or(Point::START))
        .map_err(|error| JournalError::sqlite("read", path, 1, error))
}

fn parse<'a>(row: &'a Row<'_>) -> Option<(Point, Content<'a>)> {
    let integer = |column| match row.get_ref(column) {
        Ok(ValueRef::Integer(value)) => Some(value),
        _ => None,
    };
    let text = |column| row.get_ref(column).ok()?.as_str().ok();
    let hash: Hash = row.get_ref(7).ok()?.as_blob().ok()?.try_into().ok()?;
    let point = Point { seq: integer(0)?.cast_unsigned(), hash };
    let content = Content {
        run: text(1)?,
        epoch: integer(2)?.cast_unsigned(),
        at_ms: integer(3)?.cast_unsigned(),
        wall_ms: integer(4)?,
        kind: text(5)?,
        body: text(6)?,
    };
    Some((point, content))
}
