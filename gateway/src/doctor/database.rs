//! Checks PostgreSQL: its programs for the embedded database, or the server of `CLOCH_DB_URL`.

use std::path::Path;
use std::time::Duration;

use chrono::{DateTime, Utc};
use cloch_sql::database::Login;
use cloch_sql::embedded::{Account, Binaries};
use sqlx::{ConnectOptions, Connection, Row};

use super::Finding;
use crate::config::{Config, DatabaseChoice};

/// Timeout for a connection to an external server.
const TIMEOUT: Duration = Duration::from_secs(10);
/// Supported major versions of PostgreSQL.
const VERSIONS: std::ops::RangeInclusive<i32> = 15..=18;
/// Maximum difference in seconds between the clocks of this machine and of the database. The expiry of tokens and the rate limits depend on
/// both clocks.
const MAX_CLOCK_DIFFERENCE_SECONDS: i64 = 5;

pub(super) async fn examine(config: &Config) -> Vec<Finding> {
    match &config.database {
        DatabaseChoice::External(login) => external(login).await,
        DatabaseChoice::Embedded { binaries, .. } => {
            let programs = embedded(config, binaries.as_deref());
            place(config).into_iter().chain([programs]).collect()
        }
    }
}

/// Checks that the database is in the data folder, or that it can be created there. Returns `None` if there is no problem.
fn place(config: &Config) -> Option<Finding> {
    // If the path of the data folder is a file, the check of the data folder reports this problem.
    if config.data.is_file() {
        return None;
    }
    let wanted = config.data.join("db");
    match Account::choose().cluster_folder(&wanted) {
        Err(error) => Some(Finding::problem("database", error.to_string(), "docs/operations/move.md")),
        Ok(folder) if wanted.is_symlink() => {
            let seen = format!("{} is a link: the database is in {}", wanted.display(), folder.display());
            let remedy =
                "a copy of the data folder lacks the database; docs/operations/move.md moves it into the folder";
            Some(Finding::warning("database", seen, remedy))
        }
        Ok(_) => None,
    }
}

fn embedded(config: &Config, folder: Option<&Path>) -> Finding {
    let cluster = std::fs::read_to_string(config.data.join("db/PG_VERSION")).ok();
    let cluster = cluster.as_deref().map(str::trim);
    match Binaries::find_in(folder, cluster) {
        Err(error) => {
            Finding::problem("PostgreSQL", error.to_string(), "apt install postgresql, or set CLOCH_POSTGRES_BIN")
        }
        Ok(found) => match cluster {
            Some(made_by) if made_by != found.version => {
                let seen =
                    format!("the data was made by PostgreSQL {made_by}, and only {} is installed", found.version);
                Finding::problem("PostgreSQL", seen, format!("apt install postgresql-{made_by}"))
            }
            _ if Account::choose().must_reach(&found.folder).is_err() => {
                let seen = format!("{} is closed to the account that runs PostgreSQL for root", found.folder.display());
                Finding::problem("PostgreSQL", seen, "run cloch as another user than root, or apt install postgresql")
            }
            _ => {
                let database = config.data.join("db");
                let seen =
                    format!("{} in {}, database in {}", found.version, found.folder.display(), database.display());
                Finding::ok("PostgreSQL", seen)
            }
        },
    }
}

async fn external(login: &Login) -> Vec<Finding> {
    let asked = async {
        login.choose_host().await?;
        let mut connection = login.sqlx_options().connect().await?;
        let row = sqlx::query(
            "select current_setting('server_version_num')::int / 10000, clock_timestamp(),
                    pg_is_in_recovery() or current_setting('default_transaction_read_only')::bool",
        )
        .fetch_one(&mut connection)
        .await?;
        let seen: (i32, DateTime<Utc>, bool) = (row.try_get(0)?, row.try_get(1)?, row.try_get(2)?);
        let _ = connection.close().await;
        Ok::<_, sqlx::Error>(seen)
    };
    match tokio::time::timeout(TIMEOUT, asked).await {
        Ok(Ok((version, time, is_read_only))) => judge(version, time, is_read_only),
        Ok(Err(error)) => vec![unreachable(&error.to_string())],
        Err(_) => vec![unreachable(&format!("no answer within {} seconds", TIMEOUT.as_secs()))],
    }
}

fn judge(version: i32, time: DateTime<Utc>, is_read_only: bool) -> Vec<Finding> {
    let mut findings = vec![match VERSIONS.contains(&version) {
        true => Finding::ok("PostgreSQL", format!("{version} answers")),
        false => Finding::problem("PostgreSQL", format!("the server is version {version}"), "15 to 18 can be used"),
    }];
    if is_read_only {
        let remedy = "name the primary, or several hosts and target_session_attrs=read-write in CLOCH_DB_URL";
        findings.push(Finding::problem("PostgreSQL", "the server of CLOCH_DB_URL takes no writes", remedy));
    }
    let difference = (Utc::now() - time).num_seconds().abs();
    if difference > MAX_CLOCK_DIFFERENCE_SECONDS {
        let seen = format!("the database's clock differs by {difference} seconds");
        findings.push(Finding::problem("clock", seen, "set both clocks by NTP (timedatectl set-ntp true)"));
    }
    findings
}

fn unreachable(error: &str) -> Finding {
    let remedy = "check host, port, password and sslmode of CLOCH_DB_URL, and that the server admits this machine";
    Finding::problem("PostgreSQL", format!("the server of CLOCH_DB_URL cannot be used: {error}"), remedy)
}

#[cfg(test)]
mod tests {
    use super::super::Level;
    use super::*;

    #[test]
    fn an_old_server_a_standby_and_a_wrong_clock_are_problems() {
        let problems = |findings: Vec<Finding>| findings.iter().filter(|found| found.level == Level::Problem).count();
        assert_eq!(problems(judge(15, Utc::now(), false)), 0);
        assert_eq!(problems(judge(14, Utc::now(), false)), 1);
        assert_eq!(problems(judge(16, Utc::now(), true)), 1);
        assert_eq!(problems(judge(17, Utc::now() - chrono::TimeDelta::minutes(2), false)), 1);
    }
}
