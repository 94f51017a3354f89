//! Tests of transactions whose requests are cancelled.

use std::future::{Future, poll_fn};
use std::task::Poll;

use cloch_sql::testing::TestDatabase;
use cloch_sql::transaction;
use sqlx::postgres::PgPoolOptions;

/// A later write without a transaction must not be rolled back together with an abandoned transaction.
#[tokio::test]
async fn a_cancelled_begin_leaves_no_transaction_in_the_pool() {
    let database = TestDatabase::platform().await;
    let options = PgPoolOptions::new().max_connections(1).test_before_acquire(false);
    let pool = options.connect_with(database.login().sqlx_options()).await.unwrap();
    sqlx::query("create table acknowledged (number int)").execute(&pool).await.unwrap();
    for number in 0..100 {
        // The request is cancelled at different times: from before BEGIN is sent to after the response to BEGIN.
        let mut begun = Box::pin(transaction::begin(&pool));
        for _ in 0..number % 10 {
            let is_ready = poll_fn(|context| Poll::Ready(begun.as_mut().poll(context).is_ready())).await;
            if is_ready {
                break;
            }
            tokio::task::yield_now().await;
        }
        drop(begun);
        sqlx::query("insert into acknowledged values ($1)").bind(number).execute(&pool).await.unwrap();
        drop(transaction::begin(&pool).await.unwrap());
    }
    let kept: i64 =
        sqlx::query_scalar("select count(*) from acknowledged").fetch_one(database.superuser()).await.unwrap();
    assert_eq!(kept, 100);
}
