//! Tests that hidden data stays hidden: columns without privilege, and names in error hints. A request with a refused token must not use a
//! database connection.

use std::sync::Arc;

use cloch_sql::caller::token::Verifier;
use cloch_sql::caller::{KeyRing, TokenError};
use futures_util::future::join_all;
use tokio::join;

use super::visitors::until_running;
use super::*;

/// `anon` may read some columns of each table. Only the service role may read the salary and the ledger.
const STAFF: &str = r#"
    create table office (id int primary key, town text, safe_code text);
    create table staff (id int primary key, name text, salary int, notes jsonb, office_id int references office);
    insert into office values (1, 'Gourock', '1234'), (2, 'Largs', '5678');
    insert into staff values (1, 'Ann', 10, '{"age": 30}', 1), (2, 'Ben', 20, '{"age": 40}', 2);
    revoke all on office, staff from anon, authenticated;
    grant select (id, town) on office to anon;
    grant select (id, name, office_id), insert (id, name, salary) on staff to anon;
    grant update (name) on staff to anon;
    create table secret_ledger (id int primary key, staff_id int references staff, sum int);
    revoke all on secret_ledger from anon, authenticated;
    create function secret_total(year int) returns int language sql as 'select year';
    revoke execute on function secret_total(int) from public, anon, authenticated;
    grant execute on function secret_total(int) to service_role;"#;

#[tokio::test]
async fn columns_without_privilege_cannot_be_asked_about() {
    let rest = Rest::start(STAFF, Settings { aggregates_enabled: true, ..Settings::default() }).await;
    let anon = Caller::anon();
    let refused = [
        "/staff?select=salary",
        "/staff?select=id&salary=gt.15",
        "/staff?select=id&salary=is.null",
        "/staff?select=id&not.and=(salary.lt.15)",
        "/staff?select=id&or=(id.eq.9,and(salary.gt.15,id.gt.0))",
        "/staff?select=id&order=salary",
        "/staff?select=id&order=name,salary.desc.nullslast",
        "/staff?select=id&notes-%3E%3Eage=eq.30",
        "/staff?select=id&order=notes-%3Eage",
        "/staff?select=id,age:notes-%3Eage",
        "/staff?select=salary.max()",
        "/staff?select=id,office(safe_code)",
        "/staff?select=id,office(id)&office.safe_code=eq.1234",
        "/staff?select=id,office!inner(id)&office.safe_code=like.1*",
        "/staff?select=id,office(id)&office.order=safe_code",
        "/staff?select=id,office(safe_code)&order=office(safe_code)",
        "/staff?select=id,...office(safe_code)",
        "/office?select=id,staff(id)&staff.salary=gt.15",
        "/office?select=id,staff(id)&staff.or=(salary.gt.15,id.eq.9)",
        "/office?select=id,staff(id)&staff.order=salary",
        "/office?select=id,staff(salary.sum())",
        "/office?select=*",
    ];
    for path in refused {
        for method in ["GET", "HEAD"] {
            let answer = rest.send(&anon, method, path, "").await;
            assert_eq!(answer.status, StatusCode::UNAUTHORIZED, "{method} {path} {answer:?}");
            assert_eq!(answer.failure.map(|failure| failure.code).as_deref(), Some("42501"), "{method} {path}");
        }
    }
    let counting = Request::builder()
        .method("HEAD")
        .uri("/staff?salary=gt.15")
        .header("prefer", "count=exact")
        .extension::<CallerResult>(Ok(anon.clone()))
        .body(Body::empty())
        .unwrap();
    let counted = rest.ask(counting).await;
    assert_eq!((counted.status, counted.headers.get("content-range")), (StatusCode::UNAUTHORIZED, None));
    let updated = rest.send(&anon, "PATCH", "/staff?salary=gt.15", r#"{"name":"rich"}"#).await;
    assert_eq!(updated.status, StatusCode::UNAUTHORIZED);
    let plain = rest.send(&anon, "GET", "/staff?select=name,office(town)&office_id=eq.1&order=office(town)", "").await;
    assert_eq!(plain.body, r#"[{"name":"Ann","office":{"town": "Gourock"}}]"#);
}

/// The planner's statistics include all rows, so an estimate for a filter would reveal hidden rows.
#[tokio::test]
async fn no_count_tells_of_rows_that_are_hidden() {
    const ENTRIES: &str = "
        create table entries (id int primary key, town text, owner uuid);
        insert into entries select n, case when n % 3 = 0 then 'Largs' else 'Gourock' end, null from generate_series(1, 900) as n;
        insert into entries values (1000, 'Largs', '6a7f9a7e-51a5-4b9b-9d7b-0d1f3f3f7a10');
        alter table entries enable row level security;
        create policy own on entries for select using ((select auth.uid() is not null) and owner = auth.uid());
        create view own_entries as select * from entries where owner = auth.uid();
        create view all_of_own as select * from own_entries;
        create table open_entries as select * from entries;
        create view all_open as select * from open_entries;
        grant select on all tables in schema public to anon, authenticated, service_role;
        analyze;";
    let rest = Rest::start(ENTRIES, Settings::default()).await;
    let user = user("6a7f9a7e-51a5-4b9b-9d7b-0d1f3f3f7a10");
    let count = async |caller: &Caller, path: &str, count: &str| {
        let request = Request::get(path).header("prefer", format!("count={count}"));
        let request = request.extension::<CallerResult>(Ok(caller.clone())).body(Body::empty()).unwrap();
        let range = rest.ask(request).await.headers.get("content-range").unwrap().to_str().unwrap().to_owned();
        range.rsplit('/').next().unwrap().parse::<i64>().unwrap()
    };
    for relation in ["entries", "own_entries", "all_of_own"] {
        for preference in ["planned", "estimated", "exact"] {
            for (filter, mine) in [("", 1), ("&town=eq.Largs", 1), ("&town=gt.G&town=lt.H", 0)] {
                let path = format!("/{relation}?select=id&limit=1{filter}");
                assert_eq!(count(&user, &path, preference).await, mine, "{path} {preference}");
                assert_eq!(count(&Caller::anon(), &path, preference).await, 0, "{path} {preference}");
            }
        }
    }
    for relation in ["open_entries", "all_open"] {
        let estimate = count(&user, &format!("/{relation}?select=id&limit=1&town=eq.Largs"), "planned").await;
        assert!((290..=310).contains(&estimate), "{relation}: {estimate}");
    }
    let estimate = count(&Caller::service_role(), "/entries?select=id&limit=1&town=eq.Largs", "planned").await;
    assert!((290..=310).contains(&estimate), "{estimate}");
}

#[tokio::test]
async fn hints_name_only_what_the_caller_may_see() {
    let rest = Rest::start(STAFF, Settings::default()).await;
    let anon = Caller::anon();
    let misspelt = [
        ("/secret_ledgers", "secret_ledger"),
        ("/ecret_ledger", "secret_ledger"),
        ("/rpc/secret_totals", "secret_total"),
        ("/rpc/secret_total?years=1", "year)"),
        ("/staff?select=id,secret_ledgers(id)", "secret_ledger'"),
        ("/staf?select=id,secret_ledger(id)", "secret"),
    ];
    for (path, hidden) in misspelt {
        let answer = rest.send(&anon, "GET", path, "").await;
        let hint = answer.json()["hint"].to_string();
        assert!(answer.status.is_client_error() && !hint.contains(hidden), "{path} {answer:?}");
    }
    let shown = rest.send(&anon, "GET", "/staf", "").await.json()["hint"].to_string();
    assert!(shown.contains("public.staff"), "{shown}");
    for (path, seen) in misspelt.iter().take(5) {
        let hint = rest.get(path).await.json()["hint"].to_string();
        assert!(hint.contains(seen), "{path} {hint}");
    }
}

/// One request uses the only database connection until all requests with refused tokens have received a response.
#[tokio::test]
async fn a_refused_token_takes_no_connection() {
    const MEETING: &str = "
        create table note (line text);
        create function meet() returns text language plpgsql as $$
        begin
          for tried in 1..600 loop
            if exists (select from note) then return 'met'; end if;
            perform pg_sleep(0.01);
          end loop;
          return 'alone';
        end $$;";
    let rest = Rest::start(MEETING, Settings { pool_size: 1, ..Settings::default() }).await;
    let keys = KeyRing::new(Secret::new("super-secret-jwt-token-with-at-least-32-characters"), &[]).unwrap();
    let stranger = KeyRing::new(Secret::new("another-secret-jwt-token-of-at-least-32-characters"), &[]).unwrap();
    let verifier = Verifier::new(Arc::new(keys));
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs();
    let expired = serde_json::json!({"role": "authenticated", "exp": now - 3_600});
    let refused: Vec<CallerResult> = vec![
        verifier.verify(&verifier.keys().sign_hs256(&expired).unwrap()),
        verifier.verify(&stranger.sign_hs256(&serde_json::json!({"role": "service_role"})).unwrap()),
        verifier.verify("a.b.c"),
    ];
    assert_eq!(refused[0].as_ref().unwrap_err(), &TokenError::Expired);
    let asking = async {
        until_running(&rest, "%meet%", 1).await;
        let requests = (0..60).flat_map(|_| &refused).flat_map(|caller| {
            [("GET", "/note"), ("POST", "/note"), ("POST", "/rpc/meet"), ("GET", "/")].map(|(method, path)| {
                let request = Request::builder().method(method).uri(path).extension(caller.clone());
                rest.ask(request.body(Body::from("{}")).unwrap())
            })
        });
        let answers = join_all(requests).await;
        execute(&rest.database, "insert into note values ('here')").await;
        answers
    };
    let caller = Caller::service_role();
    let (met, answers) = join!(rest.send(&caller, "POST", "/rpc/meet", "{}"), asking);
    assert_eq!((met.body.as_str(), answers.len()), (r#""met""#, 720));
    assert!(answers.iter().all(|answer| answer.status == StatusCode::UNAUTHORIZED));
}

/// Tests each name in a request with texts that would be SQL if they were not quoted.
#[tokio::test]
async fn names_of_requests_never_become_sql() {
    let rest = Rest::start(STAFF, Settings { aggregates_enabled: true, ..Settings::default() }).await;
    let names = [
        r#"id" from staff; drop table office; --"#,
        r#"id"; drop table office; --"#,
        "id'; drop table office; --",
        "id) from staff; drop table office; --",
        r#"\"; drop table office; --"#,
        "$1; drop table office; --",
        "office\0\"; drop table office; --",
        "U&\"id\"",
        "E'\\''",
    ];
    let encode =
        |text: &str| percent_encoding::utf8_percent_encode(text, percent_encoding::NON_ALPHANUMERIC).to_string();
    for name in names {
        // Tests the name without quotes, and the name in the quotes of the query syntax.
        let quoted = format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\""));
        for name in [encode(name), encode(&quoted)] {
            let reads = [
                format!("/{name}"),
                format!("/rpc/{name}"),
                format!("/rpc/{name}?{name}=1"),
                format!("/rpc/secret_total?{name}=1"),
                format!("/staff?select={name}"),
                format!("/staff?select={name}:id"),
                format!("/staff?select=id::{name}"),
                format!("/staff?select=id.sum()::{name}"),
                format!("/staff?select=notes-%3E{name}"),
                format!("/staff?select={name}:office(id)"),
                format!("/staff?select=office!{name}(id)"),
                format!("/staff?select=id,{name}(id)"),
                format!("/staff?select=id,office({name})"),
                format!("/staff?{name}=eq.1"),
                format!("/staff?notes-%3E%3E{name}=eq.1"),
                format!("/staff?name=fts({name}).x"),
                format!("/staff?name=eq.{name}"),
                format!("/staff?id=in.({name})"),
                format!("/staff?or=({name}.eq.1)"),
                format!("/staff?order={name}"),
                format!("/staff?select=id,office(id)&order=office({name})"),
                format!("/staff?select=id,office(id)&{name}.order=id"),
                format!("/staff?{name}.limit=1"),
                format!("/staff?limit={name}&offset={name}"),
            ];
            let asked = join_all(reads.iter().map(async |path| (path, rest.get(path).await))).await;
            for (path, answer) in asked {
                assert!(!answer.body.contains("syntax error at") && answer.status.as_u16() < 500, "{path} {answer:?}");
            }
            let body = serde_json::json!({ percent_encoding::percent_decode_str(&name).decode_utf8().unwrap(): 1 })
                .to_string();
            for path in [format!("/staff?columns={name}"), format!("/staff?on_conflict={name}"), "/staff".to_owned()] {
                let answer = rest.send(&Caller::service_role(), "POST", &path, &body).await;
                assert!(!answer.body.contains("syntax error at") && answer.status.as_u16() < 500, "{path} {answer:?}");
            }
            let merge = Request::post(format!("/staff?on_conflict={name}"))
                .header("content-type", "application/json")
                .header("prefer", "resolution=merge-duplicates")
                .extension::<CallerResult>(Ok(Caller::service_role()))
                .body(Body::from(r#"{"id":1}"#))
                .unwrap();
            let answer = rest.ask(merge).await;
            assert!(!answer.body.contains("syntax error at") && answer.status.as_u16() < 500, "{name} {answer:?}");
        }
    }
    assert_eq!(rest.get("/office?select=id&order=id").await.body, "[{\"id\":1}, \n {\"id\":2}]");
}
