//! Limits on the rows that visitors (callers without a session, role `anon`) may write: the rows of one request, and the rows that one
//! network (an IPv4 address or an IPv6 /64) writes in an hour.
//!
//! A write reserves its rows before it runs, and a failed write releases its reservation. Rows that SQL functions write on behalf of
//! visitors are not counted: the functions must limit their own writes.

use http::request::Parts;

use super::Settings;
use super::error::ApiError;
use super::request::{Action, ApiRequest, Mutation};
use super::visitor_rows::{Reservation, VisitorRows};
use cloch_sql::caller::{ANON, Caller, ClientAddress};

/// Value of the `Retry-After` header in seconds for a write that affects more rows than the caller's network (an IPv4 address or an IPv6
/// /64) may still write in the current hour. The value is always one minute: written rows leave the hourly count minute by minute. The
/// database is not queried for the exact time after which the network may write again.
const RETRY_SECONDS: u32 = 60;

/// Limits that apply to a write by a visitor (a caller without a session).
#[derive(Debug)]
pub(super) struct VisitorWrite {
    /// Maximum number of rows that this write may affect; `None` for no limit.
    max_rows: Option<u32>,
    /// Number of rows that this write affects: the number of rows in the body of an INSERT, or 1 for PUT. `None` for UPDATE and DELETE,
    /// because only PostgreSQL can determine their number of rows.
    rows: Option<u32>,
    /// Network of the caller (an IPv4 address or an IPv6 /64), and the number of rows that the network may write per hour. `None` if the
    /// hourly limit is disabled.
    network: Option<(String, u32)>,
    reservation: Option<Reservation>,
}

impl VisitorWrite {
    /// Returns the write limits for a request. Returns `None` for callers with a session, for requests that write no rows of a table, and
    /// if both limits are disabled.
    ///
    /// # Errors
    /// Fails if the body contains more rows than one request may write.
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
        let rows = rows.map(|rows| u32::try_from(rows).unwrap_or(u32::MAX));
        let network = (limits.rows_per_hour > 0).then(|| {
            let network = ClientAddress::of_request(parts).map_or_else(|| "unknown".to_owned(), ClientAddress::network);
            (network, limits.rows_per_hour)
        });
        Ok(Some(Self { max_rows, rows, network, reservation: None }))
    }

    /// Reserves the rows of this write, so that they count towards the hourly limit of the caller's network. For UPDATE and DELETE, whose
    /// number of rows is unknown before they run, reserves the maximum number of rows that the write may affect.
    ///
    /// # Errors
    /// Fails if the network has too few rows left in the current hour.
    pub(super) async fn reserve(&mut self, counted: &VisitorRows) -> Result<(), ApiError> {
        let Some((network, allowed)) = &self.network else { return Ok(()) };
        let (least, most) = match self.rows {
            Some(0) => return Ok(()),
            Some(rows) => (rows, rows),
            None => (1, self.max_rows.unwrap_or(*allowed).min(*allowed)),
        };
        self.reservation = Some(counted.reserve(network, least, most, *allowed).await?);
        Ok(())
    }

    /// Returns the maximum number of rows that an UPDATE or DELETE may affect. PostgreSQL must enforce this maximum, because the number of
    /// affected rows is unknown before the statement runs. Returns `None` for INSERT and PUT, whose number of rows the request determines.
    pub(super) fn unknown_rows(&self) -> Option<i64> {
        if self.rows.is_some() {
            return None;
        }
        let reserved = self.reservation.as_ref().map(Reservation::rows);
        Some(self.max_rows.into_iter().chain(reserved).min().map_or(i64::MAX, i64::from))
    }

    /// Returns the API error for a write that affected `rows` rows, more than [`VisitorWrite::unknown_rows`] allows. The error names the
    /// limit for one write, or the hourly limit of the network if the limit for one write is not exceeded.
    pub(super) fn too_many(&self, rows: i64) -> Option<ApiError> {
        match (self.max_rows, &self.network) {
            (Some(max_rows), _) if rows > i64::from(max_rows) => Some(ApiError::rows_of_visitor(max_rows)),
            (_, Some((_, allowed))) => Some(ApiError::rows_of_network(*allowed, RETRY_SECONDS)),
            _ => None,
        }
    }

    /// Ends the reservation after the write, and releases the rows that were reserved but not written. `written` is the outcome of the
    /// write: an error, or the number of written rows. If the number is unknown (`None`), all reserved rows stay counted. `rolls_back` is
    /// true if the transaction was rolled back although the write succeeded; in this case all reserved rows are released.
    pub(super) fn settle(self, written: Result<Option<i64>, &ApiError>, rolls_back: bool) {
        let Some(reservation) = self.reservation else { return };
        match written {
            Ok(_) if rolls_back => reservation.spend(0),
            Ok(None) => {}
            Ok(Some(rows)) => reservation.spend(u32::try_from(rows).unwrap_or(u32::MAX)),
            Err(error) if error.is_rolled_back() => reservation.spend(0),
            // The write may have been committed, so its rows stay counted.
            Err(_) => {}
        }
    }
}
