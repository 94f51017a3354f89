//! Reads the configuration into one typed value. Precedence: flags, `CLOCH_*` variables, cloch.toml, config.toml. The configuration is read
//! once and validated completely before anything starts.

mod access;
mod addresses;
mod changed_files;
mod checks;
mod files;
mod inspect;
mod live;
mod places;
mod project_files;
mod project_paths;
mod running;
pub mod secrets;
pub mod sections;
pub mod warnings;

use std::net::IpAddr;
use std::path::PathBuf;

use cloch_core::Secret;
use cloch_sql::database::Login;
use cloch_sql::replica::ReplicaSettings;
use sha2::{Digest, Sha256};
use toml::Table;
use url::Url;

use crate::data_dir_lock;
use addresses::{check_redirect, database_port, database_url, external_url, moved_port, site_url};
use checks::{check, check_cloch, check_keys, check_site_url, is_log_json};
use files::folders::{data_folder, folder_name, project_folder};
use project_files::ProjectFiles;
use project_paths::outside::{Inside, OutsidePath, add_certificates};
use secrets::cli_keys;
use sections::{backup_days, deno};

pub(crate) use changed_files::{ChangedFiles, VariableSource};
pub use files::toml_file::{ConfigError, TomlFile};
pub(crate) use files::{env_files::ENV_LOCAL, toml_file::variable_name};
pub(crate) use live::{ConfigFile, LiveKeys, Tables};
pub(crate) use secrets::strength::{check as check_key, check_passphrase};
pub use secrets::{KeyOverrides, Secrets, SecretsDraft, new_api_key};
pub use sections::acme::Acme;
pub use sections::cloch_toml::{ClochToml, ManagementAccess, MetricsAccess, SLOW_CLIENT_BYTES, Server};
pub use sections::config_toml::ConfigToml;
pub(crate) use sections::ignored_advice::ignored_advice;
pub use sections::tls::{TlsSection, TlsSetting};

/// Sections in which a variable of `env(NAME)` may be unset without a warning of [`TomlFile::unset_variables`].
const OPTIONAL_SECTIONS: [&str; 4] = ["ai.", "studio.", "experimental.", "analytics."];

/// The flags that name a project and override its files.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct Flags {
    /// The folder with config.toml [default: the nearest supabase-config or supabase, up to the repository's root]
    #[arg(long, value_name = "DIR")]
    pub project: Option<PathBuf>,
    /// The folder for the database, files and secrets [default: .cloch beside the project]
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// The address to listen on [default: 127.0.0.1]
    #[arg(long, value_name = "H")]
    pub host: Option<String>,
    /// The port to listen on [default: 54321]
    #[arg(long, value_name = "N")]
    pub port: Option<u16>,
    /// Use the well-known keys that the Supabase CLI gives every local project; they are not secret
    #[arg(long)]
    pub cli_keys: bool,
}

/// Location of the database.
#[derive(Clone, Debug)]
pub enum DatabaseChoice {
    /// An existing PostgreSQL server (`CLOCH_DB_URL`).
    External(Login),
    /// A PostgreSQL cluster in the data folder, started by this program.
    Embedded {
        /// Port on 127.0.0.1.
        port: u16,
        /// Whether config.toml does not set the port, so that a free port may be chosen.
        is_free_to_choose: bool,
        /// Folder of PostgreSQL's programs (`CLOCH_POSTGRES_BIN`); `None` to search for the programs.
        binaries: Option<PathBuf>,
    },
}

/// All settings of a project and its operator.
#[derive(Debug)]
pub struct Config {
    /// Absolute path of the project's folder.
    pub project: PathBuf,
    /// Name of the project.
    pub project_id: String,
    /// Absolute path of the data folder.
    pub data: PathBuf,
    /// IP address that the server listens on.
    pub host: IpAddr,
    /// Port that the server listens on for plain HTTP.
    pub port: u16,
    /// Public URL of the server.
    pub external_url: Url,
    /// Settings for obtaining a certificate by ACME; `None` if ACME is disabled.
    pub acme: Option<Acme>,
    /// Location of the database.
    pub database: DatabaseChoice,
    /// Pooler in transaction mode for the database sessions of requests (`CLOCH_DB_POOLER_URL`); `None` for direct connections.
    pub pooler: Option<Login>,
    /// Settings of the standby server that executes reads of the table REST API; `None` if the primary executes all reads.
    pub replica: Option<ReplicaSettings>,
    /// Parsed config.toml.
    pub file: ConfigToml,
    /// Parsed cloch.toml.
    pub cloch: ClochToml,
    /// Unparsed `[functions]` of config.toml, for the functions crate.
    pub functions: Table,
    /// Warnings about keys without effect, logged when logging has started.
    pub warnings: Vec<String>,
    /// Messages about keys of cloch.toml whose variable is not set. The server does not start with them; commands that do not use the keys do.
    pub unset_variables: Vec<String>,
    /// Whether migrations are read from the project's folder. False if the migrations folder was a link to a path that did not exist when the
    /// links were checked.
    pub has_migrations: bool,
    /// Paths outside of the project's folder and the data folder that the server reads or writes because the configuration names them.
    pub outside_paths: Vec<OutsidePath>,
    /// Log filter in tracing's syntax (`CLOCH_LOG`).
    pub log: Option<String>,
    /// Whether log lines are JSON (`CLOCH_LOG_FORMAT=json`).
    pub log_json: bool,
    /// Folder of PostgreSQL's programs (`CLOCH_POSTGRES_BIN`); `None` to search for the programs.
    pub postgres_bin: Option<PathBuf>,
    /// Socket of the service manager, set by systemd (`NOTIFY_SOCKET`).
    pub notify_socket: Option<PathBuf>,
    /// Settings for finding Deno, which runs the project's own functions.
    pub deno: deno::DenoConfig,
    /// Keys from the environment or config.toml that replace those of secrets.toml.
    pub key_overrides: KeyOverrides,
    /// Keys of the running server ([`Config::load_of_running`]), which take precedence over `key_overrides`.
    pub keys_in_use: Option<KeyOverrides>,
    /// The flags that the configuration was read with.
    pub flags: Flags,
    /// Parsed tables of config.toml and cloch.toml, for the comparison with a later version of the files.
    pub(crate) tables: Tables,
    /// Whether this server serves a copy of a running project: see [`Config::inspect`].
    pub is_inspection: bool,
}

impl Config {
    /// Reads the project that the flags name, with the process's environment.
    ///
    /// # Errors
    /// Returns an error for the first invalid value.
    pub fn load(flags: &Flags) -> Result<Self, ConfigError> {
        Self::read(flags, |name| std::env::var(name).ok())
    }

    /// Reads the project that the flags name, with the given environment.
    ///
    /// # Errors
    /// Returns an error for the first invalid value.
    pub fn read(flags: &Flags, environment: impl Fn(&str) -> Option<String>) -> Result<Self, ConfigError> {
        Self::read_changed(flags, environment, &ChangedFiles::default())
    }

    /// Reads the project that the flags name. The texts in `changed` replace the content of the project's files.
    ///
    /// # Errors
    /// Returns an error for the first invalid value.
    pub(crate) fn read_changed(
        flags: &Flags,
        environment: impl Fn(&str) -> Option<String>,
        changed: &ChangedFiles,
    ) -> Result<Self, ConfigError> {
        let variable = |name: &str| environment(name).filter(|value| !value.is_empty());
        let project = project_folder(flags)?;
        let data = data_folder(flags, variable("CLOCH_DATA_DIR"), &project);
        let ProjectFiles { config: source, cloch: cloch_source, mut warnings, has_migrations, outside } =
            project_files::read(&project, &data, &environment, changed)?;
        let (mut file, unknown): (ConfigToml, _) = source.typed()?;
        let is_optional = |key: &str| OPTIONAL_SECTIONS.iter().any(|section| key.starts_with(section));
        warnings.extend([&source, &cloch_source].into_iter().flat_map(|file| file.unset_variables(is_optional)));
        let unset_variables = cloch_source.unset_variables(sections::cloch_toml::may_name_unset_variable);
        warnings.extend(sections::ai::unset(&cloch_source));
        let found = cloch_functions::deno::discover(&project);
        let mut cloch = match changed.tables {
            // Tables in `changed` are not checked for unknown keys, because they were read from files that have passed this check.
            Some(_) => cloch_source.typed()?.0,
            None => sections::unknown_keys::refuse_in_cloch_toml(&cloch_source, &source.table("functions"), &found)?,
        };
        warnings.extend(sections::unknown_keys::of_config_toml(&source, unknown, &cloch.server.ignored_keys)?);
        sections::renamed_keys::follow(&source, &mut file, &mut cloch)?;
        warnings.extend(sections::without_effect::warnings(&source));
        let site_url_is_missing = site_url::replace_missing(&source, &mut file);
        check(&source, &file)?;
        check_cloch(&cloch_source, &cloch)?;
        let acme = sections::acme::of(&cloch_source, &cloch.server, &file)?;
        let port = addresses::port(&source, flags.port, &file, acme.as_ref())?;
        moved_port::follow(&mut file, &mut cloch, port);
        backup_days::fill(&mut cloch.web.settings, &cloch.backup);
        if let Some(site_url) = variable("CLOCH_SITE_URL") {
            check_site_url(&site_url)
                .map_err(|message| ConfigError::Variable { name: "CLOCH_SITE_URL".into(), message })?;
            file.auth.site_url = site_url;
        }
        let host = addresses::host(&cloch_source, flags.host.as_deref(), &cloch.server)?;
        let external_url = external_url(&source, &file, acme.as_ref(), host, port)?;
        check_redirect(&cloch_source, &cloch.server, &external_url)?;
        if let (Some(reason), None) = (site_url_is_missing, variable("CLOCH_SITE_URL")) {
            if !is_local_url(&external_url) {
                let message = format!("it {reason}, and clients on other machines need the URL of the app");
                return Err(source.refuse("auth.site_url", &message));
            }
            let consequence = format!("auth.site_url {reason}: links in mails lead to {}", file.auth.site_url);
            warnings.push(source.located("auth.site_url", &consequence));
        }
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
        let mut outside_paths = outside;
        let of_database = match &database {
            DatabaseChoice::External(login) => Some(("CLOCH_DB_URL", login)),
            DatabaseChoice::Embedded { .. } => None,
        };
        let of_pooler = pooler.as_ref().map(|login| ("CLOCH_DB_POOLER_URL", login));
        let of_replica = replica.as_ref().map(|replica| ("database.read_url", &replica.login));
        let logins = [of_database, of_pooler, of_replica].into_iter().flatten();
        add_certificates(&mut outside_paths, &Inside::new(&project, &data), logins);
        let log_json = is_log_json(variable("CLOCH_LOG_FORMAT").as_deref())?;
        let secret = |name: &str, own: &Option<Secret>| variable(name).map(Secret::new).or_else(|| own.clone());
        let key_overrides = KeyOverrides {
            jwt_secret: secret("CLOCH_JWT_SECRET", &file.auth.jwt_secret),
            anon_key: secret("CLOCH_ANON_KEY", &file.auth.anon_key),
            service_role_key: secret("CLOCH_SERVICE_ROLE_KEY", &file.auth.service_role_key),
            publishable_key: file.auth.publishable_key.clone(),
            secret_key: file.auth.secret_key.clone(),
            are_the_clis: false,
        };
        if changed.keys_in_use.is_none() && !flags.cli_keys {
            check_keys(&source, &key_overrides, |name| variable(name).is_some())?;
        }
        let key_overrides = match flags.cli_keys {
            true => cli_keys::overrides(host, &external_url)?,
            false => key_overrides,
        };
        Ok(Self {
            project_id: file.project_id.clone().unwrap_or_else(|| folder_name(&project)),
            functions: source.table("functions"),
            warnings,
            unset_variables,
            has_migrations,
            outside_paths,
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
            keys_in_use: changed.keys_in_use.clone(),
            flags: flags.clone(),
            tables: Tables::of(&source, &cloch_source),
            is_inspection: false,
        })
    }

    /// Whether the database is embedded, that is, a PostgreSQL cluster that this program runs.
    #[must_use]
    pub fn database_is_embedded(&self) -> bool {
        matches!(self.database, DatabaseChoice::Embedded { .. })
    }

    /// Whether the data folder contains a PostgreSQL cluster.
    #[must_use]
    pub fn has_cluster(&self) -> bool {
        matches!(self.database, DatabaseChoice::Embedded { .. }) && self.data.join("db/PG_VERSION").exists()
    }

    /// Loads secrets.toml from the data folder, or generates it. Keys from the environment or config.toml then replace the keys of the file.
    ///
    /// # Errors
    /// When secrets.toml cannot be read or created, is missing although the existing database was created with it, or contains the well-known
    /// secrets of the Supabase CLI while other machines can reach the server.
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
        let secrets = secrets.overridden(self.effective_keys())?;
        // The running server has already checked its own address, which may come from a command-line option.
        if !self.keys_in_use.as_ref().is_some_and(|keys| keys.are_the_clis) {
            secrets.refuse_the_clis(self.is_reached_from_outside() || !self.host.is_loopback())?;
        }
        Ok(secrets)
    }

    /// Returns the keys that replace those of secrets.toml: the keys of the running server if the configuration was loaded for it.
    #[must_use]
    pub fn effective_keys(&self) -> &KeyOverrides {
        self.keys_in_use.as_ref().unwrap_or(&self.key_overrides)
    }

    /// Whether `[edge_runtime.secrets]` of config.toml contains a secret of this name, even if its value is not set. Ignores case, because
    /// functions receive the names in upper case.
    #[must_use]
    pub fn has_function_secret(&self, name: &str) -> bool {
        self.file.edge_runtime.secrets.keys().any(|known| known.eq_ignore_ascii_case(name))
    }

    /// Returns the URL of this server for requests from the same machine, without a proxy in between.
    #[must_use]
    pub fn local_url(&self, path: &str) -> String {
        let host = if self.host.is_unspecified() { IpAddr::from([127, 0, 0, 1]) } else { self.host };
        format!("http://{}{path}", std::net::SocketAddr::new(host, self.port))
    }

    /// Returns the URLs of this server that clients on other machines can use: the server's external URL and the `external_url` of section
    /// `auth`, without local URLs.
    #[must_use]
    pub fn outside_urls(&self) -> Vec<Url> {
        let auth_url = self.file.auth.external_url.as_deref().and_then(|text| Url::parse(text).ok());
        [Some(self.external_url.clone()), auth_url].into_iter().flatten().filter(|url| !is_local_url(url)).collect()
    }

    /// Whether clients on other machines reach this server.
    #[must_use]
    pub fn is_reached_from_outside(&self) -> bool {
        !self.outside_urls().is_empty()
    }

    /// Whether the project is used from other machines: the server has a public URL, or the app that its mails link to has a public URL.
    #[must_use]
    pub fn is_public(&self) -> bool {
        self.is_reached_from_outside() || self.has_public_site_url()
    }

    fn has_public_site_url(&self) -> bool {
        Url::parse(&self.file.auth.site_url).is_ok_and(|url| !is_local_url(&url))
    }

    /// Returns the 20-letter project reference that Supabase's tools use: the project's name if it has that form, otherwise a hash of the
    /// name.
    #[must_use]
    pub fn project_reference(&self) -> String {
        if self.project_id.len() == 20 && self.project_id.bytes().all(|byte| byte.is_ascii_lowercase()) {
            return self.project_id.clone();
        }
        let digest = Sha256::digest(self.project_id.as_bytes());
        digest.iter().take(20).map(|byte| char::from(b'a' + byte % 26)).collect()
    }

    /// Returns the `iss` claim of the tokens that auth signs.
    #[must_use]
    pub fn token_issuer(&self) -> String {
        let url = || self.file.auth.external_url.clone().unwrap_or_else(|| self.url("/auth/v1"));
        self.file.auth.jwt_issuer.clone().unwrap_or_else(|| url().trim_end_matches('/').to_owned())
    }

    /// Returns the public URL of a path, such as `/rest/v1`.
    #[must_use]
    pub fn url(&self, path: &str) -> String {
        format!("{}{path}", self.external_url.as_str().trim_end_matches('/'))
    }
}

/// Whether a URL refers to this machine.
fn is_local_url(url: &Url) -> bool {
    // A custom scheme of an app (`app://callback`) contains no host name.
    !matches!(url.scheme(), "http" | "https") || url.host_str().is_some_and(cloch_sql::caller::is_this_machine)
}

#[cfg(test)]
mod tests;
