//! Limits on the rows that callers without a session (role `anon`) may write: in one request, and in an hour from one network.
//!
//! The rows of an hour are counted in the transaction that writes them, so a failed write does not count. Functions that visitors call are
//! not counted: the functions have to limit what they write.

use http::request::Parts;

use super::Settings;
use super::error::ApiError;
use super::request::{Action, ApiRequest, Mutation};
use crate::caller::{ANON, Caller, ClientAddress};
use crate::client::Param;

/// The limits of a visitor's write.
#[derive(Debug)]
pub(super) struct VisitorWrite {
    /// The maximum number of rows.
    pub(super) max_rows: Option<u32>,
    /// The number of rows, if the body tells.
    rows: Option<usize>,
    /// The parameters of [`COUNT_ROWS`]; `None` if rows are not counted.
    count: Option<Vec<Param>>,
}

/// Resets the role to the login, because the caller's role may not execute the counting function.
pub(super) const RESET_ROLE: &str = "select where set_config('role', 'none', true) is null";
/// Counts the rows and sets the caller's role again, because deferred triggers run at the end of the transaction.
pub(super) const COUNT_ROWS: &str = "select where num_nulls(\
    cloch.take_visitor_rows($1, coalesce($2::int, nullif(current_setting('cloch.rows_written', true), '')::int, 1), $3::int), \
    set_config('role', $4, true)) > 2";

impl VisitorWrite {
    /// The limits of a request; `None` for other callers, and for requests that write no rows of a table.
    pub(super) fn of(
        caller: &Caller,
        parts: &Parts,
        request: &ApiRequest,
        settings: &Settings,
    ) -> Result<Option<Self>, ApiError> {
        let limits = &settings.visitors;
        let Action::Mutate { mutation, .. } = &request.action else { return Ok(None) };
        if caller.role() != ANON || (limits.rows_per_write == 0 && limits.rows_per_hour == 0) {
            return Ok(None);
        }
        let rows = match (mutation, &request.payload) {
            (Mutation::Insert, Some(payload)) => Some(payload.rows()?),
            (Mutation::Upsert, _) => Some(1),
            _ => None,
        };
        let max_rows = (limits.rows_per_write > 0).then_some(limits.rows_per_write);
        if let (Some(rows), Some(max_rows)) = (rows, max_rows)
            && rows > max_rows as usize
        {
            return Err(ApiError::too_many_rows(rows, max_rows));
        }
        let count = (limits.rows_per_hour > 0).then(|| {
            let network = ClientAddress::of_request(parts).map_or_else(|| "unknown".to_owned(), ClientAddress::network);
            let rows = rows.map(|rows| rows.to_string());
            let (allowed, role) = (limits.rows_per_hour.to_string(), caller.role().to_owned());
            vec![Param::unknown(network), Param::nullable(rows), Param::unknown(allowed), Param::unknown(role)]
        });
        Ok(Some(Self { max_rows, rows, count }))
    }

    /// The parameters of [`COUNT_ROWS`]; `None` if rows are not counted.
    pub(super) fn count(&self) -> Option<&[Param]> {
        self.count.as_deref()
    }

    /// The maximum number of rows, if PostgreSQL has to check it.
    pub(super) fn unknown_rows(&self) -> Option<i64> {
        self.rows.is_none().then(|| self.max_rows.map_or(i64::MAX, i64::from))
    }
}
