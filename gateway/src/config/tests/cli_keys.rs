//! Tests that each key of config.toml that the Supabase CLI knows is read, refused, or named in a warning with its consequence.

use super::*;
use crate::config::sections::without_effect::is_listed;

/// Keys that the Supabase CLI knows, written by `scripts/config-keys`.
const KEYS: &str = include_str!("cli_keys.txt");

/// Values of all types. A value of the wrong type is refused.
const SAMPLES: [&str; 8] = ["true", "false", "7", "\"x\"", "[\"x\"]", "\"1s\"", "{ a = \"x\" }", "[]"];

/// Replaces `*` in the key by a name.
fn with_names(key: &str) -> String {
    key.replace("auth.email.template.*", "auth.email.template.invite")
        .replace("auth.email.notification.*", "auth.email.notification.password_changed")
        .replace("auth.sms.test_otp.*", "auth.sms.test_otp.14152127777")
        .replace('*', "a")
}

fn read(key: &str, value: &str) -> Result<Vec<String>, String> {
    let text = match key.rsplit_once('.') {
        Some((section, name)) => format!("[{section}]\n{name} = {value}\n"),
        None => format!("{key} = {value}\n"),
    };
    Folder::new(&text).read(&[]).map(|config| config.warnings)
}

#[test]
fn each_key_of_the_cli_is_read_refused_or_named_with_its_consequence() {
    let keys: Vec<&str> = KEYS.lines().filter(|line| !line.starts_with('#')).collect();
    assert!(keys.len() > 400, "{} keys", keys.len());
    for pattern in keys {
        let key = with_names(pattern);
        let (mut is_read, mut is_named) = (false, false);
        for value in SAMPLES {
            let outcome = read(&key, value);
            let text = outcome.clone().map_or_else(|error| error, |warnings| warnings.join("\n"));
            let says_unknown = text.lines().any(|line| line.contains(&format!("the key {key} is unknown")));
            assert!(!says_unknown, "{key} = {value}: {text}");
            is_read |= outcome.is_ok();
            is_named |= text.lines().filter_map(|line| line.split_once(" has no effect: ")).any(|(named, _)| {
                let named = named.rsplit(' ').next().unwrap_or_default();
                key.strip_prefix(named).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            });
            if is_named || (is_read && !is_listed(&key)) {
                break;
            }
        }
        assert!(is_named || !is_listed(&key), "{key} has no effect, and no warning says so");
    }
}

/// Each field whose doc comment contains "of no effect" must have a consequence in the table.
#[test]
fn each_key_that_nothing_reads_has_a_consequence() {
    let (mut section, mut is_unused) = (String::new(), false);
    for line in include_str!("../sections/config_toml.rs").lines().map(str::trim) {
        if let Some((opened, _)) = line.strip_prefix("/// `[").and_then(|rest| rest.split_once("]`"))
            && line.ends_with("]`")
        {
            section = format!("{opened}.");
        } else if line.starts_with("/// The whole file") {
            section.clear();
        }
        if line.starts_with("///") {
            is_unused |= line.to_lowercase().contains("of no effect");
        } else if let Some((name, _)) = line.strip_prefix("pub ").and_then(|rest| rest.split_once(':')) {
            let key = format!("{section}{name}");
            assert!(!is_unused || is_listed(&key) || has_listed_keys(&key), "{key} has no effect, but no consequence");
            is_unused = false;
        } else if !line.starts_with("#[") {
            is_unused = false;
        }
    }
}

/// Whether all keys of the section are listed one by one.
fn has_listed_keys(section: &str) -> bool {
    KEYS.lines().filter(|key| key.strip_prefix(section).is_some_and(|rest| rest.starts_with('.'))).all(is_listed)
}

/// The config.toml that `supabase init` writes must cause no warning.
#[test]
fn the_template_of_the_cli_causes_no_warning() {
    let template = "
        [api.tls]
        enabled = false
        [db]
        shadow_port = 54320
        health_timeout = \"2m\"
        major_version = 17
        orioledb_version = \"\"
        [db.pooler]
        enabled = false
        port = 54329
        pool_mode = \"transaction\"
        default_pool_size = 20
        max_client_conn = 100
        [db.migrations]
        schema_paths = []
        [db.network_restrictions]
        enabled = false
        allowed_cidrs = [\"0.0.0.0/0\"]
        allowed_cidrs_v6 = [\"::/0\"]
        [studio]
        enabled = true
        port = 54323
        api_url = \"http://127.0.0.1\"
        [local_smtp]
        enabled = true
        port = 54324
        [storage.analytics]
        enabled = false
        max_namespaces = 5
        max_tables = 10
        max_catalogs = 2
        [storage.vector]
        enabled = true
        max_buckets = 10
        max_indexes = 5
        [edge_runtime]
        policy = \"per_worker\"
        inspector_port = 8083
        deno_version = 2
        [analytics]
        enabled = true
        port = 54327
        backend = \"postgres\"
        [experimental]
        orioledb_version = \"\"
        [experimental.pgdelta]
        enabled = true
    ";
    assert_eq!(Folder::new(template).read(&[]).unwrap().warnings, [""; 0]);
    let warnings =
        Folder::new("[remotes.staging]\nproject_id = \"x\"\n[studio]\nport = 1\n").read(&[]).unwrap().warnings;
    assert!(
        warnings.iter().any(|warning| warning.contains("remotes.staging has no effect: settings of a branch")),
        "{warnings:?}"
    );
    assert!(
        warnings.iter().any(|warning| warning.contains("line 4: studio.port has no effect: the dashboard is at /_/")),
        "{warnings:?}"
    );
}
