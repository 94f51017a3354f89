//! Compares direct statements, which return plain values and bind the values of the request body, with statements in which PostgreSQL
//! builds the JSON. The responses must be equal byte by byte, and the written rows must be equal.

use super::*;

const VALUES: [(&str, &str); 22] = [
    ("int2", "'-3'"),
    ("int4", "'7'"),
    ("int8", "'9223372036854775807'"),
    ("float4", "'1.5'"),
    ("float8", "'NaN'"),
    ("float8", "'1e300'"),
    ("numeric", "'1.50'"),
    ("numeric", "'Infinity'"),
    ("bool", "'t'"),
    ("text", "E' a\"\\\\\\n\\u00e9 '"),
    ("text", "null"),
    ("varchar", "''"),
    ("uuid", "'7b1b3f5c-0000-4000-8000-000000000001'"),
    ("date", "'2026-11-22'"),
    ("time", "'10:20:30.5'"),
    ("timestamp", "'2026-11-22 10:20:30'"),
    ("timestamptz", "'2026-11-22 10:20:30+00'"),
    ("json", "E' {\"a\" : [1,\\n2]} '"),
    ("jsonb", "'{\"b\":null,\"a\":\"x\"}'"),
    ("jsonb", "'null'"),
    ("int4[]", "'{1,2}'"),
    ("point", "'(1,2)'"),
];

impl Rest {
    /// Sends a call with `count=exact`, which requires a statement in which PostgreSQL builds the JSON.
    async fn whole(&self, path: &str, body: &str) -> Answer {
        let caller: CallerResult = Ok(Caller::service_role());
        let request = Request::post(path).header("prefer", "count=exact").extension(caller);
        self.ask(request.body(Body::from(body.to_owned())).unwrap()).await
    }

    async fn call(&self, path: &str, body: &str) -> Answer {
        self.send(&Caller::service_role(), "POST", path, body).await
    }
}

#[tokio::test]
async fn values_of_functions_are_the_same() {
    let functions = VALUES.iter().enumerate().map(|(number, (kind, value))| {
        format!("create function f{number}() returns {kind} language sql volatile as $f$ select {value}::{kind} $f$;")
    });
    let rest = Rest::start(&functions.collect::<String>(), Settings::default()).await;
    for (number, (kind, value)) in VALUES.iter().enumerate() {
        let path = format!("/rpc/f{number}");
        let (bare, whole) = (rest.call(&path, "{}").await, rest.whole(&path, "{}").await);
        assert_eq!(bare.status, StatusCode::OK, "{kind} {value}: {}", bare.body);
        assert_eq!(bare.body, whole.body, "{kind} {value}");
    }
}

const SHELF: &str = "
    create domain even as int check (value % 2 = 0);
    create table shelf (
      made int generated always as (1) stored, short varchar(3), exact numeric(5,2), at timestamptz(0), done boolean default true,
      extra jsonb, plain json, twin even, tags text[], label text not null default 'none');
    grant select, insert, update on shelf to service_role;
    create function echo(short text, exact numeric default 1.5, extra jsonb default null) returns text language sql
      as $$ select concat_ws('|', short, exact, extra) $$;";

/// Rows as JSON objects. Each row is sent twice: as an object, whose values are bound, and inside an array, which PostgreSQL parses.
const ROWS: [&str; 20] = [
    r#"{"short":"abc","exact":1.239,"at":"2026-01-01T10:00:00.6Z","done":false}"#,
    r#"{"short":null,"exact":"2.5","done":"yes","label":"x"}"#,
    r#"{"short":12,"exact":1e2,"extra":{"a":[1, 2]},"plain":[ 1 ]}"#,
    r#"{"short":true,"extra":null,"plain":null}"#,
    r#"{"extra":"text","plain":"te\u0078t"}"#,
    r#"{"extra":1.50,"plain":1.50}"#,
    r#"{"twin":2,"tags":["a","b"]}"#,
    r#"{"label":"\u00e9\n\"","short":"é"}"#,
    r#"{"label":{"a":1}}"#,
    r#"{"short":"abcd"}"#,
    r#"{"exact":1234.5}"#,
    r#"{"exact":"many"}"#,
    r#"{"done":"perhaps"}"#,
    r#"{"at":"soon"}"#,
    r#"{"label":null}"#,
    r#"{"label":"\u0000"}"#,
    r#"{"twin":3}"#,
    r#"{"made":1}"#,
    r#"{"nothing":1}"#,
    r#"{"short":"a","short":"b"}"#,
];

#[tokio::test]
async fn rows_of_bound_values_are_the_same() {
    let rest = Rest::start(SHELF, Settings::default()).await;
    for body in ROWS {
        execute(&rest.database, "truncate shelf").await;
        let (bound, left) = (rest.call("/shelf", body).await, rest.call("/shelf", &format!("[{body}]")).await);
        assert_eq!(bound.status, left.status, "{body}: {} {}", bound.body, left.body);
        assert_eq!(bound.body, left.body, "{body}");
        let columns = "short,exact,at,done,extra::text,plain::text,twin,tags,label";
        let rows = rest.get(&format!("/shelf?select={columns}")).await.body;
        let rows: Vec<serde_json::Value> = serde_json::from_str(&rows).unwrap();
        assert!(bound.status != StatusCode::CREATED || rows[0] == rows[1], "{body}: {rows:?}");
    }
}

#[tokio::test]
async fn bound_arguments_are_the_same() {
    let rest = Rest::start(SHELF, Settings::default()).await;
    for body in [
        r#"{"short":"a"}"#,
        r#"{"short":null,"exact":2.50}"#,
        r#"{"short":"x","extra":{"b" : 1, "a":[ ]}}"#,
        r#"{"short":"x","extra":"y"}"#,
        r#"{"short":[1, 2],"exact":3}"#,
        r#"{"short":7,"exact":"no number"}"#,
    ] {
        let (bound, left) = (rest.call("/rpc/echo", body).await, rest.call("/rpc/echo", &format!("[{body}]")).await);
        assert_eq!((bound.status, &bound.body), (left.status, &left.body), "{body}");
    }
}

#[tokio::test]
async fn the_number_of_changed_rows_is_told() {
    let rest = Rest::start(SHELF, Settings::default()).await;
    for expected in ["*/1", "*/3"] {
        let body =
            if expected == "*/1" { r#"{"short":"a"}"# } else { r#"[{"short":"a"},{"short":"a"},{"short":"b"}]"# };
        assert_eq!(rest.range("POST", "/shelf", body).await, expected);
    }
    assert_eq!(rest.range("PATCH", "/shelf?short=eq.a", r#"{"label":"y"}"#).await, "0-2/3");
    assert_eq!(rest.range("PATCH", "/shelf?short=eq.none", r#"{"label":"y"}"#).await, "*/0");
    assert_eq!(rest.range("PATCH", "/shelf?short=eq.a", "{}").await, "*/0");
}

impl Rest {
    /// Returns the `Content-Range` header of a write with a count.
    async fn range(&self, method: &str, path: &str, body: &str) -> String {
        let caller: CallerResult = Ok(Caller::service_role());
        let request = Request::builder().method(method).uri(path).header("prefer", "count=exact").extension(caller);
        let response = self.state.clone().answer(request.body(Body::from(body.to_owned())).unwrap()).await;
        response.headers().get("content-range").unwrap().to_str().unwrap().to_owned()
    }
}

/// Tests each column type in embeds of one row and of several rows, with NULLs. Each request is repeated with the additional column `place`
/// of type `point`. Only PostgreSQL can convert a `point` to JSON, so PostgreSQL then builds the JSON of all columns. Both results must be
/// equal.
#[tokio::test]
async fn embeds_by_their_columns_are_the_same() {
    let columns: String =
        VALUES.iter().enumerate().map(|(number, (kind, _))| format!(", v{number} {kind}, e{number} {kind}")).collect();
    let values: String = VALUES.iter().map(|(_, value)| format!(", {value}, null")).collect();
    let schema = format!(
        "create type mood as enum ('good', 'so, \"so\"');
         create domain even as int;
         create type pair;
         create function pair_in(cstring) returns pair immutable strict language internal as 'textin';
         create function pair_out(pair) returns cstring immutable strict language internal as 'textout';
         create type pair (input = pair_in, output = pair_out, like = text, delimiter = ':');
         create table harbour (id int primary key, mood mood, twin even, pair pair default 'a', place point default '(1,2)'
                               {columns});
         create table boat (id int primary key, harbour int references harbour, mood mood, twin even, pair pair default 'a',
                            place point default '(1,2)', \"longer name\" text default 'x', name text default '{{a,\"b\"}}',
                            nil float8 default '-0' {columns});
         create table mate (id int primary key, boat int references boat, name text);
         insert into harbour values (1, 'good', 2, default, default {values}), (2, 'so, \"so\"', null, default, default {values});
         insert into harbour (id) values (3);
         insert into boat values (1, 1, 'good', 2, default, default, default, default, default {values}),
                                 (2, 1, 'so, \"so\"', 2, default, default, 'NULL', '', 1e-7 {values});
         insert into boat (id, harbour) values (4, 2), (3, 1), (5, null);
         insert into mate values (1, 1, 'Ann'), (2, 1, 'Bo\"b'), (3, 4, null);
         grant select on harbour, boat, mate to service_role;"
    );
    let rest = Rest::start(&schema, Settings { aggregates_enabled: true, ..Settings::default() }).await;
    let numbered = (0..VALUES.len()).map(|number| format!("v{number},e{number}"));
    let named = [
        "id",
        "*",
        "mood,id",
        "twin",
        "pair",
        "x:id,id",
        "id,id",
        "longer name,name,nil",
        "nil:id,mates:mate(name),one:harbour(id)",
    ];
    let further = ["mate()", "mate(*)", "id,...mate(name)", "name->a", "id::text", "count()", "id,count()"];
    for select in numbered.chain(named.into_iter().chain(further).map(str::to_owned)) {
        let below = if select.contains("mate") || select.contains("longer") { "id" } else { &select };
        let embeds = format!("boat({select}),second:boat!inner(id),none:boat(id)");
        for (path, embeds) in [
            ("harbour", format!("{embeds}&none.id=eq.0&boat.order=id.desc&boat.limit=2&order=id")),
            ("harbour", format!("boat({select})&id=eq.1")),
            (
                "boat",
                format!("harbour({below}),of:harbour(key:id,{below}),mate(name,id)&order=of(key).desc.nullslast,id"),
            ),
            ("boat", "...harbour(hid:id),mate(id)&order=id&harbour=not.is.null&harbour.id=gt.0".to_owned()),
        ] {
            let embeds = embeds.replace(' ', "%20").replace('>', "%3E");
            let (ours, left) = (
                rest.get(&format!("/{path}?select=id,{embeds}")).await,
                rest.get(&format!("/{path}?select=id,place,{embeds}")).await,
            );
            assert_eq!(ours.status, left.status, "{embeds}: {} {}", ours.body, left.body);
            assert_eq!(
                ours.body,
                left.body.replace(r#","place":"(1,2)""#, "").replace(r#","place":null"#, ""),
                "{path} {embeds}"
            );
        }
    }
}

/// The test revokes the right to execute PostgreSQL's JSON functions from all roles. Only embeds that the statement returns as separate
/// named columns then still work.
#[tokio::test]
async fn embeds_by_named_columns_need_no_json_of_postgresqls_making() {
    let rest = Rest::start(
        "create table harbour (id int primary key, name text);
         create table boat (id int primary key, harbour int references harbour, tags text[]);
         create table mate (id int primary key, harbour int references harbour, place point);
         insert into harbour values (1, 'Gourock');
         insert into boat values (1, 1), (2, 1), (3, null);
         insert into mate values (1, 1, '(1,2)');
         grant select on harbour, boat, mate to service_role;
         revoke execute on function to_jsonb(anyelement), jsonb_agg(anyelement) from public",
        Settings::default(),
    )
    .await;
    for refused in [
        "harbour?select=boat(*)",
        "harbour?select=mate(*)",
        "boat?select=harbour(*,id)",
        "harbour?select=boat(tags)",
        "boat?select=harbour(id::text)",
    ] {
        let answer = rest.get(&format!("/{refused}")).await;
        assert_eq!((answer.status, answer.body.contains("42501")), (StatusCode::FORBIDDEN, true), "{refused}");
    }
    let many = rest.get("/harbour?select=name,boat(id)&boat.order=id.desc").await;
    assert_eq!(many.body, r#"[{"name":"Gourock","boat":[{"id": 2}, {"id": 1}]}]"#);
    let harbour = r#"{"harbour":{"id": 1, "name": "Gourock"}}"#;
    for select in ["name,id", "*"] {
        let one = rest.get(&format!("/boat?select=harbour({select})&order=id")).await;
        assert_eq!(one.body, format!("[{harbour}, \n {harbour}, \n {{\"harbour\":null}}]"), "{select}");
    }
    let nested = rest.get("/harbour?select=boat(*,of:harbour(*))").await;
    assert!(nested.body.contains("42501"), "what is below an embed is JSON: {}", nested.body);
}

/// Columns that were added or dropped since the schema cache was loaded must have an effect at once, also in prepared statements.
#[tokio::test]
async fn a_star_in_an_embed_has_the_columns_of_now() {
    let rest = Rest::start(
        "create table harbour (id int primary key, name text default 'x');
         create table boat (id int primary key, harbour int references harbour, name text default 'y');
         insert into harbour values (1); insert into boat values (1, 1), (2, 1);
         grant select on harbour, boat to service_role;",
        Settings::default(),
    )
    .await;
    let paths = ["/harbour?select=id,boat(*)&boat.order=id", "/boat?select=id,harbour(*)&order=id"];
    let read = async || [rest.get(paths[0]).await.body, rest.get(paths[1]).await.body];
    let (boat, harbour) = (r#"{"id": 1, "name": "y", "harbour": 1}"#, r#"{"id": 1, "name": "x"}"#);
    let [boats, harbours] = read().await;
    assert!(boats.contains(boat) && harbours.contains(harbour), "{boats} {harbours}");
    for (change, has, lacks) in [
        ("alter table harbour add l int default 7; alter table boat add l int default 7", r#""l": 7"#, "nothing"),
        ("alter table harbour drop name; alter table boat drop name", r#""l": 7"#, "name"),
        ("alter table harbour add m int default 8; alter table boat add m int default 8", r#""m": 8"#, "name"),
        ("alter table harbour drop l; alter table boat drop l", r#""m": 8"#, r#""l""#),
    ] {
        execute(&rest.database, change).await;
        for body in read().await {
            assert!(body.contains(has) && !body.contains(lacks), "{change}: {body}");
        }
    }
    let unknown = rest.get("/boat?select=id,harbour(*)&nowhere=eq.1").await;
    assert_eq!((unknown.status, unknown.body.contains("42703")), (StatusCode::BAD_REQUEST, true), "{}", unknown.body);
}

#[tokio::test]
async fn times_are_in_the_zone_that_is_preferred() {
    let rest = Rest::start(
        "create table tide (at timestamptz);
         insert into tide values ('2026-01-01 12:00:00Z'); grant select on tide to service_role;",
        Settings::default(),
    )
    .await;
    for (zone, time) in [
        ("Asia/Kolkata", "17:30:00+05:30"),
        ("05:30", "17:30:00+05:30"),
        ("+05:30", "17:30:00+05:30"),
        ("-4", "08:00:00-04:00"),
        ("99", "12:00:00+00:00"),
    ] {
        let caller: CallerResult = Ok(Caller::service_role());
        let request = Request::get("/tide").header("prefer", format!("timezone={zone}")).extension(caller);
        let answer = rest.ask(request.body(Body::empty()).unwrap()).await;
        assert_eq!(answer.body, format!(r#"[{{"at":"2026-01-01T{time}"}}]"#), "{zone}");
    }
}
