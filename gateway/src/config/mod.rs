//! The configuration as one typed value: config.toml, then cloch.toml, then `CLOCH_*` variables, then flags. Read once, checked as
//! a whole before anything starts; nothing else reads the environment.

pub mod acme;
mod addresses;
mod aside;
mod backup_days;
pub mod backup_section;
mod checks;
mod cli_keys;
pub mod cloch_toml;
pub mod config_toml;
mod database_port;
pub mod database_section;
mod database_url;
mod db_settings;
pub mod deno;
mod env_files;
mod env_policy;
mod folders;
mod ignored_advice;
mod moved_port;
mod project_files;
mod project_paths;
mod protections;
mod renamed_keys;
mod running_port;
pub mod secrets;
pub mod storage_section;
pub mod telemetry_section;
pub mod tls_section;
pub mod toml_file;
mod tracked_deserialize;
mod unknown_keys;
pub mod warnings;
mod wrong_type;

use std::net::IpAddr;
use std::path::PathBuf;

use cloch_core::Secret;
use cloch_sql::database::Login;
use cloch_sql::replica::ReplicaSettings;
use sha2::{Digest, Sha256};
use toml::Table;
use url::Url;

use crate::data_dir_lock;
use addresses::{check_redirect, external_url, parse_host};
use checks::{check, check_cloch, check_site_url, checked_secret, is_log_json};
use folders::{data_folder, folder_name, project_folder};

pub use acme::Acme;
pub use cloch_toml::{ClochToml, ManagementAccess, MetricsAccess, SLOW_CLIENT_BYTES, Server};
pub use config_toml::ConfigToml;
pub(crate) use ignored_advice::ignored_advice;
pub use secrets::{Secrets, SecretsDraft};
pub use tls_section::{TlsSection, TlsSetting};
pub use toml_file::{ConfigError, TomlFile};

/// Sections that a project may leave to the environment: without the variables, there is nothing of the kind.
const OPTIONAL_SECTIONS: [&str; 4] = ["ai.", "studio.", "experimental.", "analytics."];

/// The flags that name a project and override its files.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct Flags {
    /// The folder with config.toml [default: supabase-config, then supabase]
    #[arg(long, value_name = "DIR")]
    pub project: Option<PathBuf>,
    /// The folder for database, files and secrets [default: .cloch beside the project]
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// The address to listen on [default: 127.0.0.1]
    #[arg(long, value_name = "H")]
    pub host: Option<String>,
    /// The port to listen on [default: 54321]
    #[arg(long, value_name = "N")]
    pub port: Option<u16>,
    /// Take the keys that the Supabase CLI gives every local project; everybody knows them
    #[arg(long)]
    pub cli_keys: bool,
}

/// Where the database is.
#[derive(Clone, Debug)]
pub enum DatabaseChoice {
    /// A server that runs already (`CLOCH_DB_URL`).
    External(Login),
    /// A cluster in the data folder.
    Embedded {
        /// Its port on 127.0.0.1.
        port: u16,
        /// Whether config.toml leaves the port open, so that another may be taken.
        is_free_to_choose: bool,
        /// Where PostgreSQL's programs are (`CLOCH_POSTGRES_BIN`); found by itself when absent.
        binaries: Option<PathBuf>,
    },
}

/// Everything a project and its operator decided.
#[derive(Debug)]
pub struct Config {
    /// The project's folder.
    pub project: PathBuf,
    /// The project's name.
    pub project_id: String,
    /// The data folder.
    pub data: PathBuf,
    /// The address to listen on.
    pub host: IpAddr,
    /// The port to listen on.
    pub port: u16,
    /// Where clients reach this server, without a trailing slash.
    pub external_url: Url,
    /// How the server obtains its certificate by itself; `None` where it does not.
    pub acme: Option<Acme>,
    /// The database.
    pub database: DatabaseChoice,
    /// The pooler in transaction mode that the sessions of requests go through (`CLOCH_DB_POOLER_URL`).
    pub pooler: Option<Login>,
    /// The standby that answers reads.
    pub replica: Option<ReplicaSettings>,
    /// config.toml.
    pub file: ConfigToml,
    /// cloch.toml.
    pub cloch: ClochToml,
    /// config.toml's `[functions]` as written, which the functions crate reads.
    pub functions: Table,
    /// Warnings for the operator about keys without effect: logged once logging has started.
    pub warnings: Vec<String>,
    /// What to log (`CLOCH_LOG`), in tracing's filter syntax.
    pub log: Option<String>,
    /// Whether log lines are JSON (`CLOCH_LOG_FORMAT=json`).
    pub log_json: bool,
    /// Where PostgreSQL's programs are (`CLOCH_POSTGRES_BIN`); found by themselves when absent.
    pub postgres_bin: Option<PathBuf>,
    /// The service manager's socket, as systemd names it (`NOTIFY_SOCKET`).
    pub notify_socket: Option<PathBuf>,
    /// Where Deno is, which runs the project's own functions.
    pub deno: deno::DenoConfig,
    /// Keys that the environment or config.toml sets instead of secrets.toml.
    pub key_overrides: KeyOverrides,
    /// Whether this is a copy of a project that is served elsewhere: see [`Config::set_aside`].
    pub is_aside: bool,
}

/// Keys that win over the generated ones.
#[derive(Clone, Debug, Default)]
pub struct KeyOverrides {
    /// `CLOCH_JWT_SECRET`, or `[auth] jwt_secret`.
    pub jwt_secret: Option<Secret>,
    /// `CLOCH_ANON_KEY`, or `[auth] anon_key`.
    pub anon_key: Option<Secret>,
    /// `CLOCH_SERVICE_ROLE_KEY`, or `[auth] service_role_key`.
    pub service_role_key: Option<Secret>,
    /// `[auth] publishable_key`.
    pub publishable_key: Option<Secret>,
    /// `[auth] secret_key`.
    pub secret_key: Option<Secret>,
    /// Whether they are those that everybody knows (`--cli-keys`).
    pub are_the_clis: bool,
}

impl Config {
    /// Reads the project that the flags name, with the process's environment.
    ///
    /// # Errors
    /// The first value that cannot be used.
    pub fn load(flags: &Flags) -> Result<Self, ConfigError> {
        Self::read(flags, |name| std::env::var(name).ok())
    }

    /// Reads the project with any environment.
    ///
    /// # Errors
    /// The first value that cannot be used.
    pub fn read(flags: &Flags, environment: impl Fn(&str) -> Option<String>) -> Result<Self, ConfigError> {
        let variable = |name: &str| environment(name).filter(|value| !value.is_empty());
        let project = project_folder(flags)?;
        let data = data_folder(flags, variable("CLOCH_DATA_DIR"), &project);
        let (source, cloch_source, env_warnings) = project_files::read(&project, &data, &environment)?;
        let (mut file, unknown): (ConfigToml, _) = source.typed()?;
        let is_optional = |key: &str| OPTIONAL_SECTIONS.iter().any(|section| key.starts_with(section));
        let files = [&source, &cloch_source].into_iter();
        let mut warnings = env_warnings;
        warnings.extend(files.flat_map(|file| file.unset_variables(is_optional)));
        let found = cloch_functions::deno::discover(&project);
        let mut cloch = unknown_keys::refuse_in_cloch_toml(&cloch_source, &source.table("functions"), &found)?;
        warnings.extend(unknown_keys::of_config_toml(&source, unknown, &cloch.server.ignored_keys)?);
        renamed_keys::follow(&source, &mut file, &mut cloch)?;
        warnings.extend(protections::without_effect(&source));
        check(&source, &file)?;
        check_cloch(&cloch_source, &cloch)?;
        let acme = acme::of(&cloch_source, &cloch.server, &file)?;
        let port = addresses::port(&source, flags.port, &file, acme.as_ref())?;
        moved_port::follow(&mut file, &mut cloch, port);
        backup_days::fill(&mut cloch.web.settings, &cloch.backup);
        if let Some(site_url) = variable("CLOCH_SITE_URL") {
            check_site_url(&site_url)
                .map_err(|message| ConfigError::Variable { name: "CLOCH_SITE_URL".into(), message })?;
            file.auth.site_url = site_url;
        }
        let host_text = flags.host.clone().unwrap_or_else(|| cloch.server.host.clone());
        let host = parse_host(&host_text)?;
        let external_url = external_url(&source, &file, acme.as_ref(), host, port)?;
        check_redirect(&cloch_source, &cloch.server, &external_url)?;
        let names_database_port = source.table("db").contains_key("port");
        let database = match variable("CLOCH_DB_URL") {
            Some(url) => DatabaseChoice::External(database_url::login("CLOCH_DB_URL", url, &environment)?),
            None => DatabaseChoice::Embedded {
                port: if names_database_port { file.db.port } else { database_port::remembered(&data, file.db.port) },
                is_free_to_choose: !names_database_port,
                binaries: variable("CLOCH_POSTGRES_BIN").map(PathBuf::from),
            },
        };
        let pooler = database_url::pooler(variable("CLOCH_DB_POOLER_URL"), &database, &environment)?;
        let replica = cloch.database.replica(&cloch_source, &database, &environment)?;
        let log_json = is_log_json(variable("CLOCH_LOG_FORMAT").as_deref())?;
        let secret = |name: &str, own: &Option<Secret>| variable(name).map(Secret::new).or_else(|| own.clone());
        let key_overrides = KeyOverrides {
            jwt_secret: checked_secret(secret("CLOCH_JWT_SECRET", &file.auth.jwt_secret))?,
            anon_key: secret("CLOCH_ANON_KEY", &file.auth.anon_key),
            service_role_key: secret("CLOCH_SERVICE_ROLE_KEY", &file.auth.service_role_key),
            publishable_key: file.auth.publishable_key.clone(),
            secret_key: file.auth.secret_key.clone(),
            are_the_clis: false,
        };
        let key_overrides = match flags.cli_keys {
            true => cli_keys::overrides(host, &external_url)?,
            false => key_overrides,
        };
        Ok(Self {
            project_id: file.project_id.clone().unwrap_or_else(|| folder_name(&project)),
            functions: source.table("functions"),
            warnings,
            log: variable("CLOCH_LOG"),
            project,
            data,
            host,
            port,
            external_url,
            acme,
            database,
            pooler,
            replica,
            file,
            cloch,
            log_json,
            postgres_bin: variable("CLOCH_POSTGRES_BIN").map(PathBuf::from),
            notify_socket: variable("NOTIFY_SOCKET").map(PathBuf::from),
            deno: deno::DenoConfig::read(variable),
            key_overrides,
            is_aside: false,
        })
    }

    /// The file of the project's secrets.
    #[must_use]
    pub fn secrets_file(&self) -> PathBuf {
        self.data.join("secrets.toml")
    }

    /// The folder of what the project's own functions need: packages, versions, logs.
    #[must_use]
    pub fn functions_folder(&self) -> PathBuf {
        self.data.join("functions")
    }

    /// The folder of the project's files, where no S3 server holds them.
    #[must_use]
    pub fn objects_folder(&self) -> PathBuf {
        self.cloch.storage.folder.clone().unwrap_or_else(|| self.data.join("objects"))
    }

    /// Whether the database is this program's own.
    #[must_use]
    pub fn database_is_embedded(&self) -> bool {
        matches!(self.database, DatabaseChoice::Embedded { .. })
    }

    /// Whether a cluster was made in the data folder.
    #[must_use]
    pub fn has_cluster(&self) -> bool {
        matches!(self.database, DatabaseChoice::Embedded { .. }) && self.data.join("db/PG_VERSION").exists()
    }

    /// The secrets in force: those of the data folder (made if absent), with what the environment overrides.
    ///
    /// # Errors
    /// When the file cannot be read or made, or is missing beside a database that was made with it.
    pub fn secrets(&self) -> Result<Secrets, ConfigError> {
        let file = self.secrets_file();
        if self.has_cluster() && !file.exists() {
            return Err(ConfigError::LostSecrets { file, database: self.data.join("db") });
        }
        data_dir_lock::make(&self.data)
            .map_err(|source| ConfigError::Unreadable { file: self.data.clone(), source })?;
        let mut secrets = Secrets::load_or_create(&file)?;
        if cloch_club::is_declared(&self.functions)
            && !self.has_function_secret(cloch_club::JUDGING_PASSWORD)
            && secrets.make_judging_password()
        {
            secrets.save(&file)?;
        }
        secrets.overridden(&self.key_overrides)
    }

    /// Whether config.toml's `[edge_runtime.secrets]` has this name, be its value set or not. Functions see the names in capitals.
    #[must_use]
    pub fn has_function_secret(&self, name: &str) -> bool {
        self.file.edge_runtime.secrets.keys().any(|known| known.eq_ignore_ascii_case(name))
    }

    /// An address of this server as the machine it runs on reaches it: never through a proxy in front.
    #[must_use]
    pub fn local_url(&self, path: &str) -> String {
        let host = if self.host.is_unspecified() { IpAddr::from([127, 0, 0, 1]) } else { self.host };
        format!("http://{}{path}", std::net::SocketAddr::new(host, self.port))
    }

    /// The addresses by which clients outside of this machine reach this server.
    #[must_use]
    pub fn outside_urls(&self) -> Vec<Url> {
        let auth_url = self.file.auth.external_url.as_deref().and_then(|text| Url::parse(text).ok());
        [Some(self.external_url.clone()), auth_url].into_iter().flatten().filter(|url| !is_local_url(url)).collect()
    }

    /// Whether clients reach this server by an address that is not this machine's own.
    #[must_use]
    pub fn is_reached_from_outside(&self) -> bool {
        !self.outside_urls().is_empty()
    }

    /// Whether people outside of this machine use the project: they reach the server, or the app that its mails lead to.
    #[must_use]
    pub fn is_public(&self) -> bool {
        let site_url = Url::parse(&self.file.auth.site_url).ok();
        self.is_reached_from_outside() || site_url.is_some_and(|url| !is_local_url(&url))
    }

    /// From where the Management API is answered. A server that others use often stands behind a proxy on the same machine, whose
    /// visitors look local.
    #[must_use]
    pub fn management_access(&self) -> ManagementAccess {
        let usual = if self.is_public() { ManagementAccess::Off } else { ManagementAccess::Local };
        self.cloch.management.access.unwrap_or(usual)
    }

    /// Who may read /metrics at the public port. That of a server that others use may have a proxy on the same machine in front.
    #[must_use]
    pub fn metrics_access(&self) -> MetricsAccess {
        let usual = if self.is_public() { MetricsAccess::Key } else { MetricsAccess::Local };
        self.cloch.metrics.access.unwrap_or(usual)
    }

    /// The twenty letters by which tools name the project: its own name where that is such a reference, else made of it.
    #[must_use]
    pub fn project_reference(&self) -> String {
        if self.project_id.len() == 20 && self.project_id.bytes().all(|byte| byte.is_ascii_lowercase()) {
            return self.project_id.clone();
        }
        let digest = Sha256::digest(self.project_id.as_bytes());
        digest.iter().take(20).map(|byte| char::from(b'a' + byte % 26)).collect()
    }

    /// Whether mails go to a mail server; otherwise they stay in the inbox.
    #[must_use]
    pub fn sends_mail(&self) -> bool {
        self.file.auth.email.smtp.as_ref().is_some_and(|smtp| smtp.enabled)
    }

    /// The issuer in the tokens that auth signs.
    #[must_use]
    pub fn token_issuer(&self) -> String {
        let url = || self.file.auth.external_url.clone().unwrap_or_else(|| self.url("/auth/v1"));
        self.file.auth.jwt_issuer.clone().unwrap_or_else(|| url().trim_end_matches('/').to_owned())
    }

    /// The public address of an API.
    #[must_use]
    pub fn url(&self, path: &str) -> String {
        format!("{}{path}", self.external_url.as_str().trim_end_matches('/'))
    }
}

/// Whether an address leads to this machine.
fn is_local_url(url: &Url) -> bool {
    // An app's own scheme (`app://callback`) names no machine.
    !matches!(url.scheme(), "http" | "https") || url.host_str().is_some_and(cloch_sql::caller::is_this_machine)
}

#[cfg(test)]
mod tests;
