//! Limits on the rows that callers without a session (role `anon`) may write: in one request, and in an hour from one network.
//!
//! The rows of an hour are reserved before they are written, and a write that fails gives its reservation back. Functions that visitors call
//! are not counted: the functions have to limit what they write.

use http::request::Parts;

use super::Settings;
use super::error::ApiError;
use super::request::{Action, ApiRequest, Mutation};
use super::visitor_rows::{Reservation, VisitorRows};
use crate::caller::{ANON, Caller, ClientAddress};

/// Seconds after which a write that affected more rows than its network had left may be tried again: when the oldest rows of the hour leave it
/// is not known then. They leave by the minute.
const RETRY_SECONDS: u32 = 60;

/// The limits of a visitor's write.
#[derive(Debug)]
pub(super) struct VisitorWrite {
    /// The maximum number of rows.
    max_rows: Option<u32>,
    /// The number of rows, if the body tells.
    rows: Option<u32>,
    /// The network and the rows it may write in an hour, if rows are counted.
    network: Option<(String, u32)>,
    reservation: Option<Reservation>,
}

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
        let rows = rows.map(|rows| u32::try_from(rows).unwrap_or(u32::MAX));
        let network = (limits.rows_per_hour > 0).then(|| {
            let network = ClientAddress::of_request(parts).map_or_else(|| "unknown".to_owned(), ClientAddress::network);
            (network, limits.rows_per_hour)
        });
        Ok(Some(Self { max_rows, rows, network, reservation: None }))
    }

    /// Reserves the rows. Of a write whose number of rows only the database knows, it reserves as many as it may have.
    ///
    /// # Errors
    /// When the network has written too many.
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

    /// The maximum number of rows, if PostgreSQL has to check it.
    pub(super) fn unknown_rows(&self) -> Option<i64> {
        if self.rows.is_some() {
            return None;
        }
        let reserved = self.reservation.as_ref().map(Reservation::rows);
        Some(self.max_rows.into_iter().chain(reserved).min().map_or(i64::MAX, i64::from))
    }

    /// The error of a write that has affected more than [`VisitorWrite::unknown_rows`].
    pub(super) fn too_many(&self, rows: i64) -> Option<ApiError> {
        match (self.max_rows, &self.network) {
            (Some(max_rows), _) if rows > i64::from(max_rows) => Some(ApiError::rows_of_visitor(max_rows)),
            (_, Some((_, allowed))) => Some(ApiError::rows_of_network(*allowed, RETRY_SECONDS)),
            _ => None,
        }
    }

    /// Ends the reservation of a write that has ended, with the number of rows if only PostgreSQL knew it.
    pub(super) fn settle(self, written: Result<Option<i64>, &ApiError>, rolls_back: bool) {
        let Some(reservation) = self.reservation else { return };
        match written {
            Ok(_) if rolls_back => reservation.spend(0),
            Ok(None) => {}
            Ok(Some(rows)) => reservation.spend(u32::try_from(rows).unwrap_or(u32::MAX)),
            Err(error) if error.is_rolled_back() => reservation.spend(0),
            // It may have been committed.
            Err(_) => {}
        }
    }
}
