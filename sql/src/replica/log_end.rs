//! SQL statements that return the end of the primary's WAL.

/// SQL expression for the position after all committed WAL, including WAL that `synchronous_commit = off` has not written yet. If the last
/// record ends at the end of a page, `pg_current_wal_insert_lsn` returns the position after the header of the next page (24 bytes; 40 bytes
/// at the beginning of a segment). A standby, however, reports the end of the page as its replayed position until the next record arrives.
/// In this case the expression returns the end of the page. Otherwise a standby of an idle primary would appear to lag.
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

/// SQL query for the end of the primary's WAL, as text.
pub const CURRENT_LSN: &str = log_end!("");

/// SQL query for the end of the primary's WAL, and the timeline as a decimal number.
pub(super) const LSN_AND_TIMELINE: &str = log_end!(", ('x' || substr(pg_walfile_name(i), 1, 8))::bit(32)::int::text");
