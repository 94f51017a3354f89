//! Fuzz target: parsers of the headers `Accept`, `Range`, `Prefer` and `Cookie` must not panic.
#![no_main]

use std::collections::HashSet;

use cloch_rest::media_type::{MediaType, parse_accept};
use cloch_rest::request::{Preferences, Range, cookies};
use http::{HeaderMap, HeaderValue, header};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    for media_type in parse_accept(text) {
        // Parsing the text of `to_mime` must return the same media type.
        if !matches!(media_type, MediaType::Other(_)) {
            assert_eq!(MediaType::parse(&media_type.to_mime()), media_type);
        }
    }
    let range = Range::from_header(text);
    let _ = (range.limit(), range.restricted(Some(10)), range.intersection(Range::limited(1, 5)));
    let Ok(value) = HeaderValue::from_str(text) else { return };
    let mut headers = HeaderMap::new();
    headers.insert("prefer", value.clone());
    headers.insert(header::COOKIE, value);
    let _ = Preferences::read(&headers, true, &HashSet::new()).applied();
    let _ = cookies(&headers);
});
