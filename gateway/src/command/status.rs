//! `cloch status`: URLs and keys, under the names that `supabase status` uses.

use std::fmt;

use clap::{Args, ValueEnum};
use cloch_sql::database::Address;

use super::CommandError;
use crate::config::{Config, DatabaseChoice, Flags, Secrets};

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
    pub(super) fn run(self) -> Result<(), CommandError> {
        let config = Config::load(&self.flags)?;
        let secrets = Secrets::load(&config.secrets_file())?
            .ok_or("this project was never started: `cloch start` makes its keys")?
            .overridden(&config.key_overrides)?;
        let overview = Overview::of(&config, &secrets);
        match self.output {
            Output::Pretty => println!("{overview}"),
            Output::Env => overview.entries.iter().for_each(|(name, value)| println!("{name}=\"{value}\"")),
            Output::Json => {
                let object: serde_json::Map<_, _> = overview
                    .entries
                    .into_iter()
                    .map(|(name, value)| (name.to_owned(), serde_json::Value::String(value)))
                    .collect();
                println!("{}", serde_json::to_string_pretty(&object)?);
            }
        }
        Ok(())
    }
}

/// URLs and keys in the order they are shown.
pub(super) struct Overview {
    entries: Vec<(&'static str, String)>,
}

impl Overview {
    pub(super) fn of(config: &Config, secrets: &Secrets) -> Self {
        let entries = vec![
            ("API_URL", config.url("")),
            ("REST_URL", config.url("/rest/v1")),
            ("FUNCTIONS_URL", config.url("/functions/v1")),
            ("STORAGE_S3_URL", config.url("/storage/v1/s3")),
            ("INBUCKET_URL", config.url("/_/inbox")),
            ("DB_URL", database_url(config, secrets)),
            ("PUBLISHABLE_KEY", secrets.publishable_key.clone()),
            ("SECRET_KEY", secrets.secret_key.clone()),
            ("JWT_SECRET", secrets.jwt_secret.clone()),
            ("ANON_KEY", secrets.anon_key.clone()),
            ("SERVICE_ROLE_KEY", secrets.service_role_key.clone()),
            ("S3_PROTOCOL_ACCESS_KEY_ID", secrets.s3_access_key.clone()),
            ("S3_PROTOCOL_ACCESS_KEY_SECRET", secrets.s3_secret_key.clone()),
            ("S3_PROTOCOL_REGION", "local".to_owned()),
        ];
        Self { entries }
    }
}

impl fmt::Display for Overview {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = [
            ("API_URL", "Web and API"),
            ("INBUCKET_URL", "Inbox"),
            ("DB_URL", "Database"),
            ("PUBLISHABLE_KEY", "Publishable key"),
            ("SECRET_KEY", "Secret key"),
            ("ANON_KEY", "anon key"),
            ("SERVICE_ROLE_KEY", "service_role key"),
        ];
        for (name, label) in shown {
            if let Some((_, value)) = self.entries.iter().find(|(known, _)| *known == name) {
                writeln!(f, "{label:>18}  {value}")?;
            }
        }
        write!(f, "{:>18}  `cloch status -o env` prints all of them", "")
    }
}

fn database_url(config: &Config, secrets: &Secrets) -> String {
    match &config.database {
        DatabaseChoice::Embedded { port, .. } => {
            format!("postgresql://postgres:{}@127.0.0.1:{port}/postgres", secrets.database.postgres)
        }
        // The operator knows the password of their own server; it is not repeated.
        DatabaseChoice::External(login) => {
            let host = match &login.address {
                Address::Host(host) => host.clone(),
                Address::Socket(folder) => folder.display().to_string(),
            };
            format!("postgresql://{}@{host}:{}/{}", login.user, login.port, login.database)
        }
    }
}
