use cloch_sql::testing::TestDatabase;
use serde_json::json;

use super::*;

#[tokio::test]
async fn only_a_function_can_be_named() {
    let database = TestDatabase::platform().await;
    for name in ["", "a b", "a\"b", "auth.users", "A", "a()"] {
        assert!(Published::new(database.database().clone(), name).is_err(), "{name:?}");
    }
    assert!(Published::default().current().await.is_none());
}

#[tokio::test]
async fn what_a_visitor_may_not_ask_is_not_filled_in() {
    let database = TestDatabase::platform().await;
    let admin = database.database().admin();
    let create =
        "create function public.content() returns jsonb language sql stable as $$ select '{\"a\": 1}'::jsonb $$;
                  revoke execute on function public.content() from public, anon";
    sqlx::raw_sql(create).execute(admin).await.unwrap();
    let published = Published::new(database.database().clone(), "content").unwrap();
    assert_eq!(published.current().await.unwrap().value, Value::Null);
    sqlx::raw_sql("grant execute on function public.content() to anon").execute(admin).await.unwrap();
    let published = Published::new(database.database().clone(), "content").unwrap();
    assert_eq!(published.current().await.unwrap().value, json!({ "a": 1 }));
}

#[tokio::test]
async fn an_answer_that_is_too_large_or_missing_changes_nothing() {
    let database = TestDatabase::platform().await;
    let admin = database.database().admin();
    let create =
        "create function public.content() returns jsonb language sql as $$ select to_jsonb(repeat('x', 600000)) $$;
                  grant execute on function public.content() to anon";
    sqlx::raw_sql(create).execute(admin).await.unwrap();
    for name in ["content", "missing"] {
        let published = Published::new(database.database().clone(), name).unwrap();
        assert_eq!(published.current().await.unwrap().value, Value::Null, "{name}");
    }
}

#[tokio::test]
async fn withdrawn_content_does_not_stay_when_reading_fails() {
    let database = TestDatabase::platform().await;
    let admin = database.database().admin();
    let define = async |body: &str| {
        let define = format!(
            "create or replace function public.content() returns jsonb language plpgsql as $$ begin {body}; end $$"
        );
        sqlx::raw_sql(AssertSqlSafe(define)).execute(admin).await.unwrap();
    };
    define("return '1'").await;
    sqlx::raw_sql("grant execute on function public.content() to anon").execute(admin).await.unwrap();
    let published = Published::new(database.database().clone(), "content").unwrap();
    let source = published.0.as_ref().unwrap();
    assert_eq!(published.current().await.unwrap().value, json!(1));

    define("raise 'fails'").await;
    let mut times = source.times.lock().await;
    source.refresh(&mut times).await;
    assert_eq!(source.latest().value, json!(1), "a short failure keeps the content");
    times.succeeded = times.succeeded.checked_sub(MAX_FAILING).unwrap();
    source.refresh(&mut times).await;
    assert_eq!(source.latest().value, Value::Null, "a long failure does not");

    define("return '2'").await;
    source.refresh(&mut times).await;
    assert_eq!(source.latest().value, json!(2));
    define("return to_jsonb(repeat('x', 600000))").await;
    source.refresh(&mut times).await;
    assert_eq!(source.latest().value, Value::Null, "content that is too large is not sent, and nothing else either");
}
