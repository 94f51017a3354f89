//! Compares explanations of refused requests with PostgreSQL's behaviour for two cases: all combinations of roles, tables and actions of
//! the project, and policies of which one at a time is broken.

mod broken;

use bytes::Bytes;
use cloch_rest::Settings;
use cloch_rest::why::{Cause, Command, Explanation, Outcome, Question, Sessions, why};
use cloch_sql::Caller;
use cloch_sql::database::Logins;
use cloch_sql::schema_cache::{SchemaCache, load};
use cloch_sql::testing::TestDatabase;
use http::Request;
use serde_json::{Value, json};
use sqlx::{AssertSqlSafe, Connection as _, PgConnection, Row};

const COMMANDS: [Command; 4] = [Command::Select, Command::Insert, Command::Update, Command::Delete];

fn caller(claims: Value) -> Caller {
    Caller::from_claims(claims.as_object().unwrap().clone(), None)
}

fn project() -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../supabase-config")
}

/// Returns the claims that the function `expect.caller` in the project's tests/setup.sql sets for the caller `who`.
fn claims(who: &str) -> Value {
    let user = |id: &str, email: &str| json!({ "role": "authenticated", "sub": format!("00000000-0000-4000-8000-{id}"), "email": email });
    match who {
        "stranger" => user("00000000000b", "stranger@example.org"),
        "admin" => user("00000000000a", "admin@example.org"),
        "judge" => json!({ "role": "judge", "password_version": "00000000-0000-4000-8000-00000000000c" }),
        role => json!({ "role": role }),
    }
}

async fn run(connection: &mut PgConnection, sql: &str) {
    if let Err(error) = sqlx::raw_sql(AssertSqlSafe(sql.to_owned())).execute(connection).await {
        panic!("{sql}\n{error}");
    }
}

/// Returns all data that an explanation must not change: rows of all tables with their transaction IDs, and sequences.
async fn snapshot(connection: &mut PgConnection) -> String {
    let queries: Vec<String> = sqlx::query_scalar(
        "select format(case c.relkind when 'S' then 'select last_value::text || is_called from %I.%I'
                       else 'select coalesce(string_agg(t.xmin::text || t::text, chr(10) order by t.ctid), chr(10)) from %I.%I t' end,
                       n.nspname, c.relname)
           from pg_class c join pg_namespace n on n.oid = c.relnamespace
          where n.nspname !~ '^pg_' and n.nspname <> 'information_schema' and c.relkind in ('r', 'S') order by 1",
    )
    .fetch_all(&mut *connection)
    .await
    .unwrap();
    let mut all = String::new();
    for query in queries {
        let rows: String = sqlx::query_scalar(AssertSqlSafe(query.clone())).fetch_one(&mut *connection).await.unwrap();
        all += &format!("{query}\n{rows}\n");
    }
    all
}

/// Executes a statement as the caller `who` and rolls the statement back. Returns the number of rows, or the message of a permission error.
async fn tried(connection: &mut PgConnection, who: &str, statement: &str) -> Result<u64, String> {
    let mut attempt = connection.begin().await.unwrap();
    // Disable constraints and triggers, which are not tested.
    run(&mut attempt, "set local session_replication_role = replica").await;
    sqlx::query("select expect.caller($1)").bind(who).execute(&mut *attempt).await.unwrap();
    let outcome = sqlx::raw_sql(AssertSqlSafe(statement.to_owned())).execute(&mut *attempt).await;
    attempt.rollback().await.unwrap();
    match outcome {
        Ok(done) => Ok(done.rows_affected()),
        Err(sqlx::Error::Database(error)) if error.code().as_deref() == Some("42501") => {
            Err(error.message().to_owned())
        }
        // PostgreSQL checks policies before keys, so an error about a key means that the policies allow the row.
        Err(sqlx::Error::Database(error)) if matches!(error.code().as_deref(), Some("23505" | "23503")) => Ok(1),
        Err(error) => panic!("{who}: {statement}: {error}"),
    }
}

struct Scene {
    logins: Logins,
    schema_cache: SchemaCache,
    settings: Settings,
}

impl Scene {
    async fn new(database: &TestDatabase) -> Self {
        let logins = database.database().logins().clone();
        let mut sessions = Sessions::open(&logins, "anon").await.unwrap();
        let settings = Settings { require_where: false, ..Settings::default() };
        let schema_cache = load(&mut sessions.reader, &settings.scope(), None).await.unwrap();
        Self { logins, schema_cache, settings }
    }

    async fn ask(&mut self, caller: Caller, method: &str, uri: &str, body: Value) -> Explanation {
        let body = if body.is_null() { Bytes::new() } else { Bytes::from(body.to_string()) };
        let request = Request::builder().method(method).uri(uri).body(body).unwrap();
        let question = Question::of_rest(caller, request, &self.schema_cache, &self.settings).unwrap();
        let mut sessions = Sessions::open(&self.logins, question.caller.role()).await.unwrap();
        why(&mut sessions, &question).await.unwrap()
    }
}

#[tokio::test]
async fn the_projects_matrix_is_explained_as_postgresql_decides() {
    let database = TestDatabase::project(project()).await;
    let mut admin = database.superuser().acquire().await.unwrap();
    run(&mut admin, "set role postgres; set search_path to \"$user\", public, extensions").await;
    for file in ["seed.sql", "tests/setup.sql"] {
        run(&mut admin, &std::fs::read_to_string(project().join(file)).unwrap()).await;
    }
    run(&mut admin, "reset role").await;
    let before = snapshot(&mut admin).await;
    let mut scene = Scene::new(&database).await;
    let tables: Vec<String> = sqlx::query(
        "select relname::text from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') order by 1",
    )
    .fetch_all(&mut *admin)
    .await
    .unwrap()
    .iter()
    .map(|row| row.get(0))
    .collect();
    let mut cells = 0;
    for table in &tables {
        for who in ["anon", "stranger", "admin", "judge", "service_role"] {
            let claims = claims(who);
            for command in COMMANDS {
                check(&mut scene, &mut admin, table, who, &claims, command).await;
                cells += 1;
            }
        }
    }
    assert_eq!(cells, tables.len() * 20);
    assert!(cells > 300, "{cells}");
    assert_eq!(snapshot(&mut admin).await, before, "an explanation changed something");
}

/// Checks one combination of table, caller and command with the newest row of the table, or with a new row that copies the newest row.
async fn check(scene: &mut Scene, admin: &mut PgConnection, table: &str, who: &str, claims: &Value, command: Command) {
    let known = scene.schema_cache.tables.get(&cloch_sql::schema_cache::Name::new("public", table)).unwrap();
    let key = known.primary_key.first().unwrap().clone();
    let column = known.columns.iter().find(|column| column.name == key).unwrap().name.clone();
    let one: Option<String> =
        sqlx::query_scalar(AssertSqlSafe(format!("select max(\"{column}\"::text) from public.\"{table}\"")))
            .fetch_one(&mut *admin)
            .await
            .unwrap();
    let Some(one) = one else { return };
    let sql = format!(
        "select r.row, format('insert into public.%1$I (%2$s) select %2$s from jsonb_populate_record(null::public.%1$I, %3$L)', $1, c.names, r.row)
           from (select string_agg(quote_ident(attname), ', ') as names, array_agg(attname::text) as known from pg_attribute
                  where attrelid = 'public.\"{table}\"'::regclass and attnum > 0 and not attisdropped and attgenerated = '' and attidentity = '') c,
                lateral (select jsonb_object_agg(pair.key, pair.value) as row from public.\"{table}\" t, jsonb_each(to_jsonb(t)) as pair
                          where t.\"{column}\"::text = $2 and pair.key = any (c.known)) r"
    );
    let (row, insertion): (Value, String) =
        sqlx::query_as(AssertSqlSafe(sql)).bind(table).bind(&one).fetch_one(&mut *admin).await.unwrap();
    let changed = row.as_object().unwrap().keys().find(|name| **name != column).unwrap_or(&column).clone();
    let same = json!({ &changed: row[&changed] }).to_string().replace('\'', "''");
    let same = format!("(jsonb_populate_record(null::public.\"{table}\", '{same}')).\"{changed}\"");
    let condition = format!("\"{column}\"::text = '{one}'");
    let uri = format!("/{table}?select={column}&{column}=eq.{one}");
    let (method, body, statement) = match command {
        Command::Select => {
            ("GET", Value::Null, format!("select \"{column}\" from public.\"{table}\" where {condition}"))
        }
        Command::Insert => ("POST", row, insertion),
        Command::Update => (
            "PATCH",
            json!({ &changed: row[&changed] }),
            format!("update public.\"{table}\" set \"{changed}\" = {same} where {condition}"),
        ),
        Command::Delete => ("DELETE", Value::Null, format!("delete from public.\"{table}\" where {condition}")),
    };
    let uri = if command == Command::Insert { format!("/{table}") } else { uri };
    let explained = scene.ask(caller(claims.clone()), method, &uri, body).await;
    let at = format!("{table} {who} {command:?}: {explained}");
    let outcome = if command == Command::Insert {
        let mut attempt = admin.begin().await.unwrap();
        run(&mut attempt, &format!("alter table public.\"{table}\" disable trigger user")).await;
        sqlx::query("select expect.caller($1)").bind(who).execute(&mut *attempt).await.unwrap();
        let done = sqlx::raw_sql(AssertSqlSafe(statement)).execute(&mut *attempt).await;
        attempt.rollback().await.unwrap();
        match done {
            Ok(_) => Ok(1),
            Err(error)
                if error.to_string().contains("permission denied")
                    || error.to_string().contains("row-level security") =>
            {
                Err(error.to_string())
            }
            // PostgreSQL checks policies before unique keys and foreign keys, so an error about a key means that the policies allow the
            // row.
            Err(sqlx::Error::Database(error)) if matches!(error.code().as_deref(), Some("23505" | "23503")) => Ok(1),
            Err(error) => panic!("{at}\n{error}"),
        }
    } else {
        tried(admin, who, &statement).await
    };
    match outcome {
        Err(message) if message.contains("permission denied") => {
            assert_eq!(explained.outcome, Outcome::Refused, "{at}\n{message}");
            assert!(
                matches!(explained.cause, Some(Cause::Privilege { .. } | Cause::Columns { .. } | Cause::Schema { .. })),
                "{at}\n{message}"
            );
        }
        Err(message) => assert_eq!(explained.outcome, Outcome::Refused, "{at}\n{message}"),
        Ok(0) => assert_eq!(explained.outcome, Outcome::Hidden, "{at}"),
        Ok(_) => assert_eq!(explained.outcome, Outcome::Allowed, "{at}"),
    }
}
