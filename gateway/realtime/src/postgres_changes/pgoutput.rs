//! Parser for messages of PostgreSQL's `pgoutput` plugin, protocol version 1
//! (<https://www.postgresql.org/docs/current/protocol-logicalrep-message-formats.html>).

use chrono::{DateTime, Duration, TimeZone, Utc};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    Insert,
    Update,
    Delete,
}

impl Kind {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Insert => "INSERT",
            Self::Update => "UPDATE",
            Self::Delete => "DELETE",
        }
    }

    /// Parses the name of a kind of change (`INSERT`, `UPDATE`, `DELETE`) in any letter case. `None` for other names.
    pub(super) fn from_name(name: &str) -> Option<Self> {
        [Self::Insert, Self::Update, Self::Delete].into_iter().find(|kind| kind.name().eq_ignore_ascii_case(name))
    }
}

/// A message of the replication stream that is relevant for clients.
#[derive(Debug, PartialEq)]
pub(super) enum Event {
    /// Beginning of a transaction, with its commit time and its id.
    Begin(DateTime<Utc>, u32),
    /// Definition of a table, which PostgreSQL sends before the changes of the table.
    Relation(Relation),
    Change(Change),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Relation {
    /// OID of the table.
    pub(super) id: u32,
    pub(super) schema: String,
    pub(super) table: String,
    /// Columns in the order of the table: the name, and whether the column belongs to the replica identity.
    pub(super) columns: Vec<(String, bool)>,
}

#[derive(Debug, PartialEq)]
pub(super) struct Change {
    pub(super) relation: u32,
    pub(super) kind: Kind,
    /// Old row: the complete row, or only its key columns with nulls in all other columns.
    pub(super) old: Option<Vec<Cell>>,
    pub(super) new: Option<Vec<Cell>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Cell {
    Null,
    /// An unchanged TOASTed value, which the replication message does not contain.
    Unchanged,
    Text(String),
}

/// Error: a `pgoutput` message does not have the documented format.
#[derive(Debug, thiserror::Error)]
#[error("a message of logical replication cannot be read")]
pub(super) struct Malformed;

/// Parses a `pgoutput` message. `None` for kinds of messages that are not relevant for clients.
pub(super) fn read(message: &[u8]) -> Result<Option<Event>, Malformed> {
    let mut reader = Reader(message);
    Ok(match reader.byte()? {
        b'B' => {
            reader.skip(8)?;
            Some(Event::Begin(time(reader.i64()?), reader.u32()?))
        }
        b'R' => Some(Event::Relation(reader.relation()?)),
        b'I' => Some(Event::Change(reader.change(Kind::Insert)?)),
        b'U' => Some(Event::Change(reader.change(Kind::Update)?)),
        b'D' => Some(Event::Change(reader.change(Kind::Delete)?)),
        // Ignores commit, origin, type, message, and truncate messages. As in Supabase's Realtime server, clients receive no
        // event for a truncate.
        b'C' | b'O' | b'Y' | b'M' | b'T' => None,
        _ => return Err(Malformed),
    })
}

/// Converts microseconds since 2000-01-01 (the time format of PostgreSQL) to a date and time.
fn time(microseconds: i64) -> DateTime<Utc> {
    let epoch = Utc.with_ymd_and_hms(2000, 1, 1, 0, 0, 0).single().unwrap_or_default();
    epoch.checked_add_signed(Duration::microseconds(microseconds)).unwrap_or(epoch)
}

struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn take(&mut self, length: usize) -> Result<&[u8], Malformed> {
        let (taken, rest) = self.0.split_at_checked(length).ok_or(Malformed)?;
        self.0 = rest;
        Ok(taken)
    }

    fn skip(&mut self, length: usize) -> Result<(), Malformed> {
        self.take(length).map(|_| ())
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        self.take(N)?.try_into().map_err(|_| Malformed)
    }

    fn byte(&mut self) -> Result<u8, Malformed> {
        Ok(u8::from_be_bytes(self.array()?))
    }

    fn length(&mut self) -> Result<usize, Malformed> {
        Ok(usize::from(u16::from_be_bytes(self.array()?)))
    }

    fn u32(&mut self) -> Result<u32, Malformed> {
        Ok(u32::from_be_bytes(self.array()?))
    }

    fn i64(&mut self) -> Result<i64, Malformed> {
        Ok(i64::from_be_bytes(self.array()?))
    }

    /// Reads a text up to its terminating zero byte.
    fn text(&mut self) -> Result<String, Malformed> {
        let end = self.0.iter().position(|&byte| byte == 0).ok_or(Malformed)?;
        let text = String::from_utf8(self.take(end)?.to_vec()).map_err(|_| Malformed)?;
        self.skip(1)?;
        Ok(text)
    }

    fn relation(&mut self) -> Result<Relation, Malformed> {
        let (id, schema, table) = (self.u32()?, self.text()?, self.text()?);
        self.skip(1)?;
        let columns = (0..self.length()?)
            .map(|_| {
                let is_key = self.byte()? & 1 == 1;
                let name = self.text()?;
                self.skip(8)?;
                Ok((name, is_key))
            })
            .collect::<Result<_, Malformed>>()?;
        Ok(Relation { id, schema, table, columns })
    }

    fn change(&mut self, kind: Kind) -> Result<Change, Malformed> {
        let relation = self.u32()?;
        let (mut old, mut new) = (None, None);
        while !self.0.is_empty() {
            match self.byte()? {
                b'K' | b'O' => old = Some(self.row()?),
                b'N' => new = Some(self.row()?),
                _ => return Err(Malformed),
            }
        }
        Ok(Change { relation, kind, old, new })
    }

    fn row(&mut self) -> Result<Vec<Cell>, Malformed> {
        (0..self.length()?).map(|_| self.cell()).collect()
    }

    fn cell(&mut self) -> Result<Cell, Malformed> {
        Ok(match self.byte()? {
            b'n' => Cell::Null,
            b'u' => Cell::Unchanged,
            b't' => {
                let length = usize::try_from(self.u32()?).map_err(|_| Malformed)?;
                Cell::Text(String::from_utf8(self.take(length)?.to_vec()).map_err(|_| Malformed)?)
            }
            _ => return Err(Malformed),
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn an_update_with_its_key() {
        let mut message = vec![b'U', 0, 0, 0, 7, b'K', 0, 2, b't', 0, 0, 0, 1, b'1', b'n'];
        message.extend([b'N', 0, 2, b't', 0, 0, 0, 1, b'2', b'u']);
        let Some(Event::Change(change)) = read(&message).unwrap() else { unreachable!() };
        assert_eq!((change.relation, change.kind), (7, Kind::Update));
        assert_eq!(change.old.unwrap(), [Cell::Text("1".into()), Cell::Null]);
        assert_eq!(change.new.unwrap(), [Cell::Text("2".into()), Cell::Unchanged]);
        for end in 1..message.len() {
            // The replication message is cut off at every position. It is valid only if it is cut off before its old row or
            // before its new row.
            if end != 5 && end != 15 {
                assert!(read(&message[..end]).is_err(), "{end}");
            }
        }
    }

    proptest! {
        #[test]
        fn no_message_makes_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = read(&bytes);
        }
    }
}
