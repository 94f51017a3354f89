//! Tests of requests after schema changes, with and without a notification. PostgreSQL keeps the parameter types of prepared statements,
//! but the table REST API must use the new types. The expected results are those of the same SQL in a new session.

mod catch_up;

use super::*;

/// Number of repetitions of a request. A statement is prepared on its second use, so after the repetitions all statements are prepared on
/// the only connection.
const TIMES: usize = 4;

impl Rest {
    /// Starts the REST API with one connection and without event triggers, as on a server where Cloch is not a superuser.
    async fn unnotified(sql: &str) -> Self {
        let rest = Self::start(sql, Settings { pool_size: 1, ..Settings::default() }).await;
        let disable = "alter event trigger pgrst_ddl_watch disable; alter event trigger pgrst_drop_watch disable";
        execute(&rest.database, disable).await;
        // Wait until previously detected schema changes are loaded.
        tokio::time::sleep(Duration::from_millis(400)).await;
        rest
    }

    async fn with(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        let mut request = Request::builder().method(method).uri(path).header("content-type", "application/json");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let caller: CallerResult = Ok(Caller::service_role());
        self.ask(request.extension(caller).body(Body::from(body.to_owned())).unwrap()).await
    }

    async fn prepared(&self, path: &str) {
        for _ in 0..TIMES {
            let answer = self.get(path).await;
            assert_eq!(answer.status, StatusCode::OK, "{path}: {answer:?}");
        }
    }

    async fn text(&self, sql: &str) -> String {
        sqlx::query_scalar(AssertSqlSafe(sql.to_owned())).fetch_one(self.database.superuser()).await.unwrap()
    }
}

/// Type and value of a column; filter before the change; SQL of the change; filter and value after the change.
const CHANGES: [(&str, &str, &str, &str, &str, &str); 8] = [
    ("int", "7", "eq.7", "type text using 'C-' || v", "eq.C-7", r#""C-7""#),
    ("int", "7", "eq.7", "type bigint using 9000000000", "eq.9000000000", "9000000000"),
    ("text", "'ok'", "eq.ok", "type mood using 'ok'", "eq.ok", r#""ok""#),
    ("int", "5", "lt.9", "type numeric(10, 2) using 5.25", "lt.5.5", "5.25"),
    ("mood", "'ok'", "in.(ok)", "type text using 'better'", "in.(better,b)", r#""better""#),
    (
        "uuid",
        "'dea27321-f988-4a57-93e4-8eeb38f3cf1e'",
        "neq.00000000-0000-0000-0000-000000000000",
        "type int using 1",
        "eq.1",
        "1",
    ),
    // With the outdated types, PostgreSQL would parse the timestamp as a date, and the double as a float4, without an error.
    (
        "date",
        "'2024-01-01'",
        "lt.2024-01-02",
        "type timestamp using '2024-01-01 05:00'",
        "lt.2024-01-01T10:00",
        r#""2024-01-01T05:00:00""#,
    ),
    ("real", "0.5", "lt.1", "type float8 using 0.1", "eq.0.1", "0.1"),
];

#[tokio::test]
async fn filters_have_the_types_of_their_columns() {
    let tables = CHANGES.iter().enumerate().map(|(number, (data_type, value, ..))| {
        format!(
            "create table t{number} (id int primary key, v {data_type}); insert into t{number} values (1, {value});
                 grant all on t{number} to service_role;"
        )
    });
    let rest =
        Rest::unnotified(&format!("create type mood as enum ('ok', 'bad'); {}", tables.collect::<String>())).await;
    for (number, (_, _, before, change, after, shown)) in CHANGES.iter().enumerate() {
        // Variants of the request: all columns, one column, PostgreSQL's CSV, and a count.
        let plain = [("accept", "application/json")];
        let csv = [("accept", "text/csv")];
        let counted = [("prefer", "count=exact")];
        let shapes = [("id,v", &plain), ("id", &plain), ("id", &csv), ("id", &counted)];
        for (select, headers) in shapes {
            for _ in 0..TIMES {
                let path = format!("/t{number}?select={select}&v={before}");
                assert_eq!(rest.with("GET", &path, headers, "").await.status, StatusCode::OK, "{path}");
            }
        }
        execute(&rest.database, &format!("alter table t{number} alter v {change}")).await;
        for (select, headers) in shapes {
            let path = format!("/t{number}?select={select}&v={after}");
            let answer = rest.with("GET", &path, headers, "").await;
            let expected = match (select, headers[0].1) {
                ("id,v", _) => format!(r#"[{{"id":1,"v":{shown}}}]"#),
                (_, "text/csv") => "id\n1".to_owned(),
                _ => r#"[{"id":1}]"#.to_owned(),
            };
            assert_eq!(answer.body, expected, "{change}: {path} {answer:?}");
            if headers[0].0 == "prefer" {
                assert_eq!(answer.headers["content-range"], "0-0/1", "{change}: {path}");
            }
        }
    }
}

const EVENTS: &str = "
    create table events (id int primary key, at date, code int);
    create table notes (id int primary key, event int references events, at date);
    create function all_events() returns table (id int, at date) language sql stable as $$ select id, at from events $$;
    create view seen as select * from events;
    grant all on events, notes, seen to service_role;
    insert into events values (1, '2024-01-01', 1), (2, '2024-01-01', 2), (3, '2024-01-02', 3);
    insert into notes select id, id, at from events;";
const TO_TIMES: &str = "
    drop view seen;
    drop function all_events();
    alter table events alter at type timestamp using at + make_interval(hours => id * 4);
    alter table notes alter at type timestamp using at + make_interval(hours => id * 4);
    create view seen as select * from events;
    grant all on seen to service_role;
    create function all_events() returns table (id int, at timestamp) language sql stable as $$ select id, at from events $$;";

/// After the change, rows 1 and 2 are at 04:00 and 08:00. If the filter `gt.2024-01-01T05:00` were parsed with the column's previous type
/// date, it would not distinguish these rows.
#[tokio::test]
async fn no_other_row_is_found_changed_or_deleted() {
    let filter = "at=gt.2024-01-01T05:00&at=lt.2024-01-02T00:00";
    let minimal: &[(&str, &str)] = &[];
    let whole: &[(&str, &str)] = &[("prefer", "return=representation")];
    for (method, path, headers, body) in [
        ("GET", "/events?select=id&", minimal, ""),
        ("GET", "/seen?select=id&", minimal, ""),
        ("GET", "/rpc/all_events?select=id&", minimal, ""),
        ("PATCH", "/events?", minimal, r#"{"code":0}"#),
        ("PATCH", "/events?select=id&", whole, r#"{"code":0}"#),
        ("DELETE", "/events?", minimal, ""),
        ("DELETE", "/events?select=id&", whole, ""),
    ] {
        let rest = Rest::unnotified(EVENTS).await;
        execute(&rest.database, "delete from notes").await;
        let path = format!("{path}{filter}");
        for _ in 0..TIMES {
            // Before the change, no row matches: no date is after 2024-01-01 and before 2024-01-02.
            let answer = rest.with(method, &path, headers, body).await;
            assert!(answer.status.is_success(), "{method} {path}: {answer:?}");
        }
        execute(&rest.database, TO_TIMES).await;
        let answer = rest.with(method, &path, headers, body).await;
        assert!(answer.status.is_success(), "{method} {path}: {answer:?}");
        if path.contains("select=id") {
            assert_eq!(answer.body, r#"[{"id":2}]"#, "{method} {path}");
        }
        let left = rest.text("select string_agg(id || ':' || code, ' ' order by id) from events").await;
        let expected = match method {
            "PATCH" => "1:1 2:0 3:3",
            "DELETE" => "1:1 3:3",
            _ => "1:1 2:2 3:3",
        };
        assert_eq!(left, expected, "{method} {path}");
    }
}

#[tokio::test]
async fn filters_of_embeds_have_the_types_of_their_columns() {
    let rest = Rest::unnotified(EVENTS).await;
    for (select, expected) in [
        ("id,notes(id)", r#"[{"id":1,"notes":[]}, {"id":2,"notes":[{"id": 2}]}]"#),
        ("id,notes!inner(*)", r#"[{"id":2,"notes":[{"id": 2, "at": "2024-01-01T08:00:00", "event": 2}]}]"#),
    ] {
        let rest_of = "id=lt.3&order=id&notes.at=gt.2024-01-01T05:00";
        let path = format!("/events?select={select}&{rest_of}");
        rest.prepared(&path).await;
        execute(&rest.database, "alter table notes alter at type timestamp using at + make_interval(hours => id * 4)")
            .await;
        let answer = rest.get(&path).await;
        let (found, expected): (serde_json::Value, serde_json::Value) =
            (answer.json(), serde_json::from_str(expected).unwrap());
        assert_eq!(found, expected, "{path}");
        execute(&rest.database, "alter table notes alter at type date").await;
    }
}

#[tokio::test]
async fn values_of_one_row_have_the_types_of_their_columns() {
    let sql = "create table keys (id uuid, n int, seen int generated always as identity);
               grant insert on keys to anon; grant all on keys to service_role;";
    let rest = Rest::unnotified(sql).await;
    let id = "DEA27321-F988-4A57-93E4-8EEB38F3CF1E";
    let insert = async |n: i64| {
        let body = format!(r#"{{"id":"{id}","n":{n}}}"#);
        let answer = rest.send(&Caller::anon(), "POST", "/keys", &body).await;
        assert_eq!(answer.status, StatusCode::CREATED, "{answer:?}");
    };
    for n in 0..TIMES {
        insert(n as i64).await;
    }
    execute(&rest.database, "alter table keys alter id type text, alter n type bigint").await;
    insert(900_000_000).await;
    let last = rest.text("select id || ' ' || n from keys order by seen desc limit 1").await;
    assert_eq!(last, format!("{id} 900000000"), "a uuid would be in lower case");
}

/// PostgreSQL parses these request bodies with the types in the statement, which come from the schema cache.
#[tokio::test]
async fn bodies_are_not_read_with_types_of_before() {
    let rest =
        Rest::unnotified("create table days (id int primary key, at date); grant all on days to service_role;").await;
    let time = "2024-01-01T10:30:00";
    let writes = [
        ("POST", "/days", format!(r#"[{{"id":1,"at":"{time}"}},{{"id":2,"at":"{time}"}}]"#)),
        ("PATCH", "/days?id=eq.1", format!(r#"{{"at":"{time}"}}"#)),
    ];
    for times in 0..2 {
        for (method, path, body) in &writes {
            for _ in 0..TIMES {
                let answer = rest.send(&Caller::service_role(), method, path, body).await;
                assert!(answer.status.is_success(), "{method} {path}: {answer:?}");
                if *method == "POST" {
                    execute(&rest.database, "delete from days").await;
                }
            }
            execute(&rest.database, "insert into days values (1) on conflict do nothing").await;
        }
        if times == 1 {
            break;
        }
        execute(&rest.database, "delete from days; alter table days alter at type timestamp").await;
        let (method, path, body) = &writes[0];
        let begun = Instant::now();
        loop {
            let answer = rest.send(&Caller::service_role(), method, path, body).await;
            let written = rest.text("select coalesce(string_agg(distinct at::text, ' '), 'none') from days").await;
            if answer.status == StatusCode::CREATED {
                assert_eq!(written, "2024-01-01 10:30:00");
                break;
            }
            assert_eq!((answer.status.as_u16(), written.as_str()), (503, "none"), "{answer:?}");
            assert!(answer.headers.contains_key("retry-after"));
            assert!(begun.elapsed() < Duration::from_secs(10), "the change was not noticed");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        execute(&rest.database, "delete from days").await;
    }
    assert_eq!(rest.text("select at::text from days where id = 1").await, "2024-01-01 10:30:00");
}

/// `text[]` and `text` are different types, although PostgreSQL uses the same array type for arrays of both.
#[tokio::test]
async fn arrays_are_not_read_with_types_of_before() {
    for (before, after, old, new, expected) in [
        ("text[]", "text using 'x'", r#"["a"]"#, r#""{ b ,  c}""#, "{ b ,  c}"),
        ("text", "text[] using '{}'", r#""a""#, r#"["b"]"#, "{b}"),
        ("int[]", "text using 'x'", "[1]", r#""{ 2 }""#, "{ 2 }"),
    ] {
        let sql = format!("create table lists (id int primary key, v {before}); grant all on lists to service_role;");
        let rest = Rest::unnotified(&sql).await;
        let post = async |value: &str| {
            let body = format!(r#"[{{"id":1,"v":{value}}},{{"id":2,"v":{value}}}]"#);
            rest.send(&Caller::service_role(), "POST", "/lists", &body).await
        };
        for _ in 0..TIMES {
            assert_eq!(post(old).await.status, StatusCode::CREATED);
            execute(&rest.database, "delete from lists").await;
        }
        execute(&rest.database, &format!("alter table lists alter v type {after}")).await;
        let begun = Instant::now();
        loop {
            let answer = post(new).await;
            let written = rest.text("select coalesce(string_agg(distinct v::text, ' '), 'none') from lists").await;
            if answer.status == StatusCode::CREATED {
                assert_eq!(written, expected, "{before}");
                break;
            }
            assert_eq!((answer.status.as_u16(), written.as_str()), (503, "none"), "{before}: {answer:?}");
            assert!(begun.elapsed() < Duration::from_secs(10), "the change was not noticed");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }
}

/// The columns of `*` are checked against the schema cache, including two columns that were renamed to each other's names.
#[tokio::test]
async fn an_embed_shows_columns_that_have_changed_their_names() {
    let rest = Rest::unnotified(
        "create table rooms (id int primary key);
         create table beds (id int primary key, room int references rooms, a inet, b timestamptz);
         grant all on rooms, beds to service_role;
         insert into rooms values (1); insert into beds values (1, 1, '10.0.0.1', '2024-01-01T00:00:00Z');",
    )
    .await;
    let path = "/rooms?select=id,beds(*)";
    rest.prepared(path).await;
    execute(
        &rest.database,
        "alter table beds rename a to c; alter table beds rename b to a; alter table beds rename c to b",
    )
    .await;
    let answer = rest.get(path).await;
    let expected = r#"{"id": 1, "room": 1, "b": "10.0.0.1", "a": "2024-01-01T00:00:00+00:00"}"#;
    let read = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
    assert_eq!(read(&answer.body), read(&format!(r#"[{{"id":1,"beds":[{expected}]}}]"#)), "{answer:?}");
}

/// PostgreSQL must not parse an argument with its previous type date and then convert the date to the new type.
#[tokio::test]
async fn arguments_are_not_read_with_types_of_before() {
    let rest =
        Rest::unnotified("create function told(v date) returns text language sql immutable as $$ select v::text $$")
            .await;
    let path = "/rpc/told?v=2024-01-01T10:30:00";
    rest.prepared(path).await;
    let again = "drop function told(date);
                 create function told(v timestamp) returns text language sql immutable as $$ select v::text $$";
    execute(&rest.database, again).await;
    let begun = Instant::now();
    loop {
        let answer = rest.get(path).await;
        if answer.status == StatusCode::OK {
            assert_eq!(answer.body, r#""2024-01-01 10:30:00""#);
            break;
        }
        assert_eq!((answer.status.as_u16(), answer.code()), (503, "PGRST002".to_owned()), "{answer:?}");
        assert!(begun.elapsed() < Duration::from_secs(10), "the change was not noticed");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

#[tokio::test]
async fn tables_and_enums_may_be_made_again() {
    let sql = "create table dogs (id uuid primary key, name text);
               create type tstate as enum ('open', 'done');
               create table tickets (id int primary key, state tstate);
               create function of_state(s tstate) returns setof tickets language sql stable as $$ select * from tickets where state = s $$;
               grant all on dogs, tickets to service_role;
               insert into dogs values ('dea27321-f988-4a57-93e4-8eeb38f3cf1e', 'c');
               insert into tickets values (1, 'open');";
    let rest = Rest::unnotified(sql).await;
    rest.prepared("/dogs?id=eq.dea27321-f988-4a57-93e4-8eeb38f3cf1e").await;
    rest.prepared("/tickets?state=eq.open").await;
    rest.prepared("/rpc/of_state?s=open").await;
    let again = "drop table dogs;
        create table dogs (id bigint primary key, name text);
        grant all on dogs to service_role;
        insert into dogs values (1, 'c');
        drop function of_state;
        alter type tstate rename to tstate_old;
        create type tstate as enum ('open', 'waiting', 'done');
        alter table tickets alter column state type tstate using state::text::tstate;
        drop type tstate_old;
        create function of_state(s tstate) returns setof tickets language sql stable as $$ select * from tickets where state = s $$;";
    execute(&rest.database, again).await;
    assert_eq!(rest.get("/dogs?id=eq.1").await.body, r#"[{"id":1,"name":"c"}]"#);
    let ticket = r#"[{"id":1,"state":"open"}]"#;
    assert_eq!(rest.get("/tickets?state=eq.open").await.body, ticket);
    assert_eq!(rest.get("/rpc/of_state?s=open").await.body, ticket);
    assert_eq!(rest.get("/tickets?state=eq.waiting").await.body, "[]");
}

/// Without notifications, the REST API detects a schema change when PostgreSQL refuses a statement because of the change.
#[tokio::test]
async fn a_change_that_nobody_notified_of_is_noticed() {
    let rest = Rest::unnotified("create table plain (id int); grant all on plain to service_role").await;
    rest.prepared("/plain?id=eq.1").await;
    execute(
        &rest.database,
        "create table fresh (id int); grant all on fresh to service_role; alter table plain alter id type text",
    )
    .await;
    assert_eq!(rest.get("/fresh").await.status, StatusCode::NOT_FOUND);
    assert_eq!(rest.get("/plain?id=eq.a").await.status, StatusCode::OK);
    let begun = Instant::now();
    while rest.get("/fresh").await.status != StatusCode::OK {
        assert!(begun.elapsed() < Duration::from_secs(10), "the new table was not noticed");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// Errors in the request itself are reported as usual, and the statement is executed only once.
#[tokio::test]
async fn errors_of_prepared_statements_are_the_callers() {
    let sql = "create table plain (id int primary key); grant all on plain to service_role;
               create sequence calls; grant all on calls to service_role;
               create function fail() returns int language plpgsql as $$ begin perform nextval('calls'); return 1 / 0; end $$;";
    let rest = Rest::unnotified(sql).await;
    rest.prepared("/plain?id=eq.1").await;
    for _ in 0..3 {
        let answer = rest.get("/plain?id=eq.x").await;
        assert_eq!((answer.status.as_u16(), answer.code()), (400, "22P02".to_owned()));
    }
    for _ in 0..TIMES {
        let answer = rest.send(&Caller::service_role(), "POST", "/rpc/fail", "{}").await;
        assert_eq!(answer.code(), "22012");
    }
    assert_eq!(rest.text("select last_value::text from calls").await, TIMES.to_string());
}
