//! `cloch operators`: lists the dashboard's operators and creates password links, for administrators of the machine who cannot sign in to
//! the dashboard.

use clap::{Args, Subcommand};
use sqlx::PgPool;

use super::db::{require_database, with_logins};
use super::print;
use crate::config::{Config, Flags};
use crate::dashboard::{Keys, link_for, make_first_link};
use crate::error::CommandError;
use crate::logging;

/// Lists the dashboard's operators, or creates a link for an operator.
#[derive(Args)]
pub struct Operators {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// List the operators
    List(Flags),
    /// Create a link with which an operator sets a new password; without an address, the link for the first operator
    Link {
        /// Mail address of the operator
        email: Option<String>,
        #[command(flatten)]
        flags: Flags,
    },
}

impl Operators {
    pub(super) async fn run(self) -> Result<(), CommandError> {
        let (Action::List(flags) | Action::Link { flags, .. }) = &self.action;
        let config = Config::load_of_running(flags)?;
        let _flush_guard = logging::start(config.log.as_deref(), config.log_json)?;
        require_database(&config)?;
        let keys = Keys::new(config.secrets()?.dashboard_key()?);
        with_logins(&config, async |logins| {
            let pool = PgPool::connect_with(logins.operators.sqlx_options()).await?;
            let done = match &self.action {
                Action::List(_) => list(&pool).await,
                Action::Link { email: None, .. } => {
                    let made = make_first_link(&pool, &keys).await?;
                    let path = made.ok_or("there are operators: name the one whom the link is for")?;
                    print::line(config.url(path.expose())).map_err(Into::into)
                }
                Action::Link { email: Some(email), .. } => {
                    let made = link_for(&pool, &keys, email).await?;
                    let path = made.ok_or_else(|| format!("there is no operator {email}, or it is disabled"))?;
                    print::line(config.url(path.expose())).map_err(Into::into)
                }
            };
            pool.close().await;
            done
        })
        .await
    }
}

async fn list(pool: &PgPool) -> Result<(), CommandError> {
    let operators: Vec<(String, String, bool)> =
        sqlx::query_as("select email, role, disabled from cloch.operators order by created_at").fetch_all(pool).await?;
    if operators.is_empty() {
        print::line("There are no operators yet: `cloch operators link` prints the link for the first one")?;
    }
    for (email, role, disabled) in operators {
        print::line(format!("{role:<9} {email}{}", if disabled { "  (disabled)" } else { "" }))?;
    }
    Ok(())
}
