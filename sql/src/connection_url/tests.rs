use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;

use super::*;

fn read(text: &str) -> Result<Login, UrlError> {
    Login::from_url(&Secret::new(text))
}

#[test]
fn refuses_without_repeating_the_password() {
    for text in [
        "mysql://u:hunter2@h/d",
        "nonsense hunter2",
        "postgres://u:hunter2@h/d?sslmode=hunter2",
        "postgres://u:hunter2@h:hunter2/d",
        "postgres://u:hunter2@a:1,b:2,c:3/d?port=1,2",
        "postgres://u:hunter2@h/d?target_session_attrs=hunter2",
    ] {
        assert!(!read(text).unwrap_err().to_string().contains("hunter2"), "{text}");
    }
}

#[test]
fn what_would_protect_the_connection_is_not_dropped() {
    for parameter in ["sslcrl=/a", "require_auth=scram-sha-256", "requirepeer=postgres", "gssencmode=require"] {
        let refused = read(&format!("postgres://u:p@h/d?{parameter}")).unwrap_err().to_string();
        assert!(refused.contains("is not supported: remove it"), "{parameter}: {refused}");
    }
    for parameter in ["gssencmode=prefer", "channel_binding=require", "ssl_min_protocol_version=TLSv1.2"] {
        assert!(read(&format!("postgres://u:p@h/d?{parameter}")).is_ok(), "{parameter}");
    }
}

#[test]
fn a_quote_that_is_never_closed_is_refused() {
    for text in ["host=h password='hunter2 user=ann", "host='", r"host=h password='a\'"] {
        let refused = read(text).unwrap_err().to_string();
        assert!(refused.contains("never closed") && !refused.contains("hunter2"), "{text}: {refused}");
    }
}

#[test]
fn reads_every_part() {
    let login = read("postgres://us%40er:p%2Fw@db.example:6543/app?sslmode=verify-full&pooler=transaction").unwrap();
    assert_eq!(login.address, Address::Host("db.example".into()));
    assert_eq!((login.port, login.user.as_str(), login.database.as_str()), (6543, "us@er", "app"));
    assert_eq!(login.password.expose(), "p/w");
    assert_eq!((login.ssl_mode, login.keep_statements), (SslMode::VerifyFull, false));
    let login = read("host=db.example user=ann password='it is' dbname=app").unwrap();
    assert_eq!((login.user.as_str(), login.database.as_str(), login.port), ("ann", "app", 5432));
    let login = read(r"host=db.example password='it\'s a \\'").unwrap();
    assert_eq!(login.password.expose(), r"it's a \");
    assert_eq!(read("postgres://[::1]:5433").unwrap().address, Address::Host("::1".into()));
}

#[test]
fn a_folder_is_a_socket() {
    for text in [
        "postgres:///app?host=/run/pg",
        "postgres://ann:secret@/app?host=/run/pg",
        "postgresql://ann@/app?host=%2Frun%2Fpg",
        "postgresql://%2Frun%2Fpg/app",
        "host=/run/pg dbname=app",
    ] {
        let login = read(text).unwrap();
        assert_eq!(login.address, Address::Socket("/run/pg".into()), "{text}");
        assert_eq!(login.database, "app", "{text}");
    }
}

#[test]
fn several_hosts() {
    let login = read("postgres://u@a:1,b,[::1]:3/app?target_session_attrs=read-write").unwrap();
    let host = |name: &str| Address::Host(name.into());
    assert_eq!(login.hosts, [(host("a"), 1), (host("b"), 5432), (host("::1"), 3)]);
    assert_eq!(login.session_attributes, SessionAttributes::ReadWrite);
    assert_eq!(read("host=a,b port=6").unwrap().hosts, [(host("a"), 6), (host("b"), 6)]);
}

#[test]
fn services_and_passwords_come_from_files() {
    let folder = std::env::temp_dir().join(format!("cloch-libpq-{}", uuid::Uuid::new_v4().simple()));
    fs::create_dir(&folder).unwrap();
    let (services, passwords) = (folder.join("services"), folder.join("passwords"));
    fs::write(
        &services,
        "[other]\nhost=wrong\n[club]\n# the cluster\nhost=db.example\nport = 6000\nuser=ann\ndbname=app\n",
    )
    .unwrap();
    fs::write(&passwords, "# comment\nother:*:*:*:no\ndb.example:6000:app:ann:a\\:b\\\\c\n*:*:*:*:any\n").unwrap();
    let environment = |name: &str| match name {
        "PGSERVICEFILE" => Some(services.display().to_string()),
        "PGPASSFILE" => Some(passwords.display().to_string()),
        _ => None,
    };
    let read = |text: &str| Login::from_libpq(&Secret::new(text), &environment);
    fs::set_permissions(&passwords, Permissions::from_mode(0o644)).unwrap();
    assert!(read("service=club").unwrap().password.is_empty());
    fs::set_permissions(&passwords, Permissions::from_mode(0o600)).unwrap();

    fs::write(&services, fs::read_to_string(&services).unwrap() + "[half]\nhost=a\npassword hunter2\n").unwrap();
    let half = read("service=half").unwrap_err().to_string();
    assert!(half.contains("\"password …\"") && !half.contains("hunter2"), "{half}");
    assert!(read("postgres:///?service=nobody").unwrap_err().to_string().contains("nobody"));
    let login = read("postgres:///?service=club").unwrap();
    assert_eq!((login.address, login.port), (Address::Host("db.example".into()), 6000));
    assert_eq!((login.user.as_str(), login.password.expose()), ("ann", "a:b\\c"));
    // Settings in the URL override the service's settings.
    let login = read("postgres://bob:own@db.example/x?service=club").unwrap();
    assert_eq!((login.user.as_str(), login.password.expose(), login.database.as_str()), ("bob", "own", "x"));
    assert_eq!(read("postgres://bob@db.example/x").unwrap().password.expose(), "any");
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_standby_is_for_reads_only() {
    let text = Secret::new("postgres://u@a,b/app?target_session_attrs=standby");
    assert!(Login::from_libpq(&text, &|_| None).unwrap_err().to_string().contains("Cloch writes"));
    let environment = |name: &str| (name == "PGTARGETSESSIONATTRS").then(|| "read-write".to_owned());
    for text in ["postgres://u@a,b/app?target_session_attrs=standby", "postgres://u@a,b/app"] {
        let login = Login::of_standby(&Secret::new(text), &environment).unwrap();
        assert_eq!(login.session_attributes, SessionAttributes::Standby, "{text}");
    }
}
