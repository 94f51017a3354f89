//! Reads request bodies into memory with a minimum transfer rate and within a memory budget.

use std::sync::Arc;

use axum::body::Body;
use bytes::{Bytes, BytesMut};
use cloch_core::min_rate::{TooSlow, enforce_min_rate};
use http::HeaderMap;
use http_body_util::BodyExt;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::Settings;
use super::error::ApiError;

/// Memory budget in bytes for the request bodies of all visitors (role `anon`) together. Other callers have a separate budget, so that
/// neither group can exhaust the budget of the other group.
const VISITOR_MEMORY_BYTES: usize = 64 * 1024 * 1024;
const OTHER_MEMORY_BYTES: usize = 256 * 1024 * 1024;
/// Size in bytes up to which a request body does not count towards the memory budget, because most bodies have only some hundred bytes.
const UNCOUNTED_BODY_BYTES: usize = 64 * 1024;
/// Maximum size in bytes of the buffer that is allocated for a body with `Content-Length` before the first data arrives.
const MAX_INITIAL_BYTES: usize = 256 * 1024;
/// Number of bytes of the memory budget that one semaphore permit represents.
const PERMIT_BYTES: usize = 1024;

/// Memory budgets of request bodies, one for visitors and one for other callers. A request body counts towards the budget until its request
/// has been executed in the database.
#[derive(Debug)]
pub(super) struct BodyMemory {
    visitors: CallerKind,
    others: CallerKind,
}

#[derive(Debug)]
struct CallerKind {
    /// Maximum size of a request body in bytes.
    limit: usize,
    memory: Arc<Semaphore>,
}

/// A request body that counts towards the memory budget until it is dropped.
#[derive(Debug, Default)]
pub(super) struct HeldBody {
    pub(super) bytes: Bytes,
    _permit: Option<OwnedSemaphorePermit>,
}

impl BodyMemory {
    pub(super) fn new(settings: &Settings) -> Self {
        let kind = |limit: usize, memory: usize| CallerKind {
            limit,
            memory: Arc::new(Semaphore::new(permits(memory.max(limit)))),
        };
        let of_visitors = match settings.visitors.body_bytes {
            0 => settings.max_body_bytes,
            limit => limit.min(settings.max_body_bytes),
        };
        Self {
            visitors: kind(of_visitors, VISITOR_MEMORY_BYTES),
            others: kind(settings.max_body_bytes, OTHER_MEMORY_BYTES),
        }
    }

    /// Reads a request body completely. The memory budget and the size limit depend on whether the caller is a visitor (role `anon`).
    pub(super) async fn read(
        &self,
        headers: &HeaderMap,
        body: Body,
        is_visitor: bool,
        settings: &Settings,
    ) -> Result<HeldBody, ApiError> {
        let CallerKind { limit, memory } = if is_visitor { &self.visitors } else { &self.others };
        let length = headers.get(http::header::CONTENT_LENGTH);
        let length: Option<usize> = length.and_then(|value| value.to_str().ok()?.parse().ok());
        if length.is_some_and(|length| length > *limit) {
            return Err(ApiError::body_too_large(*limit));
        }
        let mut body = enforce_min_rate(body, settings.min_rate);
        let mut bytes = BytesMut::with_capacity(length.unwrap_or_default().min(MAX_INITIAL_BYTES));
        let mut permit: Option<OwnedSemaphorePermit> = None;
        while let Some(frame) = body.frame().await {
            let Ok(data) = frame.map_err(unreadable)?.into_data() else { continue };
            let total = bytes.len() + data.len();
            if total > *limit {
                return Err(ApiError::body_too_large(*limit));
            }
            if total > UNCOUNTED_BODY_BYTES {
                acquire(memory, &mut permit, permits(total))?;
            }
            if total > bytes.capacity() {
                bytes.reserve(length.unwrap_or_default().max(total) - bytes.len());
            }
            bytes.extend_from_slice(&data);
        }
        Ok(HeldBody { bytes: bytes.freeze(), _permit: permit })
    }
}

fn unreadable(error: axum::Error) -> ApiError {
    if TooSlow::is_cause(&error) {
        return ApiError::body_too_slow();
    }
    ApiError::invalid_body(format!("The body could not be read: {error}"))
}

/// Raises the number of semaphore permits that a request body holds to `wanted`. Fails at once if too few permits are available. Waiting
/// for permits could cause a deadlock between requests that each hold some of the permits.
fn acquire(memory: &Arc<Semaphore>, held: &mut Option<OwnedSemaphorePermit>, wanted: usize) -> Result<(), ApiError> {
    let has = held.as_ref().map_or(0, OwnedSemaphorePermit::num_permits);
    let more = u32::try_from(wanted.saturating_sub(has)).unwrap_or(u32::MAX);
    let more = Arc::clone(memory).try_acquire_many_owned(more).map_err(|_| ApiError::no_room_for_body())?;
    match held {
        Some(held) => held.merge(more),
        None => *held = Some(more),
    }
    Ok(())
}

fn permits(bytes: usize) -> usize {
    bytes.div_ceil(PERMIT_BYTES).min(Semaphore::MAX_PERMITS)
}
