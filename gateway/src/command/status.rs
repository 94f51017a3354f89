//! `cloch status`: URLs and keys, under the names that `supabase status` uses.

use std::fmt;

use std::process::ExitCode;
use std::time::Duration;

use clap::{Args, ValueEnum};
use cloch_sql::Secret;
use http::StatusCode;
use sqlx::{ConnectOptions, Connection};

use super::print;
use crate::config::{Config, Flags, Secrets};
use crate::dashboard::{Keys, first_link};
use crate::data_dir_lock::DataDirLock;
use crate::database;
use crate::error::CommandError;

/// Timeout of the request for the server's readiness.
const STATUS_TIMEOUT: Duration = Duration::from_secs(5);

/// Shows the project's URLs and keys.
#[derive(Args)]
pub struct Status {
    #[command(flatten)]
    flags: Flags,
    /// How to print them
    #[arg(short, long, value_enum, default_value_t = Output::Pretty)]
    output: Output,
}

#[derive(Clone, Copy, ValueEnum)]
enum Output {
    /// A table for people.
    Pretty,
    /// NAME="value" lines for a shell.
    Env,
    /// One JSON object.
    Json,
}

impl Status {
    /// Prints URLs and keys; as `supabase status`, fails if the server does not run.
    pub(super) async fn run(self) -> Result<ExitCode, CommandError> {
        let config = Config::load(&self.flags)?;
        let secrets = Secrets::load(&config.secrets_file())?
            .ok_or("this project was never started: `cloch start` makes its keys")?
            .overridden(&config.key_overrides)?;
        let link = first_operator_link(&config, &secrets).await?;
        let overview = Overview::of(&config, &secrets)?.with_dashboard_link(&config.url(""), link.as_ref());
        let server = Server::of(&config).await;
        match self.output {
            Output::Pretty => print::line(format!("{:>18}  {server}\n{}", "Server", overview.text(Shown::Everything)))?,
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

/// The link for the dashboard's first operator, from a database that runs.
async fn first_operator_link(config: &Config, secrets: &Secrets) -> Result<Option<Secret>, CommandError> {
    if !config.cloch.dashboard.enabled {
        return Ok(None);
    }
    let login = database::logins(config, secrets).admin;
    let Ok(mut connection) = login.sqlx_options().connect().await else { return Ok(None) };
    // An older program's database has no operators.
    let link = first_link(&mut connection, &Keys::new(secrets.dashboard_key()?)).await.ok().flatten();
    connection.close().await?;
    Ok(link)
}

/// Whether the project's server runs on this machine.
enum Server {
    Stopped,
    /// A program has locked the data folder. Its status for /health: 200, another one, or none.
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

/// URLs and keys, in the order of their output.
pub(super) struct Overview {
    entries: Vec<(&'static str, String)>,
}

impl Overview {
    /// # Errors
    /// When the inbox key cannot be derived.
    pub(super) fn of(config: &Config, secrets: &Secrets) -> Result<Self, CommandError> {
        let entries = vec![
            ("API_URL", config.url("")),
            ("REST_URL", config.url("/rest/v1")),
            ("FUNCTIONS_URL", config.url("/functions/v1")),
            ("STORAGE_S3_URL", config.url("/storage/v1/s3")),
            ("STUDIO_URL", config.url("/_/")),
            ("INBUCKET_URL", config.url("/_/inbox")),
            ("INBOX_LINK", config.url(&format!("/_/inbox?key={}", secrets.inbox_key()?.expose()))),
            ("DB_URL", config.database_url(secrets)),
            ("PUBLISHABLE_KEY", secrets.publishable_key.clone()),
            ("SECRET_KEY", secrets.secret_key.clone()),
            ("JWT_SECRET", secrets.jwt_secret.clone()),
            ("ANON_KEY", secrets.anon_key.clone()),
            ("SERVICE_ROLE_KEY", secrets.service_role_key.clone()),
            ("PROJECT_REF", config.project_reference()),
            ("SUPABASE_ACCESS_TOKEN", secrets.access_token()?.expose().to_owned()),
            ("S3_PROTOCOL_ACCESS_KEY_ID", secrets.s3_access_key.clone()),
            ("S3_PROTOCOL_ACCESS_KEY_SECRET", secrets.s3_secret_key.clone()),
            ("S3_PROTOCOL_REGION", "local".to_owned()),
        ];
        Ok(Self { entries })
    }

    /// Adds the link for the first operator; its path is below the server's address.
    #[must_use]
    pub(super) fn with_dashboard_link(mut self, url: &str, path: Option<&Secret>) -> Self {
        self.entries.extend(path.map(|path| ("DASHBOARD_LINK", format!("{url}{}", path.expose()))));
        self
    }
}

/// The extent of the output.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Shown {
    Everything,
    /// Without secrets.
    Public,
}

impl Overview {
    /// The table that ends the start.
    pub(super) fn start_text(&self, shown: Shown, duration: Duration) -> String {
        format!(
            "{:>18}  cloch {}, after {:.1} s\n{}",
            "Ready",
            env!("CARGO_PKG_VERSION"),
            duration.as_secs_f64(),
            self.text(shown)
        )
    }

    /// A table for people.
    pub(super) fn text(&self, shown: Shown) -> String {
        let inbox = if shown == Shown::Everything { "INBOX_LINK" } else { "INBUCKET_URL" };
        let has_link = self.entries.iter().any(|(name, _)| *name == "DASHBOARD_LINK");
        let dashboard = if shown == Shown::Everything && has_link { "DASHBOARD_LINK" } else { "STUDIO_URL" };
        let rows = [
            ("API_URL", "Web and API", true),
            (dashboard, "Dashboard", true),
            (inbox, "Inbox", true),
            ("DB_URL", "Database", false),
            ("PUBLISHABLE_KEY", "Publishable key", true),
            ("SECRET_KEY", "Secret key", false),
            ("ANON_KEY", "anon key", true),
            ("SERVICE_ROLE_KEY", "service_role key", false),
        ];
        let rows = rows.into_iter().filter(|(_, _, is_public)| *is_public || shown == Shown::Everything);
        let mut lines: Vec<String> = rows
            .filter_map(|(name, label, _)| {
                let (_, value) = self.entries.iter().find(|(known, _)| *known == name)?;
                Some(format!("{label:>18}  {value}"))
            })
            .collect();
        lines.push(match shown {
            Shown::Everything => format!("{:>18}  `cloch status -o env` prints all of them", ""),
            Shown::Public => {
                let first = if has_link { "the link for the dashboard's first operator, " } else { "" };
                format!(
                    "{:>18}  `cloch status` shows {first}the secret keys, the inbox's link and the database's address",
                    ""
                )
            }
        });
        lines.join("\n")
    }
}
