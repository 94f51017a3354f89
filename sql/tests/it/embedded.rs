//! Tests of the embedded PostgreSQL in typical situations of an operator: first start, kill, second start, wrong folder, used port.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use cloch_core::Secret;
use cloch_sql::database::Login;
use cloch_sql::embedded::{Cluster, ClusterSettings, EmbeddedError};
use sqlx::{ConnectOptions, Connection, PgConnection, Row};

struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        let path = std::env::temp_dir().join(format!("cloch-embedded-{}", uuid::Uuid::new_v4().simple()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

fn settings(folder: &Path) -> ClusterSettings {
    ClusterSettings {
        folder: folder.join("db"),
        port: free_port(),
        password: Secret::new("a password with 'quotes' and spaces"),
        binaries: None,
        parameters: Vec::new(),
    }
}

async fn connect(cluster: &Cluster) -> PgConnection {
    crate::plain_login(cluster).sqlx_options().connect().await.unwrap()
}

async fn postmaster(connection: &mut PgConnection) -> String {
    let row = sqlx::query("select split_part(pg_read_file('postmaster.pid'), chr(10), 1)")
        .fetch_one(connection)
        .await
        .unwrap();
    row.get(0)
}

fn signal(name: &str, pid: &str) {
    assert!(std::process::Command::new("kill").args(["-s", name, pid]).status().unwrap().success());
}

fn kill(pid: &str) {
    signal("KILL", pid);
}

#[tokio::test]
async fn a_missing_binary_a_taken_port_and_another_version_are_explained() {
    let folder = Folder::new();
    let missing = ClusterSettings { binaries: Some(folder.0.join("nowhere")), ..settings(&folder.0) };
    let error = Cluster::start(missing).await.unwrap_err();
    assert!(matches!(error, EmbeddedError::NoBinaries { .. }), "{error}");
    assert!(error.to_string().contains("CLOCH_POSTGRES_BIN"));

    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let error = Cluster::start(ClusterSettings { port, ..settings(&folder.0) }).await.unwrap_err();
    assert!(matches!(error, EmbeddedError::PortTaken { port: reported } if reported == port), "{error}");

    std::fs::write(folder.0.join("db/PG_VERSION"), "9\n").unwrap();
    let error = Cluster::start(settings(&folder.0)).await.unwrap_err();
    assert!(matches!(error, EmbeddedError::OtherVersion { ref found, .. } if found == "9"), "{error}");
}

#[tokio::test]
async fn clusters_that_start_at_the_same_time_each_find_a_port() {
    let folders = [Folder::new(), Folder::new(), Folder::new()];
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let reserved = port.saturating_add(1);
    let [first, second, third] = folders
        .each_ref()
        .map(|folder| Cluster::start_on_free_port(ClusterSettings { port, ..settings(&folder.0) }, reserved));
    let (first, second, third) = tokio::join!(first, second, third);
    let clusters = [first.unwrap(), second.unwrap(), third.unwrap()];
    let mut ports: Vec<u16> = clusters.iter().map(Cluster::port).collect();
    ports.sort_unstable();
    ports.dedup();
    assert!(ports.len() == 3 && ports.iter().all(|chosen| *chosen > reserved), "{ports:?}, {port} is taken");
    for cluster in clusters {
        let mut connection = connect(&cluster).await;
        let served: String = sqlx::query_scalar("show port").fetch_one(&mut connection).await.unwrap();
        assert_eq!(served, cluster.port().to_string());
        connection.close().await.unwrap();
        cluster.stop().await;
    }
}

#[tokio::test]
async fn committed_rows_survive_a_killed_server_which_comes_back_by_itself() {
    let folder = Folder::new();
    let cluster = Cluster::start(settings(&folder.0)).await.unwrap();
    assert!(cluster.is_new());
    let mut connection = connect(&cluster).await;
    sqlx::raw_sql("create table kept (id int); insert into kept values (1)").execute(&mut connection).await.unwrap();
    kill(&postmaster(&mut connection).await);

    let deadline = Instant::now() + Duration::from_secs(30);
    let mut again = loop {
        match crate::plain_login(&cluster).sqlx_options().connect().await {
            Ok(mut connection) => {
                if sqlx::query("select 1").fetch_one(&mut connection).await.is_ok() {
                    break connection;
                }
            }
            Err(error) => assert!(Instant::now() < deadline, "{error}"),
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    };
    let count: i64 = sqlx::query("select count(*) from kept").fetch_one(&mut again).await.unwrap().get(0);
    assert_eq!(count, 1);
    again.close().await.unwrap();
    cluster.stop().await;
}

/// Starts a cluster, runs `work`, and leaves the server running, as if Cloch had been killed.
fn leave_behind<T: Send + 'static>(
    settings: ClusterSettings,
    work: impl AsyncFnOnce(&Cluster) -> T + Send + 'static,
) -> T {
    // Ending the tokio runtime ends the task that watches the server.
    let run = move || {
        tokio::runtime::Runtime::new().unwrap().block_on(async {
            let cluster = Cluster::start(settings).await.unwrap();
            let done = work(&cluster).await;
            // A killed process does not run `Drop`.
            std::mem::forget(cluster);
            done
        })
    };
    std::thread::spawn(run).join().unwrap()
}

#[tokio::test]
async fn a_server_left_behind_by_a_killed_run_is_taken_over() {
    let folder = Folder::new();
    let first = settings(&folder.0);
    let old = leave_behind(first.clone(), async |cluster| {
        let mut connection = connect(cluster).await;
        sqlx::raw_sql("create table kept (id int)").execute(&mut connection).await.unwrap();
        postmaster(&mut connection).await
    });

    let again = Cluster::start(ClusterSettings { port: free_port(), ..first }).await.unwrap();
    assert!(!again.is_new());
    let mut connection = connect(&again).await;
    assert_ne!(postmaster(&mut connection).await, old);
    sqlx::query("select from kept").fetch_all(&mut connection).await.unwrap();
    connection.close().await.unwrap();
    again.stop().await;
}

#[tokio::test]
async fn a_start_waits_for_the_processes_of_a_killed_server() {
    let folder = Folder::new();
    let first = settings(&folder.0);
    let backend = leave_behind(first.clone(), async |cluster| {
        let mut connection = connect(cluster).await;
        let backend: i32 = sqlx::query("select pg_backend_pid()").fetch_one(&mut connection).await.unwrap().get(0);
        // A process that is stopped by a signal does not detect that its server was killed.
        signal("STOP", &backend.to_string());
        let mut another = connect(cluster).await;
        kill(&postmaster(&mut another).await);
        backend.to_string()
    });

    let started = tokio::spawn(Cluster::start(ClusterSettings { port: free_port(), ..first }));
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert!(!started.is_finished(), "the old process uses the memory");
    signal("CONT", &backend);
    let again = started.await.unwrap().unwrap();
    connect(&again).await.close().await.unwrap();
    again.stop().await;
}

#[tokio::test]
async fn statements_are_counted() {
    let folder = Folder::new();
    let cluster = Cluster::start(settings(&folder.0)).await.unwrap();
    let mut connection = connect(&cluster).await;
    sqlx::raw_sql("create extension pg_stat_statements").execute(&mut connection).await.unwrap();
    sqlx::raw_sql("select 41 + 1").execute(&mut connection).await.unwrap();
    let calls: i64 =
        sqlx::query_scalar("select sum(calls)::bigint from pg_stat_statements where query = 'select $1 + $2'")
            .fetch_one(&mut connection)
            .await
            .unwrap();
    assert_eq!(calls, 1);
    connection.close().await.unwrap();
    cluster.stop().await;
}

#[tokio::test]
async fn of_several_hosts_the_one_that_takes_writes_is_chosen() {
    let (standby_folder, primary_folder) = (Folder::new(), Folder::new());
    // A server with read-only sessions behaves like a standby.
    let read_only = vec![("default_transaction_read_only".to_owned(), "on".to_owned())];
    let standby = ClusterSettings { parameters: read_only, ..settings(&standby_folder.0) };
    let (standby_port, primary) = (standby.port, settings(&primary_folder.0));
    let (primary_port, closed_port) = (primary.port, free_port());
    let standby = Cluster::start(standby).await.unwrap();
    let primary = Cluster::start(primary).await.unwrap();
    let choose = async |ports: [u16; 2], wanted: &str| {
        let hosts = ports.map(|port| format!("127.0.0.1:{port}")).join(",");
        let password = "a%20password%20with%20'quotes'%20and%20spaces";
        let url = format!(
            "postgres://supabase_admin:{password}@{hosts}/postgres?sslmode=disable&target_session_attrs={wanted}"
        );
        let login = Login::from_url(&Secret::new(url)).unwrap();
        let clone = login.clone();
        login.choose_host().await.map(|()| clone.place().1)
    };
    assert!(choose([closed_port, standby_port], "read-write").await.is_err());
    assert!(choose([closed_port, closed_port], "any").await.is_err());
    assert_eq!(choose([standby_port, primary_port], "read-write").await.unwrap(), primary_port);
    assert_eq!(choose([closed_port, standby_port], "any").await.unwrap(), standby_port);
    standby.stop().await;
    primary.stop().await;
}
