//! A running `cloch` with the club's migrations and seed, and the schema of corner cases.

use std::fs::Permissions;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use reqwest::Client;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use sqlx::{AssertSqlSafe, Connection, PgConnection};
use tempfile::TempDir;

const START_TIMEOUT: Duration = Duration::from_secs(90);
const STOP_TIMEOUT: Duration = Duration::from_secs(30);
const CORNERS: &str = include_str!("corners.sql");

/// A running program. It is stopped when this value is dropped.
pub(crate) struct Program {
    child: Child,
    /// URLs and keys, under the names that `cloch status` prints.
    keys: Value,
    pub(crate) url: String,
    pub(crate) http: Client,
    folder: TempDir,
}

impl Program {
    pub(crate) async fn start() -> Self {
        let folder = tempfile::Builder::new().prefix("cloch-rust-client-").tempdir().unwrap();
        // If the test runs as root, PostgreSQL runs in another account, which must be able to enter its folder.
        std::fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
        let port = free_port();
        write_project(&folder.path().join("supabase"), port);
        let log = std::fs::File::create(folder.path().join("log")).unwrap();
        let child = command(folder.path(), "start")
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .expect("the program `cloch` does not start");
        let mut program =
            Self { child, keys: Value::Null, url: format!("http://127.0.0.1:{port}"), http: Client::new(), folder };
        program.wait_until_ready().await;
        let status = command(program.folder.path(), "status").args(["-o", "json"]).output().unwrap();
        program.keys = serde_json::from_slice(&status.stdout).expect("`cloch status -o json` prints no JSON");
        program
    }

    async fn wait_until_ready(&mut self) {
        let begun = Instant::now();
        loop {
            let health = self.http.get(format!("{}/health", self.url)).send().await;
            if health.is_ok_and(|response| response.status().is_success()) {
                return;
            }
            let ended = self.child.try_wait().unwrap();
            if ended.is_some() || begun.elapsed() > START_TIMEOUT {
                let log = std::fs::read_to_string(self.folder.path().join("log")).unwrap();
                panic!("the program is not ready, exit status {ended:?}:\n{log}");
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    pub(crate) fn key(&self, name: &str) -> &str {
        self.keys[name].as_str().unwrap_or_else(|| panic!("`cloch status` prints no {name}"))
    }

    /// Sends a request to auth and returns the JSON of its response.
    pub(crate) async fn auth(&self, path: &str, key: &str, body: &Value) -> Value {
        let request = self.http.post(format!("{}/auth/v1/{path}", self.url)).header("apikey", key).bearer_auth(key);
        let response = request.json(body).send().await.unwrap();
        let (status, text) = (response.status(), response.text().await.unwrap());
        assert!(status.is_success(), "{path}: {status} {text}");
        serde_json::from_str(&text).unwrap()
    }

    /// Creates an account and returns its access token.
    pub(crate) async fn account(&self, email: &str) -> String {
        let credentials = json!({ "email": email, "password": "Greenock pier", "email_confirm": true });
        self.auth("admin/users", self.key("SERVICE_ROLE_KEY"), &credentials).await;
        let session = self.auth("token?grant_type=password", self.key("ANON_KEY"), &credentials).await;
        session["access_token"].as_str().unwrap().to_owned()
    }

    /// Opens a connection as role `postgres`.
    pub(crate) async fn connect(&self) -> PgConnection {
        PgConnection::connect(self.key("DB_URL")).await.unwrap()
    }

    /// Runs statements as role `postgres`.
    pub(crate) async fn execute(&self, sql: &str) {
        let mut connection = self.connect().await;
        sqlx::raw_sql(AssertSqlSafe(sql.to_owned())).execute(&mut connection).await.unwrap();
        connection.close().await.unwrap();
    }

    /// Waits until the table REST has read a new table from the catalog.
    pub(crate) async fn wait_for_table(&self, name: &str) {
        let begun = Instant::now();
        let request =
            || self.http.get(format!("{}/rest/v1/{name}?limit=0", self.url)).header("apikey", self.key("ANON_KEY"));
        while request().send().await.unwrap().status() == 404 {
            assert!(begun.elapsed() < START_TIMEOUT, "the API does not read the table {name}");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = kill_process(Pid::from_child(&self.child), Signal::TERM);
        let begun = Instant::now();
        while begun.elapsed() < STOP_TIMEOUT && matches!(self.child.try_wait(), Ok(None)) {
            std::thread::sleep(Duration::from_millis(20));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn command(folder: &Path, name: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cloch"));
    command.arg(name).arg("--project").arg(folder.join("supabase")).arg("--data").arg(folder.join("data"));
    command.env_remove("CLOCH_DB_URL").env_remove("CLOCH_PROJECT");
    command
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

fn write_project(project: &Path, port: u16) {
    let club = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../supabase-config");
    let migrations = project.join("migrations");
    std::fs::create_dir_all(&migrations).unwrap();
    for entry in std::fs::read_dir(club.join("migrations")).unwrap() {
        let entry = entry.unwrap();
        std::fs::copy(entry.path(), migrations.join(entry.file_name())).unwrap();
    }
    std::fs::copy(club.join("seed.sql"), project.join("seed.sql")).unwrap();
    std::fs::write(migrations.join("29990101000000_corners.sql"), CORNERS).unwrap();
    let database_port = free_port();
    let config = format!(
        r#"project_id = "rust-client"

[api]
port = {port}
schemas = ["public", "corners"]
extra_search_path = ["public", "extensions"]
max_rows = 5000

[db]
port = {database_port}

[db.seed]
enabled = true
sql_paths = ["./seed.sql"]
"#
    );
    std::fs::write(project.join("config.toml"), config).unwrap();
}
