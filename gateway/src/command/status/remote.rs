//! `cloch status --url`: reads /health and /metrics of a server over HTTP with its secret key.

use std::net::IpAddr;
use std::process::ExitCode;
use std::time::Duration;

use chrono::{DateTime, Utc};
use cloch_backup::status::Status;
use cloch_core::Secret;
use cloch_sql::caller;
use http::StatusCode;
use reqwest::redirect;
use serde::Deserialize;
use url::{Host, Url};

use super::at_rest::shown;
use super::{LABEL_WIDTH, Output};
use crate::command::print;
use crate::error::{CommandError, innermost};

/// Timeout of each request. It is longer than 5 s, the time for which /metrics waits for the database.
const TIMEOUT: Duration = Duration::from_secs(8);

/// Environment variables with the secret key (or the legacy `service_role` key), in order of precedence.
const KEY_VARIABLES: [&str; 2] = ["CLOCH_SERVICE_ROLE_KEY", "SUPABASE_SERVICE_ROLE_KEY"];

/// Response of /health.
#[derive(Debug, Default, Deserialize)]
struct Health {
    status: String,
    reason: Option<String>,
    message: Option<String>,
    backup: Option<Status>,
}

/// Prints the server's state and metrics; fails unless the server is ready.
pub(super) async fn run(url: &Url, output: Output) -> Result<ExitCode, CommandError> {
    let key = key(|name| std::env::var(name).ok())?;
    may_be_told(url)?;
    // Redirects are not followed, because they could send the key to another server.
    let client = reqwest::Client::builder().timeout(TIMEOUT).redirect(redirect::Policy::none()).build()?;
    let (status, text) = ask(&client, url, "/health", &key).await?;
    let health: Health =
        serde_json::from_str(&text).map_err(|_| format!("{url}: /health answered {status}, and not as Cloch does"))?;
    let ready = status == StatusCode::OK && health.status == "ok";
    let facts = match ask(&client, url, "/metrics", &key).await {
        Ok((StatusCode::OK, text)) => facts(&text),
        Ok((StatusCode::UNAUTHORIZED, _)) => {
            return Err(
                format!("{url}: the server does not know this secret key, or answers none ([metrics] access)").into()
            );
        }
        // The metrics need a database that responds, so an error of the metrics request is ignored if the server is not ready.
        Err(error) if ready => return Err(error),
        _ => Vec::new(),
    };
    print::line(written(&entries(url, &health, facts), output)?)?;
    Ok(if ready { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn key(variable: impl Fn(&str) -> Option<String>) -> Result<Secret, CommandError> {
    let found = KEY_VARIABLES.iter().find_map(|name| variable(name).filter(|value| !value.is_empty()));
    let [first, ..] = KEY_VARIABLES;
    Ok(Secret::new(found.ok_or_else(|| format!("--url needs the server's secret key: set {first}"))?))
}

/// Refuses to send the key by plain HTTP to public addresses: the secret key bypasses row-level security.
fn may_be_told(url: &Url) -> Result<(), CommandError> {
    let is_near = match url.host() {
        Some(Host::Ipv4(address)) => address.is_loopback() || address.is_private(),
        Some(Host::Ipv6(address)) => IpAddr::V6(address).is_loopback() || address.is_unique_local(),
        Some(Host::Domain(name)) => caller::is_this_machine(name),
        None => false,
    };
    match url.scheme() {
        "https" => Ok(()),
        "http" if is_near => Ok(()),
        "http" => Err(format!("{url}: the secret key would be sent in the clear: use https").into()),
        _ => Err(format!("{url} is no address of a server: write https://…").into()),
    }
}

async fn ask(
    client: &reqwest::Client,
    url: &Url,
    path: &str,
    key: &Secret,
) -> Result<(StatusCode, String), CommandError> {
    let mut asked = url.clone();
    asked.set_path(&format!("{}{path}", url.path().trim_end_matches('/')));
    let request = client.get(asked).header("apikey", key.expose()).bearer_auth(key.expose());
    let response = request.send().await.map_err(|error| {
        format!(
            "{url} does not answer: {}; start the server there, or check the URL and the network",
            innermost(&error)
        )
    })?;
    let status = response.status();
    let text = response.text().await.map_err(|error| format!("{url}: {path}: {}", innermost(&error)))?;
    Ok((status, text))
}

/// One line of the output: its name in the formats `env` and `json`, its label in the table, and its value.
type Entry = (&'static str, &'static str, Fact);

/// A value in the output: sizes have a unit in the table, and are numbers in the other formats.
enum Fact {
    Text(String),
    Number(f64),
    Bytes(f64),
}

impl Fact {
    fn for_people(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Number(number) => number.to_string(),
            Self::Bytes(bytes) => size(*bytes),
        }
    }

    fn for_programs(&self) -> serde_json::Value {
        match self {
            Self::Text(text) => text.clone().into(),
            #[expect(clippy::cast_possible_truncation, reason = "counts and sizes are whole numbers below 2^53")]
            Self::Number(number) | Self::Bytes(number) => (*number as i64).into(),
        }
    }
}

fn entries(url: &Url, health: &Health, facts: Vec<Entry>) -> Vec<Entry> {
    let state = match (health.status.as_str(), &health.reason, &health.message) {
        ("ok", ..) => "ready".to_owned(),
        (_, Some(reason), Some(message)) => format!("not ready ({reason}: {message})"),
        _ => "not ready".to_owned(),
    };
    let mut all = vec![("API_URL", "Server", Fact::Text(url.to_string())), ("STATE", "State", Fact::Text(state))];
    all.extend(facts);
    if let Some(backup) = &health.backup {
        let until = backup.restorable_until.map_or_else(|| "nothing yet".to_owned(), shown);
        all.push(("BACKUP_UNTIL", "Restorable up to", Fact::Text(until)));
        all.extend(backup.last_good_drill.map(|drill| ("BACKUP_DRILL", "Last good drill", Fact::Text(shown(drill)))));
        all.extend(
            backup
                .failure
                .as_ref()
                .map(|failure| ("BACKUP_FAILURE", "Backup fails", Fact::Text(failure.reason.clone()))),
        );
    }
    // Control characters are removed, so that the server cannot send escape sequences to the terminal.
    for (.., fact) in &mut all {
        if let Fact::Text(text) = fact {
            text.retain(|letter| !letter.is_control());
        }
    }
    all
}

/// Extracts the most important values from the text of /metrics.
fn facts(metrics: &str) -> Vec<Entry> {
    let value = |name: &str| sum(metrics, name);
    let mut facts = Vec::new();
    let version = metrics.lines().find_map(|line| line.strip_prefix("cloch_build_info{")?.split('"').nth(1));
    facts.extend(version.map(|version| ("VERSION", "Version", Fact::Text(version.to_owned()))));
    #[expect(clippy::cast_possible_truncation, reason = "seconds since 1970")]
    let started =
        value("process_start_time_seconds").and_then(|seconds| DateTime::<Utc>::from_timestamp(seconds as i64, 0));
    facts.extend(started.map(|at| ("STARTED", "Started", Fact::Text(shown(at)))));
    if value("cloch_postgres_up") == Some(1.0) {
        let connections = value("cloch_postgres_connections").unwrap_or_default();
        let most = value("cloch_postgres_max_connections").unwrap_or_default();
        facts.push(("CONNECTIONS", "Connections", Fact::Text(format!("{connections} of {most}"))));
    } else {
        facts.push(("CONNECTIONS", "Connections", Fact::Text("PostgreSQL does not answer".to_owned())));
    }
    facts.extend(value("cloch_replica_up").map(|up| {
        let behind = value("cloch_replica_lag_seconds").unwrap_or_default();
        let state = if up > 0.0 { format!("{behind:.1} s behind") } else { "not used: the log says why".to_owned() };
        ("REPLICA", "Replica", Fact::Text(state))
    }));
    let bytes = [
        ("DATABASE_BYTES", "Database", "cloch_postgres_size_bytes"),
        ("MEMORY_BYTES", "Memory", "process_resident_memory_bytes"),
        ("DISK_FREE_BYTES", "Disk free", "cloch_data_free_bytes"),
    ];
    facts
        .extend(bytes.into_iter().filter_map(|(name, label, series)| Some((name, label, Fact::Bytes(value(series)?)))));
    let numbers = [
        ("REQUESTS_IN_FLIGHT", "Requests now", "cloch_http_requests_in_flight"),
        ("MAILS_WAITING", "Mails waiting", "cloch_mails_waiting"),
    ];
    facts.extend(
        numbers.into_iter().filter_map(|(name, label, series)| Some((name, label, Fact::Number(value(series)?)))),
    );
    facts
}

/// Returns the sum of all samples of a metric, or `None` if it has no samples.
fn sum(metrics: &str, name: &str) -> Option<f64> {
    let samples = metrics.lines().filter_map(|line| {
        let rest = line.strip_prefix(name)?;
        rest.starts_with([' ', '{']).then(|| rest.rsplit(' ').next()?.parse::<f64>().ok()).flatten()
    });
    samples.fold(None, |sum, sample| Some(sum.unwrap_or(0.0) + sample))
}

fn size(bytes: f64) -> String {
    format!("{:.0} MB", bytes / 1e6)
}

/// Escapes a value for double quotes of a shell, so that the shell does not execute the server's text.
fn quoted(value: &str) -> String {
    let mut text = String::with_capacity(value.len());
    for letter in value.chars() {
        if matches!(letter, '"' | '\\' | '$' | '`') {
            text.push('\\');
        }
        text.push(letter);
    }
    text
}

fn written(entries: &[Entry], output: Output) -> Result<String, CommandError> {
    let line = |format: fn(&Entry) -> String| entries.iter().map(format).collect::<Vec<_>>().join("\n");
    Ok(match output {
        Output::Pretty => line(|(_, label, value)| format!("{label:>LABEL_WIDTH$}  {}", value.for_people())),
        Output::Env => line(|(name, _, value)| match value {
            Fact::Text(text) => format!("{name}=\"{}\"", quoted(text)),
            number => format!("{name}={}", number.for_programs()),
        }),
        Output::Json => {
            let object = entries.iter().map(|(name, _, value)| ((*name).to_owned(), value.for_programs()));
            serde_json::to_string_pretty(&object.collect::<serde_json::Map<_, serde_json::Value>>())?
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_is_not_sent_in_the_clear() {
        for url in [
            "http://club.example",
            "http://203.0.113.7:54321",
            "ftp://127.0.0.1",
            "file:///etc/passwd",
            "http://[2001:db8::1]",
        ] {
            assert!(may_be_told(&url.parse().unwrap()).is_err(), "{url}");
        }
        for url in
            ["https://club.example", "http://127.0.0.1:54321", "http://localhost", "http://10.0.0.5", "http://[::1]:1"]
        {
            assert!(may_be_told(&url.parse().unwrap()).is_ok(), "{url}");
        }
    }

    #[test]
    fn a_key_is_needed() {
        assert!(key(|_| None).is_err());
        assert!(key(|_| Some(String::new())).is_err());
        assert_eq!(key(|name| (name == "SUPABASE_SERVICE_ROLE_KEY").then(|| "k".to_owned())).unwrap().expose(), "k");
    }

    #[test]
    fn what_a_server_says_is_no_command() {
        let health = Health {
            reason: Some("x".to_owned()),
            message: Some("\u{1b}[2J$(reboot)\"\n`".to_owned()),
            ..Health::default()
        };
        let entries = entries(&"https://a.example".parse().unwrap(), &health, Vec::new());
        let text = written(&entries, Output::Env).unwrap();
        assert!(text.ends_with(r#"STATE="not ready (x: [2J\$(reboot)\"\`)""#), "{text}");
    }

    #[test]
    fn samples_are_added_and_other_series_are_not() {
        let text = "# TYPE a gauge\na{x=\"1\"} 2\na{x=\"2 3\"} 3\na_more 7\n";
        assert_eq!((sum(text, "a"), sum(text, "b")), (Some(5.0), None));
    }
}
