//! Tests of the stand-in for pgvector: its results and error messages equal those of pgvector.

use cloch_sql::testing::TestDatabase;
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, PgConnection, Row};

/// Expressions and pgvector's results, one pair per line: a value, or SQLSTATE, message and detail of an error. The list was written by
/// PostgreSQL 15 with pgvector 0.8.6 from generated inputs.
const ANSWERS: &str = include_str!("vector_answers.tsv");

/// Function that evaluates an expression in SQL, and returns its value or its error as text.
const ATTEMPT: &str = "create function public.attempt(expression text) returns text language plpgsql as $$
    declare
      result text;
      detail text;
    begin
      execute 'select (' || expression || ')::text' into result;
      return coalesce(result, 'NULL');
    exception when others then
      get stacked diagnostics detail = pg_exception_detail;
      return sqlstate || ' ' || sqlerrm || case when detail <> '' then ' | ' || detail else '' end;
    end $$;
    set search_path = extensions, public; set client_min_messages = error;";

/// Whether two results are equal. pgvector sums with single precision and the stand-in with double precision.
fn equals(found: &str, expected: &str) -> bool {
    let numbers = |text: &str| -> Option<Vec<f64>> {
        text.trim_matches(['[', ']']).split(',').map(|number| number.parse().ok()).collect()
    };
    let is_near =
        |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-5 * a.abs().max(b.abs()).max(0.03) || a.is_nan() && b.is_nan();
    found == expected
        || match (numbers(found), numbers(expected)) {
            (Some(found), Some(expected)) => found.len() == expected.len() && found.iter().zip(&expected).all(is_near),
            _ => false,
        }
}

async fn is_stood_in_for(connection: &mut PgConnection) -> bool {
    sqlx::query("select exists (select from cloch.stand_ins where extension = 'vector')")
        .fetch_one(connection)
        .await
        .unwrap()
        .get(0)
}

#[tokio::test]
async fn the_stand_in_answers_as_pgvector_does() {
    let database = TestDatabase::platform().await;
    let mut connection = database.superuser().acquire().await.unwrap();
    if !is_stood_in_for(&mut connection).await {
        return;
    }
    sqlx::raw_sql(ATTEMPT).execute(&mut *connection).await.unwrap();
    let (mut count, mut wrong) = (0, Vec::new());
    for line in ANSWERS.lines() {
        let (expression, expected) = line.split_once('\t').unwrap();
        let found: String =
            sqlx::query_scalar("select public.attempt($1)").bind(expression).fetch_one(&mut *connection).await.unwrap();
        count += 1;
        if !equals(&found, expected) {
            wrong.push(format!("{expression}: {found}, pgvector: {expected}"));
        }
    }
    assert!(count > 400 && wrong.is_empty(), "{} of {count}: {wrong:#?}", wrong.len());
}

/// Callers have no rights on schema cloch, but must be able to use the types, whose functions are in this schema.
#[tokio::test]
async fn callers_search_columns_of_all_types() {
    let database = TestDatabase::platform().await;
    let mut connection = database.superuser().acquire().await.unwrap();
    if !is_stood_in_for(&mut connection).await {
        return;
    }
    sqlx::raw_sql(
        "set search_path = public, extensions;
         create table items (id int, v vector(2), h halfvec(2), s sparsevec(5), b bit(4), unique (v));
         grant select, insert on items to anon;
         set role anon;
         insert into items values (1, '[1, 2]', '[1,0.1]', '{3:1, 1:2}/5', b'1010'), (2, '[3,4]', array[3,4], '{}/5', b'1111');",
    )
    .execute(&mut *connection)
    .await
    .unwrap();
    for (query, expected) in [
        ("select string_agg(v::text, ' ' order by v <-> '[3,3]') from items", "[3,4] [1,2]"),
        ("select string_agg(h::text, ' ' order by h <=> '[0,1]') from items", "[3,4] [1,0.099975586]"),
        ("select string_agg(s::text, ' ' order by s <#> '{1:1}/5') from items", "{1:2,3:1}/5 {}/5"),
        ("select string_agg(b::text, ' ' order by b <~> b'0111') from items", "1111 1010"),
        ("select avg(v)::text || ' ' || sum(h)::text from items", "[2,3] [4,4.1015625]"),
        ("select count(distinct v)::text from items where v in ('[1,2]', '[ 1,2 ]')", "1"),
    ] {
        let found: String = sqlx::query_scalar(query).fetch_one(&mut *connection).await.unwrap();
        assert_eq!(found, expected, "{query}");
    }
    let repeated = sqlx::raw_sql("insert into items (v) values ('[1.0,2]')").execute(&mut *connection).await;
    assert!(repeated.unwrap_err().to_string().contains("items_v_key"));
}

/// PostgreSQL reads type modifiers while it compiles a PL/pgSQL function, and its compiler is not reentrant. If the first statement of a
/// session compiles such a function, reading the modifier must therefore not call another function in PL/pgSQL.
#[tokio::test]
async fn a_session_begins_with_a_variable_of_each_type() {
    let database = TestDatabase::platform().await;
    let mut connection = database.superuser().acquire().await.unwrap();
    if !is_stood_in_for(&mut connection).await {
        return;
    }
    sqlx::raw_sql(
        "create function public.of_vector(x text) returns text language plpgsql as
           'declare y extensions.vector(3) := x; z extensions.vector(3) := x; begin return y; end';
         create function public.of_halfvec(x text) returns text language plpgsql as
           'declare y extensions.halfvec(3) := x; z extensions.halfvec(3) := x; begin return y; end';
         create function public.of_sparsevec(x text) returns text language plpgsql as
           'declare y extensions.sparsevec(3) := x; z extensions.sparsevec(3) := x; begin return y; end';
         set check_function_bodies = off;
         create function public.of_none(x text) returns text language plpgsql as 'declare y extensions.vector(0) := x; begin return y; end';
         create function public.of_many(x text) returns text language plpgsql as
           'declare y extensions.vector(3); z extensions.halfvec(16001) := x; begin return y; end';",
    )
    .execute(&mut *connection)
    .await
    .unwrap();
    for (function, value, expected) in [
        ("of_vector", "[1, 2,3]", "[1,2,3]"),
        ("of_vector", "[1,2]", "expected 3 dimensions, not 2"),
        ("of_halfvec", "[1,2,0.1]", "[1,2,0.099975586]"),
        ("of_halfvec", "[1,2]", "expected 3 dimensions, not 2"),
        ("of_sparsevec", "{2:1, 1:5}/3", "{1:5,2:1}/3"),
        ("of_sparsevec", "{}/4", "expected 3 dimensions, not 4"),
        ("of_none", "[1]", "dimensions for type vector must be at least 1"),
        ("of_many", "[1]", "dimensions for type halfvec cannot exceed 16000"),
    ] {
        // The call is the first statement of a session. The session must remain usable afterwards.
        let mut session = database.login().sqlx_options().connect().await.unwrap();
        let call = AssertSqlSafe(format!("select public.{function}($1)"));
        let outcome: Result<String, _> = sqlx::query_scalar(call).bind(value).fetch_one(&mut session).await;
        let found = outcome.unwrap_or_else(|error| error.as_database_error().unwrap().message().to_owned());
        assert_eq!(found, expected, "{function} {value}");
        let again: String =
            sqlx::query_scalar("select public.of_vector('[1,2,3]')").fetch_one(&mut session).await.unwrap();
        assert_eq!(again, "[1,2,3]", "after {function} {value}");
        session.close().await.unwrap();
    }
}
