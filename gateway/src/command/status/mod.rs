//! `cloch status`: prints URLs and keys under the names that `supabase status` uses, the state of a stopped server, or the health of a
//! remote server.

mod at_rest;
mod overview;
mod remote;

use std::fmt;
use std::process::ExitCode;
use std::time::Duration;

use clap::{Args, ValueEnum};
use cloch_core::Secret;
use http::StatusCode;
use sqlx::{ConnectOptions, Connection};
use url::Url;

use super::print;
use crate::config::{Config, Flags, Secrets};
use crate::dashboard::{Keys, first_link};
use crate::data_dir_lock::DataDirLock;
use crate::database;
use crate::error::CommandError;

pub(super) use overview::{Overview, Shown};

/// Width in characters of the labels at the start of the lines.
pub(super) const LABEL_WIDTH: usize = 19;
/// Timeout of the request to the server's /health.
const STATUS_TIMEOUT: Duration = Duration::from_secs(5);

/// Shows the project's URLs and keys.
#[derive(Args)]
pub struct Status {
    #[command(flatten)]
    flags: Flags,
    /// Output format
    #[arg(short, long, value_enum, default_value_t = Output::Pretty)]
    output: Output,
    /// Show the health of the server at this URL instead of the project's own server, with the secret key in CLOCH_SERVICE_ROLE_KEY
    #[arg(long, conflicts_with_all = ["project", "data", "host", "port", "cli_keys"])]
    url: Option<Url>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Output {
    /// A table for people.
    Pretty,
    /// NAME="value" lines for a shell.
    Env,
    /// Output as one JSON object.
    Json,
}

impl Status {
    /// Prints URLs and keys. Fails if the server is not running, as `supabase status` does.
    pub(super) async fn run(self) -> Result<ExitCode, CommandError> {
        if let Some(url) = &self.url {
            return remote::run(url, self.output).await;
        }
        let config = Config::load_of_running(&self.flags)?;
        let secrets = Secrets::load(&config.secrets_file())?
            .ok_or("this project was never started: `cloch start` makes its keys")?
            .overridden(config.effective_keys())?;
        let link = first_operator_link(&config, &secrets).await?;
        let overview = Overview::of(&config, &secrets)?.with_dashboard_link(&config.url(""), link.as_ref());
        let server = Server::of(&config).await;
        match self.output {
            Output::Pretty => {
                let left = if matches!(server, Server::Stopped) { at_rest::text(&config) } else { String::new() };
                print::line(format!(
                    "{:>LABEL_WIDTH$}  {server}\n{left}{}",
                    "Server",
                    overview.text(Shown::Everything)
                ))?;
            }
            Output::Env => {
                for (name, value) in &overview.entries {
                    print::line(format!("{name}=\"{value}\""))?;
                }
            }
            Output::Json => {
                let object: serde_json::Map<_, _> = overview
                    .entries
                    .into_iter()
                    .map(|(name, value)| (name.to_owned(), serde_json::Value::String(value)))
                    .collect();
                print::line(serde_json::to_string_pretty(&object)?)?;
            }
        }
        if matches!(server, Server::Stopped) {
            return Err(format!("the server is not running (data folder {})", config.data.display()).into());
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Returns the link for the dashboard's first operator. `None` if the database is not running or has operators, or if the dashboard is
/// disabled.
async fn first_operator_link(config: &Config, secrets: &Secrets) -> Result<Option<Secret>, CommandError> {
    if !config.cloch.dashboard.enabled {
        return Ok(None);
    }
    let login = database::logins(config, secrets).operators;
    let Ok(mut connection) = login.sqlx_options().connect().await else { return Ok(None) };
    // The database of an older program version may lack the operators' table.
    let link = first_link(&mut connection, &Keys::new(secrets.dashboard_key()?)).await.ok().flatten();
    connection.close().await?;
    Ok(link)
}

/// Whether the project's server is running on this machine.
enum Server {
    Stopped,
    /// A process has locked the data folder. `health` is the HTTP status of its /health; `None` if the request failed.
    Running {
        process: String,
        health: Option<StatusCode>,
    },
}

impl Server {
    async fn of(config: &Config) -> Self {
        let Some(process) = DataDirLock::holder(&config.data) else { return Self::Stopped };
        Self::Running { process, health: health(config).await.ok() }
    }
}

async fn health(config: &Config) -> reqwest::Result<StatusCode> {
    let client = reqwest::Client::builder().no_proxy().timeout(STATUS_TIMEOUT).build()?;
    Ok(client.get(config.local_url("/health")).send().await?.status())
}

impl fmt::Display for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stopped => f.write_str("not running"),
            Self::Running { process, health: Some(StatusCode::OK) } => write!(f, "running (process {process})"),
            Self::Running { process, health: Some(_) } => write!(f, "running (process {process}), not ready"),
            Self::Running { process, health: None } => {
                write!(f, "process {process} uses the data folder; nothing answers on this address")
            }
        }
    }
}
