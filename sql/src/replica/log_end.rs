//! The statements that ask the primary for the end of its log.

/// The position behind everything that is committed, also what `synchronous_commit = off` has not written yet. Behind a record that ends with its
/// page, `pg_current_wal_insert_lsn` tells the position behind the next page's header (24 bytes; 40 at the beginning of a segment), and
/// a standby has replayed up to the page's end until the next record is there: on an idle primary it would seem to be behind.
macro_rules! log_end {
    ($further:literal) => {
        concat!(
            "select (case when i - w in (24, 40) and (w - '0/0'::pg_lsn) % current_setting('wal_block_size')::int = 0 ",
            "then w else i end)::text",
            $further,
            " from (select pg_current_wal_insert_lsn() as i, pg_current_wal_lsn() as w) as log"
        )
    };
}

/// One text, a position.
pub const CURRENT_LSN: &str = log_end!("");

/// The position, and the timeline as a decimal number.
pub(super) const LSN_AND_TIMELINE: &str = log_end!(", ('x' || substr(pg_walfile_name(i), 1, 8))::bit(32)::int::text");
