//! Tests of network failures that end no connection, or that occur at the worst moment. A proxy between the REST API and the database
//! simulates the failures.

use cloch_sql::client::{BatchStatement, ClientError, Pool};
use cloch_sql::testing::Wire;

use super::*;

#[tokio::test]
async fn a_silent_break_is_noticed_and_mended() {
    let database = TestDatabase::platform().await;
    let wire = Wire::to(database.login()).await;
    let login = database.login().with_user("authenticator", Secret::default());
    let rest = Rest::start_at(database, wire.login(&login), DIARY, Settings::default()).await;
    let idle = futures_util::future::join_all((0..4).map(|_| rest.get("/rpc/nap?seconds=0.2"))).await;
    assert!(idle.iter().all(|answer| answer.status == StatusCode::OK));

    let broken = Instant::now();
    wire.cut();
    execute(&rest.database, "create table fresh (id int); grant select on fresh to service_role").await;
    // The task that watches for schema changes receives no data and must detect the network failure.
    while rest.state.ready() {
        assert!(broken.elapsed() < Duration::from_secs(30), "the watcher does not notice");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    wire.fix();
    let whole = Instant::now();
    while rest.get("/fresh").await.status != StatusCode::OK {
        assert!(whole.elapsed() < Duration::from_secs(30), "requests do not go through again");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    // The task that watches for schema changes must again receive notifications immediately.
    execute(&rest.database, "create table fresher (id int); grant select on fresher to service_role").await;
    let told = Instant::now();
    while rest.get("/fresher").await.status != StatusCode::OK {
        assert!(told.elapsed() < Duration::from_secs(10), "the watcher receives nothing");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// A primary that becomes a standby refuses writes and closes its sessions. The session may end before or after the last message of the
/// refused batch.
#[tokio::test]
async fn a_server_that_is_lost_after_it_refused_a_write_is_a_lost_primary() {
    let ready_for_query: &[u8] = b"Z\0\0\0\x05";
    let breaks: [fn(&Wire, &'static [u8]); 2] = [|wire, _| wire.end_after(b"25006"), Wire::end_before];
    for break_off in breaks {
        let database = TestDatabase::platform().await;
        let wire = Wire::to(database.login()).await;
        let login = wire.login(database.login());
        let pool = Pool::new(login, 1);
        let refused = async || {
            let mut connection = pool.get().await.unwrap();
            let sql = "create table never (id int)";
            connection.run("", &mut [BatchStatement { sql, params: &[], sink: None }]).await.unwrap_err()
        };
        execute(&database, "do $$ begin execute format('alter database %I set default_transaction_read_only = on', current_database()); end $$")
            .await;
        let told = refused().await;
        assert!(matches!(&told, ClientError::Db(error) if error.code == "25006"), "{told:?}");
        break_off(&wire, ready_for_query);
        let lost = refused().await;
        assert!(matches!(&lost, ClientError::Connect(_)), "{lost:?}");
    }
}
