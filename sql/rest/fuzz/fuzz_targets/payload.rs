//! Fuzz target: parsing a request body of any content type must not panic.
#![no_main]

use bytes::Bytes;
use cloch_rest::media_type::MediaType;
use cloch_rest::request::{Payload, Reading};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (&[u8], u8, bool, bool)| {
    let (body, kind, is_call, has_columns) = input;
    let kinds = ["application/json", "text/csv", "application/x-www-form-urlencoded", "text/plain", "image/png"];
    let Some(kind) = kinds.get(usize::from(kind) % kinds.len()) else { return };
    let reading = Reading { is_call, has_columns };
    if let Ok(payload) = Payload::read(Bytes::copy_from_slice(body), &MediaType::parse(kind), reading) {
        let _ = (payload.keys(), payload.body());
    }
});
