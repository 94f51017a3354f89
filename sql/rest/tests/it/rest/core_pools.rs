//! Tests of the connection pools per CPU core: a core uses its own connections first, but while a request waits, no connection of any core
//! stays idle.

use std::thread;

use cloch_core::core_id;
use cloch_sql::client::{BatchStatement, ClientError, Pool};
use tokio::join;
use tokio::runtime::{Builder, Handle};

use super::*;

/// SQL of a table `note` and a function `meet`, which returns as soon as a note exists. Another request must write the note concurrently.
const NOTES: &str = "
    create table note (line text);
    grant select, insert on note to service_role;
    create function meet() returns text language plpgsql as $$
    begin
      for tried in 1..800 loop
        if exists (select from note) then return 'met'; end if;
        perform pg_sleep(0.01);
      end loop;
      return 'alone';
    end $$;
    create function nap(seconds float8) returns text language sql as $$ select pg_sleep(seconds)::text $$;";

#[tokio::test]
async fn a_busy_core_borrows_what_is_idle() {
    let rest = Rest::start(NOTES, Settings { pool_size: 2, ..Settings::default() }).await;
    let caller = Caller::service_role();
    let meeting = rest.send(&caller, "POST", "/rpc/meet", "{}");
    let (met, written) = join!(meeting, rest.send(&caller, "POST", "/note", r#"{"line":"here"}"#));
    assert_eq!((met.body.as_str(), written.status), (r#""met""#, StatusCode::CREATED));
}

#[tokio::test]
async fn a_network_does_not_keep_other_visitors_out() {
    let database = TestDatabase::platform().await;
    // Six of the eight connections are available to visitors (role `anon`).
    let pool = Pool::new(database.login().clone(), 8);
    let (noisy, other) = (Some([203, 0, 113, 5].into()), Some([198, 51, 100, 7].into()));
    let mut held = Vec::new();
    // While more than half of the visitors' connections are free, a network need not wait. After that, each network may use one connection.
    for _ in 0..4 {
        held.push(pool.get_for_visitor(noisy).await.unwrap());
    }
    let mut waiting = Box::pin(pool.get_for_visitor(noisy));
    assert!(tokio::time::timeout(Duration::from_millis(50), &mut waiting).await.is_err());
    drop(pool.get_for_visitor(other).await.unwrap());
    let of_other = pool.get_for_visitor(other).await.unwrap();
    held.clear();
    assert!(waiting.await.is_ok());
    drop(of_other);
}

#[tokio::test]
async fn who_has_waited_takes_the_first_that_becomes_free_anywhere() {
    let rest = Rest::start(NOTES, Settings { pool_size: 2, ..Settings::default() }).await;
    let caller = Caller::service_role();
    let (meeting, napping) = (rest.send(&caller, "POST", "/rpc/meet", "{}"), rest.get("/rpc/nap?seconds=0.3"));
    let writing = async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        rest.send(&caller, "POST", "/note", r#"{"line":"here"}"#).await
    };
    let (met, _, written) = join!(meeting, napping, writing);
    assert_eq!((met.body.as_str(), written.status), (r#""met""#, StatusCode::CREATED));
}

/// Starts the tokio runtime of a core, which runs until the returned token is cancelled.
fn start(number: usize) -> (Handle, CancellationToken, thread::JoinHandle<()>) {
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    let (handle, stop) = (runtime.handle().clone(), CancellationToken::new());
    let stopped = stop.clone();
    let thread = thread::spawn(move || {
        core_id::set(number);
        runtime.block_on(stopped.cancelled());
    });
    (handle, stop, thread)
}

#[tokio::test]
async fn a_connection_belongs_to_the_core_whose_permit_it_has() {
    let database = TestDatabase::platform().await;
    let count = core_id::count();
    let pool = Pool::new(database.login().clone(), count);
    let mut runtimes: Vec<_> = (0..count).map(start).collect();
    for (runtime, ..) in &runtimes {
        let pool = pool.clone();
        runtime.spawn(async move { drop(pool.get().await.unwrap()) }).await.unwrap();
    }
    pool.clear();

    // The first core opens all connections.
    let first = runtimes[0].0.clone();
    let opened = first.spawn(async move {
        let mut connections = Vec::new();
        for _ in 0..count {
            connections.push(pool.get().await.unwrap());
        }
        connections
    });
    let connections = opened.await.unwrap();
    let (_, stop, thread) = runtimes.pop().unwrap();
    stop.cancel();
    thread.join().unwrap();
    // A connection belongs to the runtime of a core. It ends when this runtime ends.
    let mut ended = Vec::new();
    for mut connection in connections {
        let one =
            async move { connection.run("", &mut [BatchStatement { sql: "select 1", params: &[], sink: None }]).await };
        let outcome: Result<(), ClientError> = if count > 1 { first.spawn(one).await.unwrap() } else { one.await };
        ended.push(outcome.is_err());
    }
    assert_eq!(ended, (0..count).map(|core| core == count - 1).collect::<Vec<_>>());
    runtimes.iter().for_each(|(_, stop, _)| stop.cancel());
}
