//! Tests of a statement that runs after a batch in the same round trip to PostgreSQL.

use cloch_sql::client::{BatchStatement, ClientError, Pool, Rows};

use super::*;

/// Executes statements and then `after`. Returns the first value of `after`.
async fn run_then(pool: &Pool, statements: &[&str], after: &str) -> Result<Option<String>, ClientError> {
    let mut steps: Vec<_> = statements.iter().map(|sql| BatchStatement::silent(sql, &[])).collect();
    let mut rows = Rows::default();
    let mut after = BatchStatement { sql: after, params: &[], sink: Some(&mut rows) };
    let mut connection = pool.get().await?;
    connection.run_then("", &mut steps, Some(&mut after)).await?;
    Ok(rows.rows().first().and_then(|row| row.text(0).map(str::to_owned)))
}

#[tokio::test]
async fn a_statement_after_a_batch_sees_its_commit_and_does_not_change_its_outcome() {
    let database = TestDatabase::platform().await;
    execute(&database, "create table note (id int primary key)").await;
    let pool = Pool::new(database.login().clone(), 1);
    const COUNT: &str = "select count(*)::text from note";
    // Run three times, because a statement is prepared from its second use.
    for id in 0..3 {
        let insert = format!("insert into note values ({id})");
        assert_eq!(run_then(&pool, &[&insert], COUNT).await.unwrap().unwrap(), (id + 1).to_string());
        let error = run_then(&pool, &["begin", &insert, "commit"], COUNT).await.unwrap_err();
        assert!(error.to_string().contains("23505"), "{error}");
        let error = run_then(&pool, &[&insert], COUNT).await.unwrap_err();
        assert!(error.to_string().contains("23505"), "{error}");
    }
    for id in 3..6 {
        let insert = format!("insert into note values ({id})");
        assert_eq!(run_then(&pool, &[&insert], "select 1/0").await.unwrap(), None);
        assert_eq!(run_then(&pool, &["select"], COUNT).await.unwrap().unwrap(), (id + 1).to_string());
    }
}

#[tokio::test]
async fn an_abandoned_batch_leaves_no_response_in_its_connection() {
    let database = TestDatabase::platform().await;
    let pool = Pool::new(database.login().clone(), 1);
    for (number, statements) in
        [&["select pg_sleep(0.2)"][..], &["begin", "select pg_sleep(0.2)"]].iter().cycle().take(6).enumerate()
    {
        let abandoned = run_then(&pool, statements, "select 'old'");
        assert!(tokio::time::timeout(Duration::from_millis(50), abandoned).await.is_err());
        let expected = number.to_string();
        assert_eq!(run_then(&pool, &["select"], &format!("select '{number}'")).await.unwrap(), Some(expected));
    }
}
