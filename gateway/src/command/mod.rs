//! The subcommands of the program `cloch`, one file each.

mod advise;
mod api_keys;
mod backup;
mod backup_key;
mod backup_look;
mod completions;
mod db;
mod demo;
mod doctor;
mod dump;
mod dump_input;
mod dump_seal;
mod export;
mod functions;
mod gen_types;
mod import;
mod init;
mod keys;
mod log;
mod mail;
mod operators;
mod pg_restore;
mod print;
mod restore;
mod restore_backup;
mod secrets;
mod service_manager;
mod start;
mod status;
mod stop_signal;
mod storage;
mod upgrade;
mod version;
mod why;

use std::process::ExitCode;

use clap::Subcommand;

use self::stop_signal::interruptible;
use crate::error::CommandError;

/// The subcommands of `cloch`.
#[derive(Subcommand)]
pub enum Command {
    /// Start the server for a project
    Start(start::Start),
    /// Show URLs and keys
    Status(status::Status),
    /// Check everything the server needs, and suggest a solution for each problem
    Doctor(doctor::Doctor),
    /// Show the version, and the source that this program was built from
    Version(version::Version),
    /// Create a new project folder, ready to start
    Init(init::Init),
    /// Migrate, reset, dump or restore the database
    Db(db::Db),
    /// Find problems of the database schema, and the SQL that fixes them
    Advise(advise::Advise),
    /// Explain why a request is refused, or its response empty
    Why(Box<why::Why>),
    /// Import a Supabase project
    Import(Box<import::Import>),
    /// Export the project to files that a hosted Supabase project can import
    Export(export::Export),
    /// Create, list and deploy the project's own functions, in TypeScript
    Functions(functions::Functions),
    /// Generate code from the database
    Gen(gen_types::Generate),
    /// Change the log filter of the running server
    Log(log::Log),
    /// Create, rotate or revoke the project's keys
    Keys(keys::Keys),
    /// Test the delivery of mail
    Mail(mail::Mail),
    /// List the dashboard's operators, or create a link for an operator
    Operators(operators::Operators),
    /// Set the secrets of functions
    Secrets(secrets::Secrets),
    /// Manage stored files
    Storage(storage::Storage),
    /// Create, list and check backups
    Backup(backup::Backup),
    /// Restore a backup into a new data folder
    Restore(Box<restore_backup::Restore>),
    /// Upgrade the embedded database to a newer PostgreSQL
    Upgrade(upgrade::Upgrade),
    /// Print the completions for a shell
    Completions(completions::Completions),
    /// Write the manual pages into a folder
    #[command(hide = true)]
    Man(completions::Man),
}

impl Command {
    /// Runs the command.
    ///
    /// # Errors
    /// Returns an error message for the user.
    pub async fn run(self) -> Result<ExitCode, CommandError> {
        match self {
            Self::Start(command) => command.run().await?,
            Self::Status(command) => return command.run().await,
            Self::Doctor(command) => return command.run().await,
            Self::Version(command) => command.run()?,
            Self::Log(command) => command.run()?,
            Self::Init(command) => command.run().await?,
            Self::Db(command) => interruptible(command.run()).await?,
            Self::Advise(command) => return interruptible(command.run()).await,
            Self::Why(command) => return interruptible(command.run()).await,
            Self::Import(command) => return interruptible(command.run()).await,
            Self::Export(command) => return interruptible(command.run()).await,
            Self::Keys(command) => command.run().await?,
            Self::Functions(command) => return command.run().await,
            Self::Gen(command) => interruptible(command.run()).await?,
            Self::Secrets(command) => command.run().await?,
            Self::Mail(command) => command.run().await?,
            Self::Operators(command) => interruptible(command.run()).await?,
            Self::Storage(command) => command.run().await?,
            Self::Backup(command) => return command.run().await,
            Self::Restore(command) => return command.run().await,
            Self::Upgrade(command) => return command.run().await,
            Self::Completions(command) => command.run()?,
            Self::Man(command) => command.run()?,
        }
        Ok(ExitCode::SUCCESS)
    }
}
