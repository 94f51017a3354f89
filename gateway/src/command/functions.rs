//! `cloch functions`: manages the project's own functions.

mod logs;
mod verdict;

use std::collections::BTreeMap;
use std::process::ExitCode;

use clap::{Args, Subcommand};
use cloch_functions::Settings;
use cloch_functions::deno::{self, Deployments, Engine, EngineFunction, FUNCTIONS_FOLDER, Source};
use cloch_functions::settings::Sections;
use cloch_sql::Database;
use cloch_sql::database::{Logins, PoolSizes};

use super::print;
use super::start::Start;
use crate::config::{Config, DatabaseChoice, Flags};
use crate::error::CommandError;
use crate::project::deployments::TEMPLATE;
use crate::setup::functions::{engine_options, own_functions};

/// Creates, shows and deploys functions.
#[derive(Args)]
pub struct Functions {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Create a function in the project's folder
    New {
        /// Name: letters, digits, - and _, beginning with a letter
        name: String,
        #[command(flatten)]
        flags: Flags,
    },
    /// List the functions with the location of their code and the served version
    List {
        #[command(flatten)]
        flags: Flags,
    },
    /// Download what functions import, so that neither a start nor a first call needs the network
    Cache {
        /// Name of the function [default: all]
        name: Option<String>,
        #[command(flatten)]
        flags: Flags,
    },
    /// Show the log of a function
    Logs {
        /// Name of the function
        name: String,
        /// Continue to print new log lines
        #[arg(short, long)]
        follow: bool,
        #[command(flatten)]
        flags: Flags,
    },
    /// Start the server with the code in the project's folder, regardless of deployed versions
    Serve {
        #[command(flatten)]
        flags: Flags,
    },
    /// Copy the code as a new version and serve it; a running server switches without losing a request
    Deploy {
        /// Name of the function [default: all]
        name: Option<String>,
        #[command(flatten)]
        flags: Flags,
    },
    /// Delete a function's versions: the code in the project's folder is then served, if it exists
    Delete {
        /// Name of the function
        name: String,
        #[command(flatten)]
        flags: Flags,
    },
    /// Serve the previous version, or another version
    Rollback {
        /// Name of the function
        name: String,
        /// Number of the version [default: the previous version]
        #[arg(long)]
        to: Option<u64>,
        #[command(flatten)]
        flags: Flags,
    },
}

impl Functions {
    pub(super) async fn run(self) -> Result<ExitCode, CommandError> {
        match self.action {
            Action::New { name, flags } => new(&Config::load(&flags)?, &name)?,
            Action::List { flags } => list(&Project::load(&flags)?).await?,
            Action::Cache { name, flags } => return cache(&Project::load(&flags)?, name.as_deref()).await,
            Action::Logs { name, follow, flags } => logs::show(&Project::load(&flags)?, &name, follow).await?,
            Action::Serve { flags } => Start::run_from_folder(flags).await?,
            Action::Deploy { name, flags } => return deploy(&Project::load(&flags)?, name.as_deref()).await,
            Action::Delete { name, flags } => delete(&Project::load(&flags)?, &name).await?,
            Action::Rollback { name, to, flags } => return rollback(&Project::load(&flags)?, &name, to).await,
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// A project with its configuration, functions and deployed versions.
struct Project {
    config: Config,
    functions: BTreeMap<String, EngineFunction>,
    deployments: Deployments,
}

impl Project {
    fn load(flags: &Flags) -> Result<Self, CommandError> {
        let config = Config::load_of_running(flags)?;
        let settings = Settings::read(Sections {
            declared: &config.functions,
            secrets: &config.file.edge_runtime.secrets,
            options: &config.cloch.functions,
            project: &config.project,
            data: &config.data,
        })?;
        let functions = own_functions(&settings, &config.cloch.outbound.allowed_networks);
        let database = match &config.database {
            DatabaseChoice::External(login) => {
                Some(Database::new(Logins::same(login), PoolSizes::default()).admin().clone())
            }
            DatabaseChoice::Embedded { .. } => None,
        };
        let deployments = Deployments::new(&config.functions_folder(), &config.project, database);
        Ok(Self { config, functions, deployments })
    }

    fn chosen<'a>(&'a self, only: Option<&'a str>) -> Result<Vec<(&'a str, &'a EngineFunction)>, CommandError> {
        match only {
            None => Ok(self.functions.iter().map(|(name, function)| (name.as_str(), function)).collect()),
            Some(name) => match self.functions.get(name) {
                Some(function) => Ok(vec![(name, function)]),
                None => Err(format!("there is no function {name} in {}", folder(&self.config).display()).into()),
            },
        }
    }
}

fn folder(config: &Config) -> std::path::PathBuf {
    config.project.join(FUNCTIONS_FOLDER)
}

fn new(config: &Config, name: &str) -> Result<(), CommandError> {
    if !deno::is_function_name(name) {
        return Err(
            format!("{name:?} is no name: letters, digits, - and _, beginning with a letter, 128 at most").into()
        );
    }
    let folder = folder(config).join(name);
    if folder.exists() {
        return Err(format!("{} is there already", folder.display()).into());
    }
    std::fs::create_dir_all(&folder)?;
    let file = folder.join("index.ts");
    std::fs::write(&file, TEMPLATE)?;
    print::line(format!("{} is made; a running server serves it at once", file.display()))?;
    Ok(())
}

/// Returns the message that the commands print for a project without functions.
fn no_functions(config: &Config) -> String {
    format!("there are no functions in {}; `cloch functions new NAME` makes one", folder(config).display())
}

async fn list(project: &Project) -> Result<(), CommandError> {
    if project.functions.is_empty() {
        print::line(no_functions(&project.config))?;
    }
    for (name, function) in &project.functions {
        let served = match project.deployments.versions().current_number(name) {
            Some(number) => {
                let numbers = project.deployments.numbers(name).await?;
                let fails = project.deployments.versions().booted(name, number) == Some(false);
                format!("version {number} of {numbers:?}{}", if fails { ", which does not boot" } else { "" })
            }
            None => "the folder".to_owned(),
        };
        print::line(format!("{name}  {}  serves {served}", function.source.entrypoint.display()))?;
    }
    Ok(())
}

/// Parses the functions and downloads their imports. Returns for each function its code with the imported files, or the reason why it cannot run.
async fn prepare(project: &Project, only: Option<&str>) -> Result<Vec<(String, Result<Source, String>)>, CommandError> {
    let chosen =
        project.chosen(only)?.into_iter().map(|(name, function)| (name.to_owned(), function.clone())).collect();
    // Only the code in the project's folder is prepared: deployed versions were prepared with their own lock files at their deployment.
    let options = engine_options(&project.config, BTreeMap::new())?;
    Ok(Engine::for_cache(options, chosen)?.cache().await)
}

async fn cache(project: &Project, only: Option<&str>) -> Result<ExitCode, CommandError> {
    let mut code = ExitCode::SUCCESS;
    let prepared = prepare(project, only).await?;
    if prepared.is_empty() {
        print::line(no_functions(&project.config))?;
    }
    for (name, outcome) in prepared {
        match outcome {
            Ok(_) => print::line(format!("{name}: ready"))?,
            Err(error) => {
                code = ExitCode::FAILURE;
                print::line(format!("{name}: {error}"))?;
            }
        }
    }
    Ok(code)
}

/// Deploys the function `only`, or all functions. If one of them cannot be prepared, deploys none of them, so that the server's next start
/// does not fail because of a broken version.
async fn deploy(project: &Project, only: Option<&str>) -> Result<ExitCode, CommandError> {
    let prepared = prepare(project, only).await?;
    if prepared.is_empty() {
        return Err(format!("nothing is deployed: {}", no_functions(&project.config)).into());
    }
    let failed = prepared.iter().filter_map(|(name, outcome)| Some(format!("{name}: {}", outcome.as_ref().err()?)));
    let failed: Vec<String> = failed.collect();
    if !failed.is_empty() {
        return Err(format!("nothing is deployed\n{}", failed.join("\n")).into());
    }
    let mut all_boot = true;
    for (name, source) in prepared.iter().filter_map(|(name, outcome)| Some((name, outcome.as_ref().ok()?))) {
        let number = project.deployments.add(name, source).await?;
        all_boot &= verdict::serve(project, name, number).await?;
    }
    Ok(if all_boot { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

async fn delete(project: &Project, name: &str) -> Result<(), CommandError> {
    if !deno::is_function_name(name) || project.deployments.numbers(name).await?.is_empty() {
        return Err(format!("{name} has no version that is served").into());
    }
    project.deployments.remove(name).await?;
    print::line(format!("{name}: the versions are removed"))?;
    Ok(())
}

async fn rollback(project: &Project, name: &str, to: Option<u64>) -> Result<ExitCode, CommandError> {
    if !deno::is_function_name(name) {
        return Err(format!("{name:?} is no name of a function").into());
    }
    let number = match to {
        Some(number) => number,
        None => project.deployments.previous(name).await?,
    };
    let boots = verdict::serve(project, name, number).await?;
    Ok(if boots { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
