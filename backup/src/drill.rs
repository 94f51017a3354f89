//! Restore drills (test restores): restores the latest backup into a temporary copy beside the running server, verifies the copy and deletes the
//! copy, on schedule or on request.

use std::path::PathBuf;
use std::time::Duration;

use chrono::{DateTime, Utc};
use cloch_core::Secret;
use cloch_mail::Message;
use cloch_sql::database::Login;
use cloch_sql::embedded::Binaries;
use sqlx::{ConnectOptions, Connection};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::background;
use crate::dump_drill;
use crate::error::{BackupError, Result};
use crate::repository::Repository;
use crate::restore::{self, Request, Restored};
use crate::settings::Settings;
use crate::status::{Drill, State, Status};
use crate::target::Target;
use crate::trust::{Encryption, Trust};

/// Name of a file in the folder `backup` of the data folder. If the file exists, the server runs a restore drill and deletes the file.
pub const REQUEST_FILE: &str = "drill";
/// Delay between the first base backup and the first restore drill.
const FIRST_AFTER: Duration = Duration::from_secs(60 * 60);
/// Delay before a failed restore drill is repeated. If the configured interval between drills is shorter, the interval applies instead.
const REPEAT_AFTER: Duration = Duration::from_secs(24 * 60 * 60);
/// Minimum time between two mails about failed or overdue restore drills.
const MAIL_AGAIN: Duration = Duration::from_secs(24 * 60 * 60);
/// Maximum time until the row that a restore drill inserts into `cloch.backup_drills` is in the backup.
const SHIPPED_TIMEOUT: Duration = Duration::from_secs(60);
/// Time between two checks whether the restore drill's row in `cloch.backup_drills` is in the backup.
const POLL_INTERVAL: Duration = Duration::from_millis(300);
/// Number of days for which rows of `cloch.backup_drills` are kept.
const KEEP_DAYS: i32 = 400;

/// Returns the passphrase with which the server can decrypt its own backups. Returns `None` if backups are encrypted to an age recipient.
pub(crate) fn key(encryption: &Encryption) -> Option<&Secret> {
    match encryption {
        Encryption::Passphrase(passphrase) => Some(passphrase),
        Encryption::Recipient { .. } => None,
    }
}

/// Whether the schedule requires a restore drill now.
pub(crate) fn is_due(every: Option<Duration>, status: &Status, now: DateTime<Utc>) -> bool {
    let Some(every) = every else { return false };
    let (since, pause) = match (&status.last_drill, status.last_base) {
        (Some(drill), _) if drill.failure.is_some() => (drill.ended, every.min(REPEAT_AFTER)),
        (Some(drill), _) => (drill.ended, every),
        (None, Some(base)) => (base, every.min(FIRST_AFTER)),
        (None, None) => return false,
    };
    age(since, now) >= pause
}

/// Returns the problem to report to the operators: the last restore drill failed, or no restore drill has succeeded within twice the
/// configured interval. Returns `None` if there is no problem.
#[must_use]
pub fn problem(status: &Status, every: Option<Duration>, now: DateTime<Utc>) -> Option<String> {
    if let Some(failure) = status.last_drill.as_ref().and_then(|drill| drill.failure.as_ref()) {
        return Some(format!("the last restore drill failed: {failure}"));
    }
    let since = status.last_good_drill.or(status.drills_since)?;
    (age(since, now) > every? * 2).then(|| format!("no restore drill has succeeded since {}", since.to_rfc3339()))
}

/// Whether a mail about restore drills is due. After a mail, the next one is due a day later. A new failure of a drill deletes the time of
/// the last mail (`drill_mailed`), so that a mail is due at once.
pub(crate) fn mail_is_due(status: &Status, now: DateTime<Utc>) -> bool {
    status.drill_mailed.is_none_or(|mailed| age(mailed, now) >= MAIL_AGAIN)
}

fn age(moment: DateTime<Utc>, now: DateTime<Utc>) -> Duration {
    now.signed_duration_since(moment).to_std().unwrap_or_default()
}

/// Starts a restore drill on a background thread. The result is `None` if the server stops before the drill ends.
pub(crate) fn start(settings: Settings, shutdown: CancellationToken) -> JoinHandle<Result<Option<Drill>>> {
    background::start("backup drill", move || async move { Ok(shutdown.run_until_cancelled(make(settings)).await) })
}

/// Runs a restore drill: inserts a row into `cloch.backup_drills`, waits until this row is in the backup, restores and verifies a copy, deletes the
/// copy, and records the outcome.
async fn make(settings: Settings) -> Drill {
    let begun = std::time::Instant::now();
    let id = begin(&settings.login).await;
    let outcome = match &id {
        Ok((id, written)) => restored(&settings, *id, *written).await,
        Err(error) => Err(BackupError::Refused(error.to_string())),
    };
    let failure = outcome.as_ref().err().map(ToString::to_string);
    let drill_id = id.as_ref().ok().map(|(id, _)| *id);
    if let Ok((id, _)) = id
        && let Err(error) = end(&settings.login, id, &outcome).await
    {
        tracing::warn!(%error, drill.id = id, "backup: recording the outcome of a restore drill (test restore) failed, its row in cloch.backup_drills stays without a result");
    }
    let duration_ms = begun.elapsed().as_millis();
    match &outcome {
        Ok(restored) => tracing::info!(
            drill.id = drill_id,
            drill.restored_to = %restored.moment,
            drill.files = restored.files,
            drill.database_bytes = restored.base_bytes,
            drill.tables_compared = restored.is_amchecked,
            duration_ms,
            "backup: a restore drill succeeded: a copy was restored from the backup and verified"
        ),
        Err(error) => {
            tracing::error!(%error, drill.id = drill_id, duration_ms, "backup: restore drill failed: the test restore was not successful, the backup may be unusable")
        }
    }
    Drill { ended: Utc::now(), failure }
}

async fn restored(settings: &Settings, id: i64, written: DateTime<Utc>) -> Result<Restored> {
    let key = key(&settings.encryption).ok_or_else(|| {
        BackupError::Refused(
            "with an age recipient the server cannot read its own backups: run `cloch restore --check` where the identity is".to_owned(),
        )
    })?;
    wait_until_shipped(settings, written).await?;
    match settings.cluster {
        Some(_) => restore_beside(settings, key, Some(id)).await,
        None => dump_drill::run(settings, key, id).await,
    }
}

/// Restores the latest moment of the backup into a temporary copy beside the database cluster, and verifies the copy. Returns `None` if the server
/// has no key to decrypt the backup.
pub(crate) async fn try_now(settings: &Settings) -> Result<Option<Restored>> {
    match key(&settings.encryption) {
        Some(key) => restore_beside(settings, key, None).await.map(Some),
        None => Ok(None),
    }
}

async fn restore_beside(settings: &Settings, key: &Secret, drill: Option<i64>) -> Result<Restored> {
    // Read the saved state (`state.json`) before the backup target. The running server keeps updating both. If the target were read first,
    // it could be older than the saved state, and would then count as replaced.
    let state = State::read(&settings.folder());
    let repository = Repository::existing(Target::open(&settings.to, &settings.s3)?, &Trust::of_key(key)).await?;
    let request = Request {
        data: folder(settings),
        to: None,
        key: key.clone(),
        binaries: binaries(settings)?,
        database: None,
        is_check: true,
        allow_missing: false,
        // Restore only the backup series of this server, because another server may write into the same backup target.
        run: state.series.clone(),
        drill,
        at_least: None,
        state,
    };
    restore::sweep(&request.data)?;
    restore::run(&repository, &request, &|_, _, _| {}).await
}

/// Returns the folder of the PostgreSQL programs that run the server's database cluster. If an external provider hosts the database, returns
/// the configured folder, or `None` if no folder is configured.
pub(crate) fn binaries(settings: &Settings) -> Result<Option<PathBuf>> {
    let Some(cluster) = &settings.cluster else { return Ok(settings.binaries.clone()) };
    let version = std::fs::read_to_string(cluster.folder.join("PG_VERSION")).ok();
    Ok(Some(Binaries::find(cluster, version.as_deref().map(str::trim))?.folder))
}

/// Returns the data folder of a restore drill's copy. Temporary restore folders are created next to this folder.
pub(crate) fn folder(settings: &Settings) -> PathBuf {
    settings.data.join("drill")
}

/// Waits until the status file, which the backup service updates after each copy, shows that the backup covers `moment`.
async fn wait_until_shipped(settings: &Settings, moment: DateTime<Utc>) -> Result<()> {
    let shipped = async {
        loop {
            let until = Status::read(&settings.folder()).and_then(|status| status.restorable_until);
            if until.is_some_and(|until| until >= moment) {
                return;
            }
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    };
    tokio::time::timeout(SHIPPED_TIMEOUT, shipped).await.map_err(|_| {
        BackupError::Refused(format!(
            "what was written at {} was not copied within {} seconds: see `cloch backup status`",
            moment.to_rfc3339(),
            SHIPPED_TIMEOUT.as_secs()
        ))
    })
}

/// Inserts the row of a restore drill into `cloch.backup_drills`. Returns the row's id and the insertion time by the database's clock.
async fn begin(login: &Login) -> Result<(i64, DateTime<Utc>)> {
    let mut connection = login.sqlx_options().application_name("cloch backup").connect().await?;
    sqlx::query("delete from cloch.backup_drills where begun_at < now() - make_interval(days => $1)")
        .bind(KEEP_DAYS)
        .execute(&mut connection)
        .await?;
    let insert = "insert into cloch.backup_drills default values returning id, clock_timestamp()";
    let row = sqlx::query_as(insert).fetch_one(&mut connection).await?;
    connection.close().await?;
    Ok(row)
}

async fn end(login: &Login, id: i64, outcome: &Result<Restored>) -> Result<()> {
    let count = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    let restored = outcome.as_ref().ok();
    let mut connection = login.sqlx_options().application_name("cloch backup").connect().await?;
    sqlx::query(
        "update cloch.backup_drills
            set ended_at = clock_timestamp(), failure = $2, restored_to = $3, database_bytes = $4, files = $5, file_bytes = $6,
                users = $7, tables_compared = $8
          where id = $1",
    )
    .bind(id)
    .bind(outcome.as_ref().err().map(ToString::to_string))
    .bind(restored.map(|restored| restored.moment))
    .bind(restored.map(|restored| count(restored.base_bytes)))
    .bind(restored.map(|restored| count(restored.files)))
    .bind(restored.map(|restored| count(restored.file_bytes)))
    .bind(restored.map(|restored| count(restored.users)))
    .bind(restored.map(|restored| restored.is_amchecked))
    .execute(&mut connection)
    .await?;
    connection.close().await?;
    Ok(())
}

/// Queues a mail to the operators about a problem of the backup.
pub(crate) async fn mail(settings: &Settings, problem: &str) -> Result<()> {
    let refused = |error: cloch_mail::MailError| BackupError::Refused(error.to_string());
    let text = format!(
        "The backup of {} in {} needs your attention: {problem}\n\nSee what is wrong with `cloch backup status` and `cloch backup check`; when \
         it is repaired, prove it with `cloch backup drill`. What to do is written in docs/operations/back-up.md, \"When something is wrong\".\n",
        settings.project_id, settings.to
    );
    let html = maud::html! { @for paragraph in text.split("\n\n") { p { (paragraph.trim()) } } }.into_string();
    let subject = format!("{}: the backup cannot be relied on", settings.project_id);
    let message = Message::new("backup", settings.drill.recipients(), &subject, html).map_err(refused)?;
    let mut connection = settings.login.sqlx_options().application_name("cloch backup").connect().await?;
    settings.drill.mailer.queue(&mut connection, &message.with_text(text)).await.map_err(refused)?;
    connection.close().await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: Duration = Duration::from_secs(24 * 60 * 60);

    fn after_days(days: f64) -> DateTime<Utc> {
        DateTime::UNIX_EPOCH + DAY.mul_f64(days)
    }

    fn drilled(failure: Option<&str>) -> Status {
        let ended = after_days(0.0);
        let drill = Drill { ended, failure: failure.map(str::to_owned) };
        let last_good_drill = failure.is_none().then_some(ended);
        Status {
            last_base: Some(ended),
            drills_since: Some(ended),
            last_drill: Some(drill),
            last_good_drill,
            ..Status::default()
        }
    }

    #[test]
    fn drills_are_made_by_schedule_and_repeated_after_a_failure() {
        let (every, fresh) = (Some(DAY * 7), Status { last_base: Some(after_days(0.0)), ..Status::default() });
        assert!(
            !is_due(every, &Status::default(), after_days(9.0)),
            "without a base backup there is nothing to restore"
        );
        assert!(
            !is_due(every, &fresh, after_days(0.03)) && is_due(every, &fresh, after_days(0.05)),
            "an hour after the first"
        );
        assert!(!is_due(every, &drilled(None), after_days(6.9)) && is_due(every, &drilled(None), after_days(7.1)));
        let failed = drilled(Some("damaged"));
        assert!(!is_due(every, &failed, after_days(0.9)) && is_due(every, &failed, after_days(1.1)));
        assert!(!is_due(None, &failed, after_days(99.0)));
    }

    #[test]
    fn operators_are_told_of_failures_and_of_drills_that_are_overdue() {
        let every = Some(DAY * 7);
        assert_eq!(problem(&drilled(None), every, after_days(13.9)), None);
        assert!(problem(&drilled(None), every, after_days(14.1)).is_some_and(|text| text.contains("since 1970-01-01")));
        assert!(
            problem(&drilled(Some("damaged")), every, after_days(0.0)).is_some_and(|text| text.contains("damaged"))
        );
        let never = Status { drills_since: Some(after_days(0.0)), ..Status::default() };
        assert!(problem(&never, every, after_days(14.1)).is_some(), "also where none was ever made");
        assert_eq!(problem(&never, None, after_days(99.0)), None);
        let mailed = Status { drill_mailed: Some(after_days(0.0)), ..never };
        assert!(!mail_is_due(&mailed, after_days(0.9)) && mail_is_due(&mailed, after_days(1.1)));
    }
}
