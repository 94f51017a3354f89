//! The body of a request as a stream of bytes.

use axum::body::Body;
use cloch_sql::pace::{Pace, TooSlow, paced};
use futures_util::StreamExt;

use crate::backend::ByteStream;
use crate::error::Error;

/// A body's bytes as they come. They end with an error when the client sends more slowly than the minimum rate.
pub(crate) fn frames(body: Body, pace: Pace) -> ByteStream {
    let aborted = |error: axum::Error| match TooSlow::is_reason(&error) {
        true => Error::Aborted("The client sends too slowly"),
        false => Error::Aborted("Request stream closed before upload could complete"),
    };
    paced(body, pace).into_data_stream().map(move |frame| frame.map_err(aborted)).boxed()
}
