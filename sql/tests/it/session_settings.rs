//! Settings of the database do not change the meaning of Cloch's SQL.

use cloch_sql::client::Connection;
use cloch_sql::testing::TestDatabase;
use sqlx::postgres::PgPoolOptions;

#[tokio::test]
async fn a_backslash_in_a_literal_means_the_same_in_every_database() {
    let test = TestDatabase::platform().await;
    let change = "do $$ begin execute format('alter database %I set standard_conforming_strings = off', current_database()); end $$";
    sqlx::raw_sql(change).execute(test.superuser()).await.unwrap();
    let literal = r"select 'a\\b'";
    let pool = test.login().pool(PgPoolOptions::new(), "test");
    let text: String = sqlx::query_scalar(literal).fetch_one(&pool).await.unwrap();
    assert_eq!(text, r"a\\b");
    let mut connection = Connection::open(test.login()).await.unwrap();
    assert_eq!(connection.texts(literal).await.unwrap(), [text]);
}
