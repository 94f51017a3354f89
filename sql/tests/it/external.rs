//! Tests with an external PostgreSQL server: Cloch's own client ([`cloch_sql::client`]) logs in with a password, with and without TLS, and
//! with valid and invalid certificates for each `sslmode`.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;

use cloch_core::Secret;
use cloch_sql::client::{BatchStatement, ClientError, Connection, Rows};
use cloch_sql::database::{Address, Login, SslMode};
use cloch_sql::embedded::{Account, Cluster, ClusterSettings};
use cloch_sql::testing::TestDatabase;

const PASSWORD: &str = "a pass'word with ünïcode";

struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn openssl(folder: &Path, arguments: &str) {
    let output = Command::new("openssl").current_dir(folder).args(arguments.split(' ')).output().expect("openssl");
    assert!(output.status.success(), "openssl {arguments}: {}", String::from_utf8_lossy(&output.stderr));
}

fn certificates(folder: &Path) {
    let key = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes";
    openssl(folder, &format!("req -x509 {key} -keyout ca.key -out ca.crt -days 30 -subj /CN=authority"));
    openssl(folder, &format!("req {key} -keyout server.key -out server.csr -subj /CN=localhost"));
    std::fs::write(folder.join("names"), "subjectAltName=DNS:localhost").unwrap();
    openssl(
        folder,
        "x509 -req -in server.csr -CA ca.crt -CAkey ca.key -CAcreateserial -days 30 -extfile names -out server.crt",
    );
    let account = Account::choose();
    for file in ["server.key", "server.crt"] {
        account.own(&folder.join(file)).unwrap();
    }
}

/// Starts a PostgreSQL server that requires a password (SCRAM) and offers TLS.
async fn server(folder: &Path) -> (Cluster, Login) {
    certificates(folder);
    let file = |name: &str| format!("{}", folder.join(name).display());
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let settings = ClusterSettings {
        folder: folder.join("db"),
        port,
        password: Secret::new(PASSWORD),
        binaries: None,
        parameters: vec![
            ("ssl".to_owned(), "on".to_owned()),
            ("ssl_cert_file".to_owned(), file("server.crt")),
            ("ssl_key_file".to_owned(), file("server.key")),
            ("password_encryption".to_owned(), "scram-sha-256".to_owned()),
        ],
    };
    let cluster = Cluster::start(settings).await.unwrap();
    let login = Login { address: Address::Host("localhost".to_owned()), ..crate::plain_login(&cluster) };
    (cluster, login)
}

/// Whether the connection is encrypted, as reported by the server.
async fn is_encrypted(login: &Login) -> Result<bool, ClientError> {
    let mut connection = Connection::open(login).await?;
    let mut rows = Rows::default();
    let sql = "select ssl from pg_stat_ssl where pid = pg_backend_pid()";
    connection.run("", &mut [BatchStatement { sql, params: &[], sink: Some(&mut rows) }]).await?;
    Ok(rows.rows().first().and_then(|row| row.text(0)) == Some("t"))
}

fn reason(outcome: Result<bool, ClientError>) -> String {
    match outcome {
        Err(ClientError::Connect(reason)) => reason,
        other => panic!("not refused: {other:?}"),
    }
}

#[tokio::test]
async fn passwords_and_certificates_are_checked() {
    let folder = Folder(std::env::temp_dir().join(format!("cloch-external-{}", uuid::Uuid::new_v4().simple())));
    std::fs::create_dir_all(&folder.0).unwrap();
    let (cluster, login) = server(&folder.0).await;
    let mode = |ssl_mode| Login { ssl_mode, ..login.clone() };

    for password in ["", "another", "a pass'word with unicode"] {
        let wrong = Login { password: Secret::new(password), ..mode(SslMode::Require) };
        let reason = reason(is_encrypted(&wrong).await);
        assert!(reason.contains("password"), "{reason}");
    }
    assert!(!is_encrypted(&mode(SslMode::Disable)).await.unwrap());
    for ssl_mode in [SslMode::Prefer, SslMode::Require] {
        assert!(is_encrypted(&mode(ssl_mode)).await.unwrap(), "{ssl_mode:?}");
    }

    // The client does not trust the certificate authority, so verification fails.
    for ssl_mode in [SslMode::VerifyCa, SslMode::VerifyFull] {
        let reason = reason(is_encrypted(&mode(ssl_mode)).await);
        assert!(reason.to_lowercase().contains("certificate"), "{reason}");
    }
    let trusting = |ssl_mode| Login { ssl_root_cert: Some(folder.0.join("ca.crt")), ..mode(ssl_mode) };
    let by_address = |ssl_mode| Login { address: Address::Host("127.0.0.1".to_owned()), ..trusting(ssl_mode) };
    let reason = reason(is_encrypted(&by_address(SslMode::VerifyFull)).await);
    assert!(reason.to_lowercase().contains("certificate"), "{reason}");
    assert!(is_encrypted(&by_address(SslMode::VerifyCa)).await.unwrap());
    assert!(is_encrypted(&trusting(SslMode::VerifyCa)).await.unwrap());
    assert!(is_encrypted(&trusting(SslMode::VerifyFull)).await.unwrap());
    cluster.stop().await;
}

#[tokio::test]
async fn a_server_without_tls_is_taken_only_where_that_is_allowed() {
    let database = TestDatabase::platform().await;
    let mode = |ssl_mode| Login { ssl_mode, ..database.login().clone() };
    for ssl_mode in [SslMode::Require, SslMode::VerifyCa, SslMode::VerifyFull] {
        assert!(reason(is_encrypted(&mode(ssl_mode)).await).contains("TLS"), "{ssl_mode:?}");
    }
    for ssl_mode in [SslMode::Disable, SslMode::Prefer] {
        assert!(!is_encrypted(&mode(ssl_mode)).await.unwrap(), "{ssl_mode:?}");
    }
}
