//! Tests of the limits for writes of visitors whose response is a single JSON object.

use super::*;

const OBJECT: [(&str, &str); 2] =
    [("accept", "application/vnd.pgrst.object+json"), ("prefer", "return=representation")];

/// One of four rows has a pin, so an `!inner` embed of the pins removes the other three rows from the response.
const PINS: &str = "
    create table pin (id int primary key, entry int references guestbook); grant select on pin to anon;
    insert into guestbook (line) select 'there' from generate_series(1, 4); insert into pin values (1, 1);";

#[tokio::test]
async fn rows_that_are_not_in_the_response_count_towards_the_limit_of_a_write() {
    let rest = Rest::start(&format!("{GUESTBOOK}{PINS}"), limited(3, 0)).await;
    let changed = r#"{"line":"z"}"#;
    let refused = write(&rest, "PATCH", "/guestbook?id=gt.0&select=id,pin!inner(id)", &OBJECT, changed).await;
    assert_eq!((refused.status.as_u16(), refused.code()), (413, "PGRST191".to_owned()), "{refused:?}");
    let few = write(&rest, "PATCH", "/guestbook?id=lt.4&select=id,pin!inner(id)", &OBJECT, changed).await;
    assert_eq!((few.status, few.json()), (StatusCode::OK, serde_json::json!({"id": 1, "pin": [{"id": 1}]})), "{few:?}");
}

/// If the response is a single object, the written rows are still counted, and not the rows in the response.
#[tokio::test]
async fn writes_with_one_object_as_response_are_counted() {
    let rest = Rest::start(&format!("{GUESTBOOK}{PINS}"), limited(3, 5)).await;
    for (method, path, body) in [
        ("PATCH", "/guestbook?id=eq.1", r#"{"line":"y"}"#),
        ("PATCH", "/guestbook?id=eq.1&select=id,pin!inner(id)", r#"{"line":"y"}"#),
        ("DELETE", "/guestbook?id=eq.4", ""),
    ] {
        let written = write(&rest, method, path, &OBJECT, body).await;
        assert_eq!(written.status, StatusCode::OK, "{method} {path} {written:?}");
    }
    execute(&rest.database, "insert into guestbook (line) values ('there')").await;
    let changed = r#"{"line":"z"}"#;
    for (path, code) in [
        ("/guestbook?id=eq.99", "PGRST116"),
        ("/guestbook?id=lt.3", "PGRST116"),
        // Three rows would be updated, although only one of them would be in the response.
        ("/guestbook?id=lt.4&select=id,pin!inner(id)", "PGRST192"),
    ] {
        let refused = write(&rest, "PATCH", path, &OBJECT, changed).await;
        assert_eq!(refused.code(), code, "{path} {refused:?}");
    }
    let changed = "select count(*) from guestbook where line = 'z'";
    let changed: i64 = sqlx::query_scalar(changed).fetch_one(rest.database.superuser()).await.unwrap();
    assert_eq!(changed, 0);
    // Three of the five rows that are allowed per hour are used.
    assert_eq!(write(&rest, "POST", "/guestbook", &[], &rows(2)).await.status, StatusCode::CREATED);
    assert_eq!(write(&rest, "POST", "/guestbook", &[], "{}").await.status.as_u16(), 429);
}
