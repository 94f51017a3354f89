//! The body of a request as a stream of bytes.

use axum::body::Body;
use cloch_core::min_rate::{MinRate, TooSlow, enforce_min_rate};
use futures_util::StreamExt;

use crate::backend::ByteStream;
use crate::error::Error;

/// A body's bytes as they come. They end with an error when the client sends more slowly than the minimum rate.
pub(crate) fn frames(body: Body, min_rate: MinRate) -> ByteStream {
    let aborted = |error: axum::Error| match TooSlow::is_cause(&error) {
        true => Error::Aborted("The client sends too slowly"),
        false => Error::Aborted("Request stream closed before upload could complete"),
    };
    enforce_min_rate(body, min_rate).into_data_stream().map(move |frame| frame.map_err(aborted)).boxed()
}
