//! Tests of requests directly after schema changes: a request must find every name that was committed before the request. The expected
//! results equal those of the same statements in SQL.

use serde_json::json;

use super::*;

/// Number of rounds. If requests did not wait for the schema cache, the first request of each round would be refused, because the schema
/// cache is reloaded 100 ms after a change.
const ROUNDS: usize = 8;

#[tokio::test]
async fn a_request_finds_what_was_created_directly_before_it() {
    let sql = "create table parents (id int primary key); insert into parents values (7);
               grant all on all tables in schema public to service_role;
               alter default privileges in schema public grant all on tables to service_role;";
    let rest = Rest::start(sql, Settings::default()).await;
    for round in 0..ROUNDS {
        let steps = [
            (format!("create table t{round} (id int primary key)"), "GET", format!("/t{round}"), "", "[]"),
            (
                format!("alter table t{round} add parent int references parents; insert into t{round} values (1, 7)"),
                "GET",
                format!("/t{round}?select=id,parents(id)"),
                "",
                r#"[{"id":1,"parents":{"id":7}}]"#,
            ),
            (
                format!("alter table t{round} add note text"),
                "POST",
                format!("/t{round}?columns=id,note"),
                r#"[{"id":2,"note":"n"}]"#,
                "",
            ),
            (
                format!("create function f{round}(a int) returns int language sql as 'select a + 1'"),
                "POST",
                format!("/rpc/f{round}"),
                r#"{"a":2}"#,
                "3",
            ),
        ];
        for (change, method, path, body, expected) in steps {
            execute(&rest.database, &change).await;
            let answer = rest.send(&Caller::service_role(), method, &path, body).await;
            assert!(answer.status.is_success(), "{change}: {answer:?}");
            let parsed = |text: &str| serde_json::from_str::<serde_json::Value>(text).ok();
            assert_eq!(parsed(&answer.body), parsed(expected), "{change}");
        }
    }
}

/// A request is no longer ambiguous as soon as one of the two functions or relationships is dropped.
#[tokio::test]
async fn a_request_does_not_find_what_was_dropped_directly_before_it() {
    let sql = "create table parents (id int primary key); insert into parents values (7);
               create table children (id int primary key, first int references parents, second int references parents);
               insert into children values (1, 7, 7);
               create function twice(a int) returns int language sql as 'select 1';
               create function twice(a text) returns int language sql as 'select 2';
               grant all on all tables in schema public to service_role;";
    let rest = Rest::start(sql, Settings::default()).await;
    for (method, path, body, code, change, expected) in [
        ("POST", "/rpc/twice", r#"{"a":2}"#, "PGRST203", "drop function twice(text)", json!(1)),
        (
            "GET",
            "/children?select=id,parents(id)",
            "",
            "PGRST201",
            "alter table children drop column second",
            json!([{"id": 1, "parents": {"id": 7}}]),
        ),
    ] {
        assert_eq!(rest.send(&Caller::service_role(), method, path, body).await.code(), code);
        execute(&rest.database, change).await;
        let answer = rest.send(&Caller::service_role(), method, path, body).await;
        assert_eq!((answer.status, answer.json()), (StatusCode::OK, expected), "{change}: {answer:?}");
    }
}

/// Names that do not exist are refused without a long wait, also when many requests wait at the same time.
#[tokio::test]
async fn an_unknown_name_is_refused_at_once() {
    let rest = Rest::start("", Settings::default()).await;
    let begun = Instant::now();
    let answers = futures_util::future::join_all((0..200).map(|_| rest.get("/nowhere"))).await;
    assert!(answers.iter().all(|answer| answer.code() == "PGRST205"), "{answers:?}");
    assert!(begun.elapsed() < Duration::from_secs(4), "{:?}", begun.elapsed());
}
