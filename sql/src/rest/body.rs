//! A request's body, read whole: into memory of its size once.

use std::sync::Arc;

use axum::body::Body;
use bytes::{Bytes, BytesMut};
use http::HeaderMap;
use http_body_util::BodyExt;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::Settings;
use super::error::ApiError;
use crate::min_rate::{TooSlow, enforce_min_rate};

/// Bytes of the bodies of visitors, and of all other callers, that are held at once. No caller of one kind takes the room of the other.
const VISITORS_ROOM: usize = 64 * 1024 * 1024;
const OTHERS_ROOM: usize = 256 * 1024 * 1024;
/// A smaller body takes no room: most have some hundred bytes.
const SMALL_BODY: usize = 64 * 1024;
/// So much memory is set aside for an announced body before any of it has come.
const FIRST_ROOM: usize = 256 * 1024;
/// The unit in which room is counted.
const UNIT: usize = 1024;

/// The memory that bodies may take while they are read and written to the database.
#[derive(Debug)]
pub(super) struct Bodies {
    visitors: Kind,
    others: Kind,
}

#[derive(Debug)]
struct Kind {
    /// The largest body.
    limit: usize,
    room: Arc<Semaphore>,
}

/// A body, with its room until this is dropped.
#[derive(Debug, Default)]
pub(super) struct Held {
    pub(super) bytes: Bytes,
    _room: Option<OwnedSemaphorePermit>,
}

impl Bodies {
    pub(super) fn new(settings: &Settings) -> Self {
        let kind = |limit: usize, room: usize| Kind { limit, room: Arc::new(Semaphore::new(units(room.max(limit)))) };
        let of_visitors = match settings.visitors.body_bytes {
            0 => settings.max_body_bytes,
            limit => limit.min(settings.max_body_bytes),
        };
        Self { visitors: kind(of_visitors, VISITORS_ROOM), others: kind(settings.max_body_bytes, OTHERS_ROOM) }
    }

    /// Reads the body of a visitor or of another caller.
    pub(super) async fn read(
        &self,
        headers: &HeaderMap,
        body: Body,
        is_visitor: bool,
        settings: &Settings,
    ) -> Result<Held, ApiError> {
        let Kind { limit, room } = if is_visitor { &self.visitors } else { &self.others };
        let length = headers.get(http::header::CONTENT_LENGTH);
        let length: Option<usize> = length.and_then(|value| value.to_str().ok()?.parse().ok());
        if length.is_some_and(|length| length > *limit) {
            return Err(ApiError::body_too_large(*limit));
        }
        let mut body = enforce_min_rate(body, settings.min_rate);
        let mut bytes = BytesMut::with_capacity(length.unwrap_or_default().min(FIRST_ROOM));
        let mut held: Option<OwnedSemaphorePermit> = None;
        while let Some(frame) = body.frame().await {
            let Ok(data) = frame.map_err(unreadable)?.into_data() else { continue };
            let total = bytes.len() + data.len();
            if total > *limit {
                return Err(ApiError::body_too_large(*limit));
            }
            if total > SMALL_BODY {
                take(room, &mut held, units(total))?;
            }
            if total > bytes.capacity() {
                bytes.reserve(length.unwrap_or_default().max(total) - bytes.len());
            }
            bytes.extend_from_slice(&data);
        }
        Ok(Held { bytes: bytes.freeze(), _room: held })
    }
}

fn unreadable(error: axum::Error) -> ApiError {
    if TooSlow::is_cause(&error) {
        return ApiError::body_too_slow();
    }
    ApiError::invalid_body(format!("The body could not be read: {error}"))
}

/// Takes what is lacking of the room. Nobody waits for it: those who have some might wait for each other.
fn take(room: &Arc<Semaphore>, held: &mut Option<OwnedSemaphorePermit>, wanted: usize) -> Result<(), ApiError> {
    let has = held.as_ref().map_or(0, OwnedSemaphorePermit::num_permits);
    let more = u32::try_from(wanted.saturating_sub(has)).unwrap_or(u32::MAX);
    let more = Arc::clone(room).try_acquire_many_owned(more).map_err(|_| ApiError::no_room_for_body())?;
    match held {
        Some(held) => held.merge(more),
        None => *held = Some(more),
    }
    Ok(())
}

fn units(bytes: usize) -> usize {
    bytes.div_ceil(UNIT).min(Semaphore::MAX_PERMITS)
}
