//! The URLs and keys of a project, and the tables in which they are printed.

use std::time::Duration;

use cloch_core::Secret;
use cloch_sql::embedded::link_target;

use super::LABEL_WIDTH;
use crate::config::{Config, Secrets};
use crate::error::CommandError;

/// URLs and keys of a project, in the order in which they are printed.
pub(in crate::command) struct Overview {
    pub(super) entries: Vec<(&'static str, String)>,
    /// Text with the paths of the data folder and of the database.
    data: String,
}

impl Overview {
    /// Returns the URLs and keys of a project.
    ///
    /// # Errors
    /// When the inbox key cannot be derived.
    pub(in crate::command) fn of(config: &Config, secrets: &Secrets) -> Result<Self, CommandError> {
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
        Ok(Self { entries, data: data_text(config) })
    }

    /// Adds the link with which the dashboard's first operator signs up: the server's URL `url` followed by `path`. Adds nothing if `path` is
    /// `None`.
    #[must_use]
    pub(in crate::command) fn with_dashboard_link(mut self, url: &str, path: Option<&Secret>) -> Self {
        self.entries.extend(path.map(|path| ("DASHBOARD_LINK", format!("{url}{}", path.expose()))));
        self
    }
}

/// Whether the output includes secrets.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::command) enum Shown {
    Everything,
    /// Only URLs and public keys.
    Public,
}

impl Overview {
    /// Returns the table that is printed when the server has started.
    pub(in crate::command) fn start_text(&self, shown: Shown, duration: Duration) -> String {
        format!(
            "{:>LABEL_WIDTH$}  cloch {}, after {:.1} s\n{}",
            "Ready",
            env!("CARGO_PKG_VERSION"),
            duration.as_secs_f64(),
            self.text(shown)
        )
    }

    pub(in crate::command) fn text(&self, shown: Shown) -> String {
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
            ("ANON_KEY", "Legacy anon", true),
            ("SERVICE_ROLE_KEY", "Legacy service_role", false),
        ];
        let rows = rows.into_iter().filter(|(_, _, is_public)| *is_public || shown == Shown::Everything);
        let mut lines: Vec<String> = rows
            .filter_map(|(name, label, _)| {
                let (_, value) = self.entries.iter().find(|(known, _)| *known == name)?;
                Some(format!("{label:>LABEL_WIDTH$}  {value}"))
            })
            .collect();
        lines.push(format!("{:>LABEL_WIDTH$}  {}", "Data folder", self.data));
        lines.push(match shown {
            Shown::Everything => format!("{:>LABEL_WIDTH$}  `cloch status -o env` prints all of them", ""),
            Shown::Public => {
                let first = if has_link { "the link for the dashboard's first operator, " } else { "" };
                format!(
                    "{:>LABEL_WIDTH$}  `cloch status` shows {first}the secret keys, the inbox's link and the database's address",
                    ""
                )
            }
        });
        lines.join("\n")
    }
}

/// Returns the path of the data folder, and the path of the database if the database is elsewhere.
fn data_text(config: &Config) -> String {
    let (data, link) = (config.data.display(), config.data.join("db"));
    match link_target(&link).filter(|_| config.database_is_embedded()) {
        Some(target) => {
            let place = link.canonicalize().unwrap_or(target);
            format!("{data}, without the database: db is a link to {}", place.display())
        }
        None => data.to_string(),
    }
}
