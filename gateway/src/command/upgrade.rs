//! `cloch upgrade`: upgrades the embedded database to a newer major version of PostgreSQL that is installed on this machine.
//!
//! Steps: open the old cluster, back it up and count its content; copy the cluster with pg_upgrade; swap the clusters' folders; verify that
//! the new cluster has the same content and that the server's start can open it. If the verification fails, the old cluster is restored.

mod column_options;
mod contents;

use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use clap::Args;
use cloch_backup::service;
use cloch_backup::status::forget_series;
use cloch_mail::Mailer;
use cloch_sql::embedded::{Binaries, ClusterSettings, Upgrade as Way};

use self::contents::Contents;
use super::print;
use crate::config::{Config, DatabaseChoice, Flags, Secrets};
use crate::data_dir_lock::DataDirLock;
use crate::database::{self, OpenDatabase, cluster_settings};
use crate::error::CommandError;
use crate::{logging, setup};

/// Upgrades the embedded database to the newest PostgreSQL on this machine.
#[derive(Args)]
pub struct Upgrade {
    #[command(flatten)]
    flags: Flags,
    /// Only search for obstacles, and change nothing
    #[arg(long)]
    check: bool,
    /// Delete the folders of older versions that upgrades have kept
    #[arg(long, conflicts_with = "check")]
    remove_old: bool,
}

impl Upgrade {
    pub(super) async fn run(self) -> Result<ExitCode, CommandError> {
        let mut config = Config::load(&self.flags)?;
        let _flush_guard = logging::start(config.log.as_deref(), config.log_json)?;
        let _data_dir_lock = DataDirLock::acquire(&config.data)?;
        let secrets = config.secrets()?;
        let Some(settings) = cluster_settings(&config, &secrets) else {
            return Err("CLOCH_DB_URL names a server of its own: who runs it upgrades it".into());
        };
        if self.remove_old {
            remove_old(&settings)?;
            return Ok(ExitCode::SUCCESS);
        }
        let Some(way) = Way::plan(&settings)? else {
            print::line(
                "The database is of the newest PostgreSQL on this machine. Install a newer one beside it (Debian, Ubuntu: apt-get install \
                 postgresql-18), or name its bin folder in CLOCH_POSTGRES_BIN",
            )?;
            return Ok(ExitCode::SUCCESS);
        };
        print::line(format!("From PostgreSQL {} to {}", named(&way.old), named(&way.new)))?;
        let before = look_at_old(&mut config, &secrets, &way, self.check).await?;
        let begun = Instant::now();
        let way = blocking(way, Way::check).await?;
        if self.check {
            print::line("Nothing stands in the way; nothing was changed")?;
            return Ok(ExitCode::SUCCESS);
        }
        let way = blocking(way, Way::copy).await?;
        let kept = way.change_places()?;
        if let Err(error) = prove_new(&mut config, &secrets, &way, &before).await {
            way.go_back()?;
            return Err(
                format!("the old database was put back, because the new one is not what it was: {error}").into()
            );
        }
        // The state of the backup series is deleted, because the WAL of the upgraded cluster does not continue an existing
        // series.
        forget_series(&config.data.join("backup"))?;
        report(&config, &way, &before, &kept, begun)?;
        Ok(ExitCode::SUCCESS)
    }
}

fn named(binaries: &Binaries) -> String {
    format!("{} (programs in {})", binaries.version, binaries.folder.display())
}

async fn blocking(
    way: Way,
    work: impl FnOnce(&Way) -> Result<(), cloch_sql::embedded::EmbeddedError> + Send + 'static,
) -> Result<Way, CommandError> {
    Ok(tokio::task::spawn_blocking(move || work(&way).map(|()| way)).await??)
}

/// Opens the old cluster; if it has crashed, PostgreSQL recovers it at the start. Makes a backup, unless `is_check` is set. Returns the
/// numbers of its objects and rows.
async fn look_at_old(
    config: &mut Config,
    secrets: &Secrets,
    way: &Way,
    is_check: bool,
) -> Result<Contents, CommandError> {
    use_programs(config, &way.old);
    let opened = database::open_unseeded(config, secrets).await?;
    let outcome = async {
        let login = &opened.database.logins().maintenance;
        column_options::refuse_unknown(login).await?;
        if !is_check {
            back_up(config, secrets, &opened).await?;
        }
        let contents = Contents::read(login).await?;
        if !is_check {
            contents::reset_catalog_rights(login).await?;
        }
        Ok::<_, CommandError>(contents)
    }
    .await;
    close(opened).await;
    outcome
}

/// Makes a base backup and tests its restore, if backups are configured.
async fn back_up(config: &Config, secrets: &Secrets, opened: &OpenDatabase) -> Result<(), CommandError> {
    let mail = cloch_mail::Settings {
        inbox_key: secrets.inbox_key()?,
        seal_key: secrets.mail_key()?,
        ..setup::mail::settings(config)?
    };
    let mailer = Mailer::new(opened.database.clone(), mail)?;
    let settings = setup::backup::settings(config, secrets, &opened.database.logins().maintenance, &mailer)?;
    let Some(settings) = settings else {
        return Ok(print::line(
            "No backup is made, for cloch.toml has no [backup]: the old folder, which stays, is the way back",
        )?);
    };
    let (to, begun) = (settings.to.clone(), Instant::now());
    let restored = service::make_once(settings).await?;
    let proof = match restored {
        Some(restored) => format!("and restored beside: {} users, {} files", restored.users, restored.files),
        None => "it is not tried, because only the age identity can read it".to_owned(),
    };
    Ok(print::line(format!("A base backup was made in {to} ({:.1} s), {proof}", begun.elapsed().as_secs_f64()))?)
}

/// Verifies that the new cluster has the content of the old cluster, and that the server's start can open it.
async fn prove_new(config: &mut Config, secrets: &Secrets, way: &Way, before: &Contents) -> Result<(), CommandError> {
    use_programs(config, &way.new);
    let mut settings = cluster_settings(config, secrets).ok_or("the database is not embedded")?;
    // pg_cron's jobs are disabled, because a job that runs during the verification would change the compared content.
    settings.parameters.push(("cron.launch_active_jobs".to_owned(), "off".to_owned()));
    let cluster = database::start_cluster(config, settings).await?;
    let outcome = async {
        let login = cluster.login();
        before.compare(&Contents::read(&login).await?)?;
        for problem in contents::freshen(&login).await? {
            print::line(problem)?;
        }
        Ok::<_, CommandError>(())
    }
    .await;
    cluster.stop().await;
    outcome?;
    close(database::open_unseeded(config, secrets).await?).await;
    Ok(())
}

fn use_programs(config: &mut Config, programs: &Binaries) {
    if let DatabaseChoice::Embedded { binaries, .. } = &mut config.database {
        *binaries = Some(programs.folder.clone());
    }
}

async fn close(opened: OpenDatabase) {
    drop(opened.database);
    if let Some(cluster) = opened.cluster {
        cluster.stop().await;
    }
}

fn report(config: &Config, way: &Way, before: &Contents, kept: &Path, begun: Instant) -> Result<(), CommandError> {
    print::line(format!(
        "The database is PostgreSQL {} now ({:.1} s): {}",
        way.new.version,
        begun.elapsed().as_secs_f64(),
        before.summary()
    ))?;
    print::line(format!(
        "The old one is kept in {}. When you are sure: cloch upgrade --remove-old. To go back, with the loss of what was written since: stop \
         the server, delete {} and give the kept folder its name",
        kept.display(),
        kept.with_file_name("db").display()
    ))?;
    if config.cloch.backup.to.is_some() {
        print::line("The next start makes a base backup of the new one; until then the backup ends with the old one")?;
    }
    if config.postgres_bin.as_deref().is_some_and(|named| named != way.new.folder) {
        print::line(format!("CLOCH_POSTGRES_BIN must name {} from now on", way.new.folder.display()))?;
    }
    Ok(())
}

fn remove_old(settings: &ClusterSettings) -> Result<(), CommandError> {
    let old = Way::remove_old(settings)?;
    if old.is_empty() {
        print::line("No folder of an older version is kept")?;
    }
    for cluster in old {
        print::line(format!("Deleted {} (PostgreSQL {})", cluster.folder.display(), cluster.version))?;
    }
    Ok(())
}
