//! Parses the query parameter `partNumber`: the part to upload, or the part of a multipart object to read.

use axum::http::header::RANGE;

use super::request::S3Request;
use crate::conditions::Conditions;
use crate::error::{Error, Result};
use crate::model::meta::Meta;
use crate::read::response::Bytes;

const MAX_PART_NUMBER: u64 = 10_000;

/// Parses the query parameter `partNumber`. `None` if it is absent.
///
/// # Errors
/// 400 if the parameter is not a decimal number from 1 to 10,000.
pub(super) fn of(request: &mut S3Request) -> Result<Option<u16>> {
    let invalid = || {
        let message = format!("Part number must be an integer between 1 and {MAX_PART_NUMBER}, inclusive");
        Error::S3(400, "InvalidArgument", message)
    };
    let Some(number) = request.number("partNumber").map_err(|_| invalid())? else { return Ok(None) };
    u16::try_from(number)
        .ok()
        .filter(|number| (1..=MAX_PART_NUMBER).contains(&u64::from(*number)))
        .map(Some)
        .ok_or_else(invalid)
}

/// Returns the bytes of the object that a GET or HEAD request selects, and the number of parts of the object if a part is requested.
///
/// # Errors
/// 400 if the request also contains `Range`, 412 if a condition is false, 416 if the part does not exist, 501 if the sizes of the parts are
/// unknown.
pub(super) fn bytes(request: &mut S3Request, meta: &Meta) -> Result<(Bytes, Option<u64>)> {
    let Some(number) = of(request)?.map(u64::from) else { return Ok((Bytes::Ranged, None)) };
    if request.headers().contains_key(RANGE) {
        let message = "Cannot specify both Range header and partNumber query parameter".to_owned();
        return Err(Error::S3(400, "InvalidRequest", message));
    }
    // Evaluate the conditional headers before the part number, in the same order as for a range (RFC 9110, 13.2.2).
    if !Conditions::of_read(request.headers()).wants_representation(meta.validators())? {
        return Ok((Bytes::Whole, None));
    }
    let size = meta.size.unwrap_or(0);
    let count = meta.part_count();
    if number > count.unwrap_or(1) {
        return Err(Error::S3(416, "InvalidPartNumber", "The requested partnumber is not satisfiable".to_owned()));
    }
    let Some(count) = count.filter(|count| *count > 1) else { return Ok((Bytes::Part(0..size), count)) };
    let part_size = meta.part_size.ok_or_else(|| {
        let message = "The sizes of this object's parts are not known. Read it by ranges instead.".to_owned();
        Error::S3(501, "NotImplemented", message)
    })?;
    let start = part_size.saturating_mul(number - 1).min(size);
    let end = if number == count { size } else { start.saturating_add(part_size).min(size) };
    Ok((Bytes::Part(start..end), Some(count)))
}
