//! Background tasks in place of extensions: they send requests of pg_net and run jobs of pg_cron.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::collections::HashMap;
use std::time::Duration;

use axum::Router;
use axum::extract::{Path, Query};
use axum::http::{HeaderMap, StatusCode};
use axum::routing::any;
use cloch::background::{self, Destinations};
use cloch::service::Services;
use cloch_sql::testing::TestDatabase;
use sqlx::{AssertSqlSafe, PgPool};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

fn start_jobs(database: &TestDatabase, work: &mut JoinSet<()>, shutdown: &CancellationToken) {
    let mut services = Services::default();
    services.add(background::jobs(Destinations::default(), database.database(), shutdown));
    services.start(Router::new(), work);
}

struct Running {
    database: TestDatabase,
    work: JoinSet<()>,
    shutdown: CancellationToken,
}

impl Running {
    async fn start(setup: &str) -> Self {
        let database = TestDatabase::platform().await;
        sqlx::raw_sql(AssertSqlSafe(format!("set role postgres; {setup}; reset role")))
            .execute(database.superuser())
            .await
            .unwrap();
        let (mut work, shutdown) = (JoinSet::new(), CancellationToken::new());
        start_jobs(&database, &mut work, &shutdown);
        Self { database, work, shutdown }
    }

    /// Returns the first value of a query as soon as it is not null.
    async fn wait_for(&self, query: &str) -> String {
        let pool: &PgPool = self.database.superuser();
        for _ in 0..100 {
            let rows: Vec<Option<String>> =
                sqlx::query_scalar(AssertSqlSafe(query.to_owned())).fetch_all(pool).await.unwrap();
            if let Some(Some(answer)) = rows.into_iter().next() {
                return answer;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        panic!("no answer to {query}");
    }

    async fn stop(mut self) {
        self.shutdown.cancel();
        while self.work.join_next().await.is_some() {}
    }
}

async fn server() -> u16 {
    let echo = async |headers: HeaderMap, body: String| {
        let kind = headers.get("content-type").map(|kind| kind.to_str().unwrap().to_owned()).unwrap_or_default();
        (StatusCode::ACCEPTED, format!("{kind} {} {body}", headers.contains_key("x-own")))
    };
    let slow = async || tokio::time::sleep(Duration::from_secs(30)).await;
    let agent = async |headers: HeaderMap| {
        headers.get("user-agent").map(|agent| agent.to_str().unwrap().to_owned()).unwrap_or_default()
    };
    let redirect = |status: u16, to: String| (StatusCode::from_u16(status).unwrap(), [("location", to)]);
    let moved = async move |Path((status, to)): Path<(u16, String)>| redirect(status, format!("/{to}"));
    let away =
        async move |Query(to): Query<HashMap<String, String>>| redirect(302, to.get("to").cloned().unwrap_or_default());
    let router = Router::new()
        .route("/echo", any(echo))
        .route("/slow", any(slow))
        .route("/agent", any(agent))
        .route("/moved/{status}/{to}", any(moved))
        .route("/away", any(away))
        .route("/loop", any(async move || redirect(302, "/loop".to_owned())));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async { axum::serve(listener, router).await });
    port
}

#[tokio::test]
async fn queued_requests_are_sent_and_answered_for() {
    let port = server().await;
    let running = Running::start(&format!(
        "select net.http_post('http://127.0.0.1:{port}/echo', '{{\"a\": 1}}', '{{}}', '{{\"X-Own\": \"1\"}}');
         select net.http_post('http://127.0.0.1:{port}/slow', timeout_milliseconds := 200);
         select net.http_get('http://127.0.0.1:1/')"
    ))
    .await;
    let done = "select case when count(*) = 3 then string_agg(
                    concat_ws(' ', status_code, content, timed_out, error_msg is not null), ', ' order by id) end
                  from net._http_response";
    assert_eq!(running.wait_for(done).await, "202 application/json true {\"a\": 1} f f, t t, f t");
    assert_eq!(running.wait_for("select count(*)::text from net.http_request_queue").await, "0");
    running.stop().await;
}

#[tokio::test]
async fn jobs_are_run_as_their_role_and_their_outcome_is_kept() {
    let running = Running::start(
        "create table public.ticks (who text, path text);
         select cron.schedule('tick', '1 second', 'insert into ticks values (current_user, current_setting(''search_path''))');
         select cron.schedule('broken', '1 second', 'select 1/0');
         select cron.schedule('one', '1 second', 'select 1');
         select cron.schedule('none', '1 second', 'create table if not exists public.made (id int); select where false');
         select cron.schedule('clean', '1 second', 'vacuum public.ticks');
         select cron.schedule('last', '1 second', 'select 1; delete from public.ticks where false');
         select cron.schedule('hinted', '1 second', 'do $d$ begin raise ''no tide'' using detail = ''ebb'', hint = ''wait''; end $d$');
         select cron.schedule('copying', '1 second', 'copy public.ticks from stdin');
         select cron.schedule('climbing', '1 second', 'create role intruder superuser');
         update cron.job set username = 'supabase_admin' where jobname = 'climbing'",
    )
    .await;
    let tick = running.wait_for("select max(who || ' ' || path) from public.ticks").await;
    assert_eq!(tick, "postgres \"$user\", public, extensions");
    let outcome = |job: &str| {
        format!(
            "select max(status || ' ' || return_message) from cron.job_run_details join cron.job using (jobid)
              where jobname = '{job}' and end_time is not null"
        )
    };
    assert_eq!(running.wait_for(&outcome("tick")).await, "succeeded INSERT 0 1");
    for (job, expected) in [
        ("broken", "failed ERROR:  division by zero"),
        ("one", "succeeded 1 row"),
        ("none", "succeeded 0 rows"),
        ("clean", "succeeded VACUUM"),
        ("last", "succeeded DELETE 0"),
    ] {
        assert_eq!(running.wait_for(&outcome(job)).await, expected, "{job}");
    }
    let hinted = running.wait_for(&outcome("hinted")).await;
    assert!(hinted.starts_with("failed ERROR:  no tide\nDETAIL:  ebb\nHINT:  wait\nCONTEXT:  "), "{hinted}");
    let copying = running.wait_for(&outcome("copying")).await;
    assert!(copying.starts_with("failed ERROR:  COPY from stdin failed: a script has no rows to copy"), "{copying}");
    assert!(running.wait_for(&outcome("climbing")).await.contains("jobs do not run as supabase_admin"));
    assert_eq!(running.wait_for("select count(*)::text from pg_roles where rolname = 'intruder'").await, "0");
    running.stop().await;
}

#[tokio::test]
async fn of_two_nodes_one_runs_each_job() {
    let running = Running::start(
        "create table public.ticks (due int default extract(epoch from clock_timestamp())::int / 2);
         select cron.schedule('tick', '2 seconds', 'insert into ticks default values')",
    )
    .await;
    let (mut work, shutdown) = (JoinSet::new(), CancellationToken::new());
    start_jobs(&running.database, &mut work, &shutdown);
    running.wait_for("select 'yes' from public.ticks having count(*) >= 3").await;
    let most =
        "select max(times)::text from (select count(*) as times from cloch.job_claims group by jobid, due_at) as t";
    assert_eq!(running.wait_for(most).await, "1");
    let runs = "select (count(*) <= (select count(*) from cloch.job_claims))::text from cron.job_run_details";
    assert_eq!(running.wait_for(runs).await, "true");
    shutdown.cancel();
    while work.join_next().await.is_some() {}
    running.stop().await;
}

/// Internal addresses are refused if an API call runs a function, because the function's URL may come from the caller. URLs of webhooks, jobs
/// and the project's own sessions come from the project.
#[tokio::test]
async fn a_callers_url_does_not_lead_into_the_network() {
    let port = server().await;
    let running = Running::start(&format!(
        "create table public.t (id int);
         create table public.hooked (id int);
         grant insert on public.t, public.hooked to anon;
         create function public.call() returns trigger language plpgsql as $$ begin
           perform net.http_get('http://127.0.0.1:{port}/echo');
           perform net.http_get('http://localhost:{port}/echo');
           perform net.http_get('http://169.254.169.254/latest/meta-data');
           return new;
         end $$;
         create trigger call after insert on public.t for each row execute function public.call();
         create trigger hook after insert on public.hooked for each row
           execute function supabase_functions.http_request('http://127.0.0.1:{port}/echo', 'POST', '{{}}', '{{}}', '1000');
         begin;
         set local role anon;
         select set_config('request.jwt.claims', '{{\"role\": \"anon\"}}', true);
         insert into public.t values (1);
         insert into public.hooked values (1);
         commit;
         set application_name = 'cloch auth';
         insert into public.t values (2);
         reset application_name;
         select net.http_get('http://127.0.0.1:{port}/echo');
         select net.http_get('http://169.254.169.254/latest/meta-data')"
    ))
    .await;
    let done = "select case when count(*) = 9 then string_agg(coalesce(status_code::text, 'refused'), ' ' order by id) end
                  from net._http_response
                 where status_code is not null or error_msg like '%may not go to this address%' or error_msg like '%error sending request%'";
    assert_eq!(running.wait_for(done).await, "refused refused refused 202 refused refused refused 202 refused");
    let seen = "select count(*)::text from net._http_response where status_code is null and timed_out is not true";
    assert_eq!(running.wait_for(seen).await, "7", "refused, and not given up");
    running.stop().await;
}

/// Redirects are followed as by pg_net. A redirect to another server is a URL that a stranger has chosen.
#[tokio::test]
async fn redirects_are_followed_within_bounds() {
    let (port, other) = (server().await, server().await);
    let running = Running::start(&format!(
        "select net.http_post('http://127.0.0.1:{port}/moved/302/echo', '{{\"a\": 1}}');
         select net.http_post('http://127.0.0.1:{port}/moved/307/echo', '{{\"a\": 1}}');
         select net.http_get('http://127.0.0.1:{port}/moved/301/agent');
         select net.http_get('http://127.0.0.1:{port}/agent', headers := '{{\"user-agent\": \"own\"}}');
         select net.http_get('http://127.0.0.1:{port}/loop');
         select net.http_get('http://127.0.0.1:{port}/away?to=http://127.0.0.1:{other}/echo');
         select net.http_get('http://127.0.0.1:{port}/away?to=ftp://127.0.0.1/');
         select net.http_get('http://127.0.0.1:1/')"
    ))
    .await;
    let done = "select case when count(*) = 8 then string_agg(
                    coalesce(status_code || ' ' || content, status_code::text, error_msg), ' | ' order by id) end
                  from net._http_response";
    let found = running.wait_for(done).await;
    let found: Vec<&str> = found.split(" | ").collect();
    let expected = [
        "202 application/json false ",
        "202 application/json false {\"a\": 1}",
        "200 pg_net/0.20.3 (Cloch)",
        "200 own",
        "Maximum (30) redirects followed",
    ];
    let [first @ .., elsewhere, no_http, closed] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!(first, expected);
    assert!(elsewhere.contains("may not go to this address"), "{elsewhere}");
    assert_eq!(*no_http, "302");
    assert!(closed.contains("Connection refused"), "{closed}");
    running.stop().await;
}

#[tokio::test]
async fn a_request_has_bounds() {
    let port = server().await;
    let running = Running::start(&format!(
        "select net.http_post('http://127.0.0.1:{port}/echo', to_jsonb(repeat('x', 5000000)));
         select net.http_get('no url');
         select net.http_get('http://127.0.0.1:{port}/echo')"
    ))
    .await;
    let done =
        "select case when count(*) = 3 then string_agg(coalesce(status_code::text, error_msg), ', ' order by id) end
                  from net._http_response";
    assert_eq!(
        running.wait_for(done).await,
        "the body has more than 4194304 bytes, not a URL: relative URL without a base, 202"
    );
    running.stop().await;
}

#[tokio::test]
async fn what_a_job_leaves_open_ends_with_it() {
    let running = Running::start(
        "create table public.ticks (n int);
         select cron.schedule('open', '1 second', 'begin; insert into public.ticks values (1); set role anon');
         select cron.schedule('lost', '1 second', 'select pg_terminate_backend(pg_backend_pid())')",
    )
    .await;
    let outcome = |job: &str| {
        format!(
            "select max(status) from cron.job_run_details join cron.job using (jobid)
              where jobname = '{job}' and end_time is not null"
        )
    };
    assert_eq!(running.wait_for(&outcome("open")).await, "succeeded");
    assert_eq!(running.wait_for(&outcome("lost")).await, "failed");
    assert_eq!(running.wait_for("select count(*)::text from public.ticks").await, "0");
    running.stop().await;
}
