//! Limits on the database resources that a request may use.

use super::*;

const SCHOOLS: &str = "
    create table school (id int primary key, name text);
    create table pupil (id int primary key, school_id int references school, name text);
    create index on pupil (school_id);
    alter table school enable row level security;
    alter table pupil enable row level security;
    create policy named on school using (name is not null);
    create policy named on pupil using (name is not null);
    revoke all on school, pupil from anon;
    grant select on school, pupil to service_role;";

/// Returns a request that embeds the same relation `count` times. Each value of `round` results in a different statement.
fn embeds(round: usize, count: usize) -> String {
    let embeds: Vec<String> = (0..count).map(|n| format!("r{round}n{n}:pupil(id)")).collect();
    format!("/school?select={}", embeds.join(","))
}

/// Returns the largest private memory, in KiB, among the PostgreSQL server processes that serve the REST API.
async fn memory(rest: &Rest) -> u64 {
    let pids: Vec<i32> = sqlx::query_scalar(
        "select pid from pg_stat_activity where usename = 'authenticator' and datname = current_database()",
    )
    .fetch_all(rest.database.superuser())
    .await
    .unwrap();
    let private = |pid: i32| {
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
        let line = status.lines().find(|line| line.starts_with("RssAnon")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap()
    };
    pids.into_iter().map(private).max().unwrap()
}

/// PostgreSQL plans a statement before it checks privileges, so a caller without privileges can cause the same cost.
#[tokio::test]
async fn a_strangers_statements_do_not_pile_up_in_the_database() {
    let rest = Rest::start(SCHOOLS, Settings { pool_size: 1, ..Settings::default() }).await;
    let anon = Caller::anon();
    for round in 0..200 {
        // Send each request twice, because a statement is prepared from its second use.
        for _ in 0..2 {
            let refused = rest.send(&anon, "GET", &embeds(round, 50), "").await;
            assert_eq!(refused.status, StatusCode::UNAUTHORIZED, "{refused:?}");
        }
    }
    let used = memory(&rest).await;
    assert!(used < 80 * 1024, "{used} KiB");
}

#[tokio::test]
async fn an_answer_is_as_large_as_memory_allows() {
    const PAPERS: &str = "
        create table papers (id int primary key, body text);
        insert into papers select n, repeat('x', 100000) from generate_series(1, 100) as n;
        grant select on papers to anon, authenticated;
        create function all_papers() returns setof papers language sql stable as 'select * from papers';
        create function paper() returns text language sql stable as $$select repeat('x', 70000000)$$;";
    let rest = Rest::start(PAPERS, Settings::default()).await;
    let columns: Vec<String> = (0..8).map(|n| format!("x{n}:body")).collect();
    let select = columns.join(",");
    let ask = async |caller: Caller, path: &str| {
        let request = Request::get(path).extension::<CallerResult>(Ok(caller)).body(Body::empty()).unwrap();
        let answer = rest.ask(request).await;
        (answer.status.as_u16(), answer.failure.map(|failure| failure.code), answer.body.len())
    };
    // Rows that Cloch converts to JSON, rows of a function, and a value that is the whole row.
    for path in
        [format!("/papers?select={select}"), format!("/rpc/all_papers?select={select}"), "/rpc/paper".to_owned()]
    {
        let (status, code, _) = ask(Caller::anon(), &path).await;
        assert_eq!((status, code.as_deref()), (400, Some("PGRST197")), "{path}");
        let (status, _, bytes) = ask(user("6a7f9a7e-51a5-4b9b-9d7b-0d1f3f3f7a10"), &path).await;
        assert!(status == 200 && bytes > 69_000_000, "{path}: {status} {bytes}");
    }
    let (status, _, bytes) = ask(Caller::anon(), &format!("/papers?select={select}&limit=50")).await;
    assert!(status == 200 && bytes > 39_000_000, "{status} {bytes}");
}

#[tokio::test]
async fn a_request_that_asks_for_too_much_is_refused_before_the_database_plans_it() {
    let rest = Rest::start(SCHOOLS, Settings::default()).await;
    let refused = rest.get(&embeds(0, 51)).await;
    assert_eq!(refused.status, StatusCode::BAD_REQUEST);
    let error: serde_json::Value = serde_json::from_str(&refused.body).unwrap();
    assert_eq!(error["code"], "PGRST190");
    assert_eq!(error["details"], "51 embedded relations; a request may have 50");
    assert!(error["message"].is_string() && error["hint"].is_string());

    assert_eq!(rest.get(&embeds(0, 50)).await.body, "[]");
}
