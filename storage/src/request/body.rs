//! Reads request bodies as byte streams.

use axum::body::Body;
use cloch_core::min_rate::{MinRate, TooSlow, enforce_min_rate};
use futures_util::StreamExt;

use crate::backend::ByteStream;
use crate::error::Error;

/// Returns the chunks of a request body as they are received. The stream ends with an error if the client sends more slowly than the
/// minimum rate `min_rate`.
pub(crate) fn frames(body: Body, min_rate: MinRate) -> ByteStream {
    let aborted = |error: axum::Error| match TooSlow::is_cause(&error) {
        true => Error::Aborted("The client sends too slowly"),
        false => Error::Aborted("Request stream closed before upload could complete"),
    };
    enforce_min_rate(body, min_rate).into_data_stream().map(move |frame| frame.map_err(aborted)).boxed()
}
