//! Fuzz target: parsing a query string must not panic, and the canonical form of a valid query must parse to the same query.
#![no_main]

use cloch_rest::request::Query;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (&str, bool)| {
    let (text, is_call_by_get) = input;
    let Ok(query) = Query::parse(text, is_call_by_get) else { return };
    // Only queries with one key and one value are compared, because the canonical form (for the `Content-Location` header) joins several
    // values of a key and prints a missing value as an empty value.
    let keys = text.split(['&', ';']).count();
    if keys == 1 && text.contains('=') {
        let again = Query::parse(&query.canonical, is_call_by_get);
        assert_eq!(again.map(|again| again.canonical).ok(), Some(query.canonical));
    }
});
