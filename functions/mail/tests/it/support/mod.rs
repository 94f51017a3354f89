//! Shared code of the mail tests: a database, a real SMTP server, and a mailer.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use cloch_mail::{Address, Mailer, Message, Settings, Smtp};
use cloch_sql::testing::TestDatabase;
use serde_json::Value;
use sqlx::Row;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

/// A running `smtp_server.py`, which stops when this value is dropped.
pub(crate) struct SmtpServer {
    child: Child,
    output: std::sync::mpsc::Receiver<Value>,
    pub(crate) port: u16,
}

impl SmtpServer {
    pub(crate) fn start(arguments: &[&str]) -> Self {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/support/smtp_server.py");
        let python = std::env::var("CLOCH_TEST_PYTHON").unwrap_or_else(|_| "python3".to_owned());
        let mut child =
            Command::new(python).arg(script).args(arguments).stdout(Stdio::piped()).spawn().expect("python3 is needed");
        let output = read_lines(child.stdout.take().unwrap());
        let first = output
            .recv_timeout(Duration::from_secs(20))
            .expect("the SMTP server did not start: install tests/requirements.txt (aiosmtpd), or name a Python that has it in CLOCH_TEST_PYTHON");
        let port = first["port"].as_u64().unwrap().try_into().unwrap();
        Self { child, output, port }
    }

    pub(crate) fn settings(&self) -> Settings {
        self.settings_of(Smtp::new("127.0.0.1", self.port))
    }

    pub(crate) fn settings_of(&self, smtp: Smtp) -> Settings {
        Settings {
            admin_email: "club@example.org".parse().unwrap(),
            sender_name: "Gourock Club".to_owned(),
            smtp: Some(Smtp { timeout: Duration::from_secs(6), ..smtp }),
            ..Settings::default()
        }
    }

    /// Returns the next message that the SMTP server accepted.
    pub(crate) async fn next(&self) -> Value {
        let end = Instant::now() + Duration::from_secs(30);
        loop {
            match self.output.try_recv() {
                Ok(message) => return message,
                Err(_) if Instant::now() > end => panic!("no message arrived"),
                Err(_) => tokio::time::sleep(Duration::from_millis(20)).await,
            }
        }
    }

    pub(crate) fn took_nothing_more(&self) -> bool {
        self.output.try_recv().is_err()
    }
}

impl Drop for SmtpServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn read_lines(stdout: ChildStdout) -> std::sync::mpsc::Receiver<Value> {
    let (sender, receiver) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        for line in BufReader::new(stdout).lines().map_while(Result::ok) {
            if let Ok(value) = serde_json::from_str(&line) {
                let _ = sender.send(value);
            }
        }
    });
    receiver
}

/// A new TLS certificate for 127.0.0.1 with its private key. The repository contains no keys.
pub(crate) struct Certificate {
    folder: PathBuf,
}

impl Certificate {
    pub(crate) fn make() -> Self {
        let folder = std::env::temp_dir().join(format!("cloch-mail-{}", Uuid::new_v4()));
        std::fs::create_dir(&folder).unwrap();
        let certificate = Self { folder };
        let status = Command::new("openssl")
            .args(["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"])
            .args([
                "-subj",
                "/CN=mail.test",
                "-addext",
                "subjectAltName=IP:127.0.0.1",
                "-addext",
                "basicConstraints=critical,CA:FALSE",
            ])
            .args(["-keyout", &certificate.key(), "-out", &certificate.cert()])
            .stderr(Stdio::null())
            .status()
            .expect("openssl is needed");
        assert!(status.success());
        certificate
    }

    pub(crate) fn cert(&self) -> String {
        self.folder.join("cert.pem").to_str().unwrap().to_owned()
    }

    pub(crate) fn key(&self) -> String {
        self.folder.join("key.pem").to_str().unwrap().to_owned()
    }
}

impl Drop for Certificate {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// A mailer with a separate database and a running delivery worker.
pub(crate) struct Post {
    pub(crate) mailer: Mailer,
    pub(crate) database: TestDatabase,
    shutdown: CancellationToken,
}

impl Post {
    pub(crate) async fn open(settings: Settings) -> Self {
        let database = TestDatabase::platform().await;
        let mailer = Mailer::new(database.database().clone(), settings).unwrap();
        let shutdown = CancellationToken::new();
        tokio::spawn(cloch_mail::worker::run(mailer.clone(), shutdown.clone()));
        Self { mailer, database, shutdown }
    }

    pub(crate) async fn queue(&self, message: &Message) -> Uuid {
        self.mailer.queue(self.database.database().admin(), message).await.unwrap()
    }

    /// Waits until `ready` is true for the outbox row of a message. Returns the row as JSON.
    pub(crate) async fn row_when(&self, id: Uuid, ready: impl Fn(&Value) -> bool) -> Value {
        let end = Instant::now() + Duration::from_secs(12);
        loop {
            let row = self.row(id).await;
            if ready(&row) {
                return row;
            }
            assert!(Instant::now() < end, "the outbox stays {row}");
            tokio::time::sleep(Duration::from_millis(30)).await;
        }
    }

    pub(crate) async fn row(&self, id: Uuid) -> Value {
        let query = "select to_jsonb(m) || jsonb_build_object('due_in', extract(epoch from due_at - now())) from cloch.mail_outbox m where id = $1";
        let row = sqlx::query(query).bind(id).fetch_optional(self.database.superuser()).await.unwrap();
        row.map_or(Value::Null, |row| row.get(0))
    }

    pub(crate) async fn sql(&self, statement: &'static str) {
        sqlx::raw_sql(statement).execute(self.database.superuser()).await.unwrap();
    }
}

impl Drop for Post {
    fn drop(&mut self) {
        self.shutdown.cancel();
    }
}

pub(crate) fn to(list: &[&str]) -> Vec<Address> {
    list.iter().map(|text| text.parse().unwrap()).collect()
}

pub(crate) fn message(list: &[&str]) -> Message {
    Message::new("test", to(list), "Grüße from Gourock", "<p>Hello <b>you</b>, it’s us.</p>").unwrap()
}
