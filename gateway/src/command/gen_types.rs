//! `cloch gen types typescript`: generates the `Database` type for supabase-js from the live schema.

use clap::{Args, Subcommand, ValueEnum};
use cloch_sql::types;
use sqlx::{ConnectOptions, Connection};

use super::db::with_logins;
use super::print;
use crate::config::{Config, Flags};
use crate::error::CommandError;

/// Generates code from the database.
#[derive(Args)]
pub struct Generate {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// Print the Database type for supabase-js to standard output
    Types {
        /// Language of the generated code
        #[arg(value_enum, default_value_t = Language::Typescript)]
        language: Language,
        /// Schemas, separated by commas [default: the exposed schemas]
        #[arg(long, value_delimiter = ',')]
        schema: Vec<String>,
        #[command(flatten)]
        flags: Flags,
    },
}

#[derive(Clone, Copy, ValueEnum)]
enum Language {
    /// The only supported language.
    Typescript,
}

impl Generate {
    pub(super) async fn run(self) -> Result<(), CommandError> {
        let What::Types { language: Language::Typescript, schema, flags } = self.what;
        let config = Config::load_of_running(&flags)?;
        let _flush_guard = crate::logging::start(config.log.as_deref(), config.log_json)?;
        let schemas = if schema.is_empty() { config.file.api.schemas.clone() } else { schema };
        with_logins(&config, async |logins| {
            let mut connection = logins.admin.sqlx_options().connect().await?;
            let source = types::typescript(&mut connection, &schemas).await?;
            connection.close().await?;
            print::line(source.trim_end())?;
            Ok(())
        })
        .await
    }
}
