//! Tests of the list of settings.

use std::collections::HashSet;
use std::path::PathBuf;

use super::super::{edit, value};
use super::*;
use crate::config::{ChangedFiles, Flags};

struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn project() -> (Folder, Config) {
    let folder = std::env::temp_dir().join(format!("cloch-settings-{}", uuid::Uuid::new_v4().simple()));
    std::fs::create_dir_all(folder.join("functions/hello")).unwrap();
    std::fs::write(folder.join("functions/hello/index.ts"), "").unwrap();
    std::fs::write(folder.join("config.toml"), "[auth.external.sso]\nenabled = false\n").unwrap();
    let flags = Flags { project: Some(folder.clone()), ..Flags::default() };
    let config = Config::read(&flags, |_| None).unwrap();
    (Folder(folder), config)
}

/// Returns a valid value that differs from the setting's default `value`.
fn other(kind: Kind, value: &Value) -> Value {
    match kind {
        Kind::Switch => json!(value != &json!(true)),
        Kind::Count { min, max } => {
            let number = value.as_i64().unwrap_or(min);
            json!(if number < max { number + 1 } else { number - 1 })
        }
        Kind::Size => json!("7MiB"),
        Kind::Duration => json!("7m"),
        Kind::Url => json!("https://other.example"),
        Kind::Choice { choices } => json!(choices.iter().rfind(|choice| value != &json!(choice)).unwrap()),
        Kind::List => json!(["other"]),
        Kind::Ignored => json!([{ "lint": "table_bloat", "on": ["public.a"], "reason": "Small." }]),
        Kind::Lines | Kind::Template => json!("<p>other</p>\n<p title='{{ .Email }}'>\"\"\"</p>\n"),
        Kind::Text | Kind::Secret => json!("other"),
    }
}

/// Returns the other settings that config.toml must contain together with the setting `key`. The user name of a mail server requires a
/// password. An enabled provider requires a client id and a secret, an enabled hook a function or URL.
fn others(key: &str) -> String {
    if key == "auth.email.smtp.user" {
        return "[auth.email.smtp]\npass = \"aQ7!kelp-and-salt\"\n".to_owned();
    }
    if let Some(hook) = key.strip_prefix("auth.hook.").and_then(|rest| rest.strip_suffix(".enabled")) {
        return format!("[auth.hook.{hook}]\nuri = \"pg-functions://postgres/public/hook\"\n");
    }
    match key.strip_prefix("auth.external.").and_then(|rest| rest.strip_suffix(".enabled")) {
        Some(provider) => format!("[auth.external.{provider}]\nclient_id = \"an id\"\nsecret = \"a secret\"\n"),
        None => String::new(),
    }
}

#[test]
fn every_setting_is_written_to_its_file_and_read_back() {
    let (_folder, config) = project();
    let before = Files::of(&config);
    let mut keys = HashSet::new();
    for listed in all(&config).into_iter().flat_map(|(_, settings)| settings) {
        let key = listed.key();
        assert!(keys.insert((listed.spec.file, key.clone())), "{key} twice");
        assert!(!listed.label().is_empty() && !listed.label().contains('*'), "{key}");
        // The text of a mail template is in a file of its own.
        if listed.is_secret() || listed.is_template() {
            continue;
        }
        let changed = other(listed.spec.kind, &listed.read(before));
        let written = value::parse(listed.spec.kind, &changed).unwrap_or_else(|error| panic!("{key} {error}"));
        for key in listed.keys() {
            let text = edit::set(&others(&key), &key, written.clone()).unwrap();
            let mut files = ChangedFiles::default();
            match listed.spec.file {
                File::ConfigToml => files.config_toml = Some(cloch_core::Secret::new(text)),
                File::ClochToml => files.cloch_toml = Some(cloch_core::Secret::new(text)),
            }
            let next = Config::read_changed(&config.flags, |_| None, &files).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(listed.read(Files::of(&next)), changed, "{key}");
            assert!(!listed.is_same(before, Files::of(&next)), "{key}");
        }
    }
    assert!(keys.len() > 150, "{}", keys.len());
}

#[test]
fn names_of_functions_and_providers_are_part_of_keys() {
    let (_folder, config) = project();
    for key in [
        "functions.hello.verify_jwt",
        "auth.external.github.client_id",
        "auth.external.sso.enabled",
        "auth.hook.send_sms.uri",
    ] {
        assert!(find(&config, key).is_some(), "{key}");
    }
    for key in [
        "functions.other.verify_jwt",
        "auth.jwt_secret",
        "auth.external.*.enabled",
        "auth.hook.other.uri",
        "db.root_key",
        "",
    ] {
        assert!(find(&config, key).is_none(), "{key}");
    }
}

#[test]
fn the_value_of_a_secret_is_not_read() {
    let (_folder, config) = project();
    let text = "[auth.email.smtp]\nhost = \"a\"\nadmin_email = \"a@b.example\"\npass = \"hunter2\"\n";
    let files = ChangedFiles { config_toml: Some(cloch_core::Secret::new(text)), ..ChangedFiles::default() };
    let next = Config::read_changed(&config.flags, |_| None, &files).unwrap();
    let listed = find(&config, "auth.email.smtp.pass").unwrap();
    assert_eq!(listed.read(Files::of(&next)), Value::Null);
    assert!(listed.has_secret(Files::of(&next)) && !listed.has_secret(Files::of(&config)));
    assert!(!listed.is_same(Files::of(&config), Files::of(&next)));
}

#[test]
fn sizes_and_durations_have_the_largest_unit() {
    for (bytes, text) in [(0, "0"), (7, "7"), (1 << 10, "1KiB"), (50 << 20, "50MiB"), (3 << 40, "3TiB")] {
        assert_eq!(size(ByteSize(bytes)), text);
    }
    for (written, text) in [("0s", "0s"), ("90s", "90s"), ("60m", "1h"), ("1500ms", "1500ms"), ("120s", "2m")] {
        assert_eq!(duration(GoDuration::parse(written).unwrap()), text);
    }
}
