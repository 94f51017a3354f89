//! Any query string gets a meaning or an error; a meaning has one canonical form, which is read as the same again.
#![no_main]

use cloch_rest::request::Query;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (&str, bool)| {
    let (text, is_call_by_get) = input;
    let Ok(query) = Query::parse(text, is_call_by_get) else { return };
    // One value for each key: several would be joined in `Content-Location`, which is for reading only, and none would be shown as an
    // empty one.
    let keys = text.split(['&', ';']).count();
    if keys == 1 && text.contains('=') {
        let again = Query::parse(&query.canonical, is_call_by_get);
        assert_eq!(again.map(|again| again.canonical).ok(), Some(query.canonical));
    }
});
