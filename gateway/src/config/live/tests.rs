//! Tests of the values that a running server applies.

use std::path::PathBuf;

use crate::config::{Config, ConfigFile, Flags, LiveKeys};

struct Project(PathBuf);

impl Drop for Project {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

impl Project {
    fn new() -> Self {
        let folder = std::env::temp_dir().join(format!("cloch-live-{}", uuid::Uuid::new_v4().simple()));
        std::fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    fn read(&self, config: &str, cloch: &str) -> Config {
        std::fs::write(self.0.join("config.toml"), config).unwrap();
        std::fs::write(self.0.join("cloch.toml"), cloch).unwrap();
        let flags = Flags { project: Some(self.0.clone()), ..Flags::default() };
        Config::read(&flags, |_| None).unwrap()
    }
}

#[test]
fn live_keys_get_new_values_and_all_others_wait() {
    let project = Project::new();
    let running = project.read("[api]\nmax_rows = 5\nschemas = [\"public\"]\n[auth]\njwt_expiry = 60\n", "");
    let next = project.read(
        "[api]\nmax_rows = 6\nschemas = [\"other\"]\n[auth.email.smtp]\nhost = \"mail.example\"\nadmin_email = \"a@b.example\"\n\
         [auth.oauth_server]\nenabled = true\n",
        "[limits.realtime]\nchannels_per_socket = 7\nheld_per_socket = \"1MiB\"\n[storage.buckets.a]\nstrip_metadata = true\n",
    );
    let applied = running.with_live_values_of(&next).unwrap();
    assert_eq!((applied.file.api.max_rows, applied.file.auth.jwt_expiry), (6, 3600));
    assert_eq!(applied.file.api.schemas, ["public"]);
    assert_eq!(applied.file.auth.email.smtp.as_ref().unwrap().host, "mail.example");
    assert!(!applied.file.auth.oauth_server.enabled);
    let limits = applied.cloch.limits.realtime;
    assert_eq!((limits.channels_per_socket, limits.held_per_socket.0), (7, 16 << 20));
    assert_eq!(
        running.tables.changed(&applied.tables),
        [
            "api.max_rows",
            "auth.email.smtp.admin_email",
            "auth.email.smtp.host",
            "auth.jwt_expiry",
            "limits.realtime.channels_per_socket",
            "storage.buckets.a.strip_metadata",
        ]
    );
    let waiting = ["api.schemas", "auth.oauth_server.enabled", "limits.realtime.held_per_socket"];
    assert_eq!(applied.tables.changed(&next.tables), waiting);
}

#[test]
fn a_section_that_is_gone_has_its_defaults_again() {
    let project = Project::new();
    let smtp = "[auth.email.smtp]\nhost = \"mail.example\"\nadmin_email = \"a@b.example\"\n";
    let (running, next) = (project.read(smtp, ""), project.read("", ""));
    let applied = running.with_live_values_of(&next).unwrap();
    assert!(applied.file.auth.email.smtp.is_none());
    assert!(applied.tables.changed(&next.tables).is_empty());
}

#[test]
fn a_key_that_other_parts_read_at_the_start_waits() {
    let project = Project::new();
    let local = project.read("[auth]\nsite_url = \"http://localhost:3000\"\n", "");
    let other = project.read("[auth]\nsite_url = \"http://localhost:4000\"\n", "");
    let public = project.read("[auth]\nsite_url = \"https://app.example\"\n", "");
    let is_live = |from, to| LiveKeys::of(from, to).contains(ConfigFile::ConfigToml, "auth.site_url");
    assert!(is_live(&local, &other) && is_live(&public, &public));
    assert!(!is_live(&local, &public) && !is_live(&public, &local));
    let club = project.read("[functions.validate-judging-password]\nverify_jwt = true\n", "");
    assert!(!is_live(&club, &other));
}

#[test]
fn keys_belong_to_their_file() {
    let keys = LiveKeys::default();
    assert!(keys.contains(ConfigFile::ClochToml, "storage.buckets.a.strip_metadata"));
    for (file, key) in [
        (ConfigFile::ConfigToml, "storage.buckets.a.public"),
        (ConfigFile::ConfigToml, "auth.emails.x"),
        (ConfigFile::ConfigToml, "auth.email"),
        (ConfigFile::ConfigToml, "auth.signing_keys_path"),
        (ConfigFile::ConfigToml, "auth.external_url"),
        (ConfigFile::ConfigToml, "db.port"),
        (ConfigFile::ClochToml, "auth.issuers"),
        (ConfigFile::ClochToml, "server.tls.key"),
    ] {
        assert!(!keys.contains(file, key), "{key}");
    }
}

#[test]
fn the_tables_are_not_printed() {
    let project = Project::new();
    let config = project.read("[auth.hook.send_sms]\nenabled = false\nsecrets = \"hunter2\"\n", "");
    assert!(!format!("{:?}", config.tables).contains("hunter2"));
}
