//! The subcommands, one file each.

mod advise;
mod backup;
mod backup_key;
mod backup_look;
mod db;
mod doctor;
mod export;
mod functions;
mod gen_types;
mod import;
mod init;
mod keys;
mod log;
mod mail;
mod operators;
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

/// What `cloch` can do.
#[derive(Subcommand)]
pub enum Command {
    /// Start the server for a project
    Start(start::Start),
    /// Show URLs and keys
    Status(status::Status),
    /// Look at everything the server needs, and say what to do where something is missing
    Doctor(doctor::Doctor),
    /// Say what this program was built from
    Version(version::Version),
    /// Make a new project folder, ready to start
    Init(init::Init),
    /// Work on the database
    Db(db::Db),
    /// Say what is wrong with the schema, and the SQL that fixes it
    Advise(advise::Advise),
    /// Say why a request is refused, or its answer empty
    Why(Box<why::Why>),
    /// Move a Supabase project in
    Import(Box<import::Import>),
    /// Move the project out, in the files that Supabase takes
    Export(export::Export),
    /// The project's own functions, in TypeScript
    Functions(functions::Functions),
    /// Generate code from the database
    Gen(gen_types::Generate),
    /// Change what the running server logs
    Log(log::Log),
    /// Make, rotate or revoke the project's secrets
    Keys(keys::Keys),
    /// Mail
    Mail(mail::Mail),
    /// The dashboard's operators
    Operators(operators::Operators),
    /// Secrets of functions
    Secrets(secrets::Secrets),
    /// Files
    Storage(storage::Storage),
    /// Make, list and check backups
    Backup(backup::Backup),
    /// Restore a backup into a new data folder
    Restore(Box<restore_backup::Restore>),
    /// Move the embedded database to a newer PostgreSQL
    Upgrade(upgrade::Upgrade),
}

impl Command {
    /// Runs the command.
    ///
    /// # Errors
    /// An error message for the user.
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
            Self::Keys(command) => command.run()?,
            Self::Functions(command) => return command.run().await,
            Self::Gen(command) => interruptible(command.run()).await?,
            Self::Secrets(command) => command.run().await?,
            Self::Mail(command) => command.run().await?,
            Self::Operators(command) => interruptible(command.run()).await?,
            Self::Storage(command) => command.run().await?,
            Self::Backup(command) => return command.run().await,
            Self::Restore(command) => return command.run().await,
            Self::Upgrade(command) => return command.run().await,
        }
        Ok(ExitCode::SUCCESS)
    }
}
