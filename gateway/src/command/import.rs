//! `cloch import`: imports a Supabase project.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use cloch_core::Secret;
use url::Url;

use super::print;
use crate::config::{Config, Flags};
use crate::error::CommandError;
use crate::logging;
use crate::transfer::export::FILES_FOLDER;
use crate::transfer::files::{Access, value};
use crate::transfer::import::{From, Request, dry_run, import, source_login};

/// Imports a Supabase project: database, users, files. A repeated command continues where the first run was interrupted.
///
/// Secrets come from files or the environment (CLOCH_IMPORT_FROM, CLOCH_IMPORT_SERVICE_KEY, CLOCH_IMPORT_S3_SECRET,
/// CLOCH_IMPORT_JWT_SECRET, CLOCH_IMPORT_JWT_KEYS), because other users can read command lines.
#[derive(Args)]
pub struct Import {
    /// URL of the source's database; if it contains a password, better set CLOCH_IMPORT_FROM
    #[arg(long, value_name = "DB_URL", env = "CLOCH_IMPORT_FROM", hide_env_values = true)]
    from: Option<Secret>,
    /// Folder with the files of `supabase db dump` or `cloch export`: roles.sql, schema.sql, data.sql
    #[arg(long, conflicts_with = "from")]
    dir: Option<PathBuf>,
    /// URL of the source's API, to read its files with the secret key
    #[arg(long, value_name = "URL")]
    api: Option<Url>,
    /// File with the source's secret key, or its legacy service_role key [or CLOCH_IMPORT_SERVICE_KEY]
    #[arg(long, value_name = "FILE", requires = "api")]
    service_key: Option<PathBuf>,
    /// URL of the source's S3 endpoint, such as https://ref.storage.supabase.co/storage/v1/s3
    #[arg(long, value_name = "URL", conflicts_with = "api")]
    s3: Option<Url>,
    /// Region of the S3 endpoint
    #[arg(long, default_value = "local")]
    s3_region: String,
    /// ID of the S3 access key; its secret is in CLOCH_IMPORT_S3_SECRET or --s3-secret
    #[arg(long, value_name = "ID", requires = "s3", env = "CLOCH_IMPORT_S3_KEY_ID")]
    s3_key_id: Option<String>,
    /// File with the secret of the S3 access key [or CLOCH_IMPORT_S3_SECRET]
    #[arg(long, value_name = "FILE")]
    s3_secret: Option<PathBuf>,
    /// Import sessions and refresh tokens, so that signed-in users stay signed in; use --jwt-secret as well
    #[arg(long)]
    sessions: bool,
    /// File with the source's JWT secret [or CLOCH_IMPORT_JWT_SECRET]
    #[arg(long, value_name = "FILE")]
    jwt_secret: Option<PathBuf>,
    /// File with the source's private signing keys (an array of JSON Web Keys) [or CLOCH_IMPORT_JWT_KEYS]
    #[arg(long, value_name = "FILE")]
    jwt_keys: Option<PathBuf>,
    /// Folder with the source's functions, such as supabase/functions
    #[arg(long, value_name = "DIR")]
    functions: Option<PathBuf>,
    /// Record the migrations in the project's folder as applied if the source has no migration history
    #[arg(long)]
    assume_migrated: bool,
    /// Try the import on a temporary database, which is deleted afterwards
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    flags: Flags,
}

impl Import {
    pub(super) async fn run(self) -> Result<ExitCode, CommandError> {
        let config = Config::load_of_running(&self.flags)?;
        let _flush_guard = logging::start(config.log.as_deref(), config.log_json)?;
        let request = self.request()?;
        let report = if self.dry_run { dry_run(config, &request).await } else { import(&config, &request).await }?;
        print::line(&report.text)?;
        Ok(if report.is_clean { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }

    fn request(&self) -> Result<Request, CommandError> {
        let from = match (&self.from, &self.dir) {
            (_, Some(folder)) => From::Folder(folder.clone()),
            (Some(url), None) => From::Database(source_login(url)?),
            (None, None) => return Err("say where from: --from DB_URL, or --dir with the files of a dump".into()),
        };
        Ok(Request {
            files: self.files()?,
            from,
            sessions: self.sessions,
            jwt_secret: self.jwt_secret.clone(),
            jwt_keys: self.jwt_keys.clone(),
            functions: self.functions.clone(),
            assume_migrated: self.assume_migrated,
        })
    }

    fn files(&self) -> Result<Option<Access>, CommandError> {
        if let Some(api) = &self.api {
            let key = value(self.service_key.as_deref(), "CLOCH_IMPORT_SERVICE_KEY")?
                .ok_or("--api needs the secret key: --service-key FILE, or CLOCH_IMPORT_SERVICE_KEY")?;
            return Ok(Some(Access::Rest { api: api.clone(), key }));
        }
        if let Some(endpoint) = &self.s3 {
            let secret = value(self.s3_secret.as_deref(), "CLOCH_IMPORT_S3_SECRET")?;
            let (Some(key_id), Some(secret)) = (self.s3_key_id.clone(), secret) else {
                return Err(
                    "--s3 needs --s3-key-id, and its secret in --s3-secret FILE or CLOCH_IMPORT_S3_SECRET".into()
                );
            };
            let region = self.s3_region.clone();
            return Ok(Some(Access::S3 { endpoint: endpoint.clone(), region, key_id, secret }));
        }
        let beside = self.dir.as_ref().map(|folder| folder.join(FILES_FOLDER));
        Ok(beside.filter(|folder| folder.is_dir()).map(Access::Folder))
    }
}
