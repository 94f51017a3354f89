//! A backup session begins when the database and the backup target are both reachable, and ends when one of them fails. During the session,
//! new data is copied to the backup target several times a second.

use std::sync::Arc;
use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};
use cloch_sql::embedded::{Binaries, ClusterSettings};
use sqlx::{ConnectOptions, Connection, PgConnection, Row};
use tokio_util::sync::CancellationToken;

use crate::base::Cluster;
use crate::blobs::BlobShipper;
use crate::error::{BackupError, Result};
use crate::inventory::refuse_older_point;
use crate::layout::{self, Point};
use crate::lineage;
use crate::lsn::Lsn;
use crate::project::ProjectShipper;
use crate::repository::Repository;
use crate::restore_point::{self, read_lsn};
use crate::settings::Settings;
use crate::signed_json;
use crate::status::{State, Status};
use crate::target::Target;
use crate::trust::Known;
use crate::wal::WalShipper;

/// Name of the replication slot that keeps WAL in PostgreSQL until the WAL is copied.
const SLOT: &str = "cloch_backup";
/// Name prefix of a backup series without WAL, for a database that an external provider hosts. When a project's database moves to or from a
/// provider, a new series begins, because a series with WAL and a series without WAL cannot continue each other.
const FILES_PREFIX: &str = "files-";
/// Time between two checks of the project's folder for changes.
const PROJECT_INTERVAL: Duration = Duration::from_secs(10);
/// Time between two writes of the recovery point if there is no new data.
const IDLE_POINT_INTERVAL: Duration = Duration::from_secs(10);

/// A connected database and an open backup target.
pub(crate) struct Session {
    pub(crate) repository: Repository,
    /// The embedded database cluster; `None` if an external provider hosts the database.
    pub(crate) cluster: Option<Cluster>,
    pub(crate) series: String,
    state: State,
    /// Sequence number of the last recovery point.
    number: u64,
    connection: PgConnection,
    blobs: BlobShipper,
    wal: Option<WalShipper>,
    project: ProjectShipper,
    point: Option<Point>,
    written: Option<WrittenPoint>,
}

/// The last recovery point that this session wrote into the backup target.
struct WrittenPoint {
    at: Instant,
    until: DateTime<Utc>,
}

impl Session {
    /// Opens the backup target and connects to the database. `before` is the repository that an earlier session opened. `is_known` means
    /// that only the database has failed since the earlier session. In this case, the file storage and the backup target need not be
    /// compared again to find blobs that were not copied.
    pub(crate) async fn open(settings: &Settings, before: Option<&Repository>, is_known: bool) -> Result<Self> {
        let folder = settings.folder();
        let mut state = State::read(&folder);
        let mut connection = settings.login.sqlx_options().application_name("cloch backup").connect().await?;
        let repository = open_target(settings, &state, before, &mut connection).await?;
        let last_number = last_number(&repository, &state).await?;
        let last_series = state.series.clone();
        let known = state.series.take();
        let (cluster, series, kept_from) = match &settings.cluster {
            None => {
                let known = known.filter(|name| name.starts_with(FILES_PREFIX));
                let series = known.unwrap_or_else(|| format!("{FILES_PREFIX}{}", layout::moment_name(Utc::now())));
                (None, series, None)
            }
            Some(of) => {
                let cluster = cluster(of, &mut connection).await?;
                let known = known.filter(|name| !name.starts_with(FILES_PREFIX));
                let (series, kept_from) = series(known, &mut connection).await?;
                (Some(cluster), series, Some(kept_from))
            }
        };
        let number = last_number.filter(|_| last_series.as_ref() == Some(&series));
        let state = State {
            target: Some(repository.id.clone()),
            series: Some(series.clone()),
            point: number,
            verifier: repository.verifier().map(|verifier| verifier.to_string()),
        };
        state.write(&folder).map_err(BackupError::io(&folder))?;
        lineage::sign(settings, &repository, &series).await?;
        let log_folder = settings.data.join("db/pg_wal");
        let wal = match (&cluster, kept_from) {
            (Some(cluster), Some(kept_from)) => {
                let (timeline, segment_bytes) = (cluster.timeline, cluster.segment_bytes);
                let from = kept_from;
                Some(WalShipper::resume(&repository, &series, log_folder, timeline, segment_bytes, from).await?)
            }
            _ => None,
        };
        let store = cloch_storage::backend::open(&settings.files)?;
        let blobs = BlobShipper::new(repository.clone(), store, Arc::clone(&settings.new_blobs));
        if !(is_known && settings.new_blobs.is_compared()) {
            blobs.compare().await?;
        }
        let project = ProjectShipper::default();
        let (number, point, written) = (number.unwrap_or(0), None, None);
        Ok(Self { repository, cluster, series, state, number, connection, blobs, wal, project, point, written })
    }

    /// Returns the name of the latest archive of the secrets and the project's folder in the backup target. `None` if this session has not
    /// written one yet.
    pub(crate) fn project_archive(&self) -> Option<String> {
        self.project.name()
    }

    /// Writes the archive of the secrets and the project's folder even if its content is unchanged.
    pub(crate) async fn write_project(&mut self, settings: &Settings) -> Result<()> {
        self.project = ProjectShipper::default();
        self.project.ship(settings, &self.repository, &self.series, PROJECT_INTERVAL).await
    }

    /// Copies new data to the backup target, then writes the recovery point, which makes the present moment restorable.
    pub(crate) async fn tick(&mut self, settings: &Settings, status: &mut Status) -> Result<()> {
        self.project.ship(settings, &self.repository, &self.series, PROJECT_INTERVAL).await?;
        let point = match self.wal.is_some() {
            true => self.tick_with_log(settings, status).await?,
            false => self.tick_without_log(settings).await?,
        };
        let is_idle = self.point.as_ref().is_some_and(|last| last.end >= point.end && last.mark == point.mark);
        if !is_idle || self.written.as_ref().is_none_or(|written| written.at.elapsed() >= IDLE_POINT_INTERVAL) {
            self.number += 1;
            let point = Point { number: self.number, settings: self.project.name(), ..point.clone() };
            signed_json::put(&self.repository, &layout::point(&self.series), &point).await?;
            self.written = Some(WrittenPoint { at: Instant::now(), until: point.until });
            self.state.point = Some(self.number);
            let folder = settings.folder();
            self.state.write(&folder).map_err(BackupError::io(&folder))?;
        }
        // Not `point.until`: a restore refuses moments after the recovery point in the backup target.
        status.restorable_until = self.written.as_ref().map(|written| written.until);
        self.point = Some(point);
        Ok(())
    }

    /// Returns the end of the WAL that the last recovery point covers; zero if an external provider hosts the database.
    pub(crate) fn covered_end(&self) -> Lsn {
        self.point.as_ref().map_or(Lsn(0), |point| point.end)
    }

    /// Copies new data for the last time in this session. In contrast to [`tick`](Self::tick), writes the recovery point even if there is no
    /// new data.
    pub(crate) async fn end(&mut self, settings: &Settings, status: &mut Status) -> Result<()> {
        self.written = None;
        self.tick(settings, status).await
    }

    /// Copies new blobs and returns the recovery point for the present. A blob is complete before a row that refers to it is written.
    /// Therefore each blob to which a row now refers is in the queue or in the backup target.
    async fn tick_without_log(&mut self, settings: &Settings) -> Result<Point> {
        let now = sqlx::query_scalar("select clock_timestamp()").fetch_one(&mut self.connection).await?;
        self.blobs.until_copied(settings.new_blobs.next_number()).await?;
        Ok(point(Lsn(0), now, Lsn(0), now))
    }

    async fn tick_with_log(&mut self, settings: &Settings, status: &mut Status) -> Result<Point> {
        let (flushed, now) = self.flushed().await?;
        let is_idle = self.point.as_ref().is_some_and(|point| point.end >= flushed);
        let (mark, marked, end) = match (&self.point, is_idle) {
            (Some(point), true) => (point.mark, point.marked, point.end),
            _ => {
                let mark = restore_point::write(&mut self.connection).await?;
                (mark.position, mark.written, mark.end)
            }
        };
        let Some(wal) = &mut self.wal else { return Err(BackupError::Stopped) };
        status.waiting_log_bytes = end.0.saturating_sub(wal.shipped().0);
        let kept_from = wal.keep_from();
        // A blob is stored before its row is committed. Therefore the blobs of all rows that were committed up to `end` have queue numbers
        // below the next number.
        let blobs = self.blobs.until_copied(settings.new_blobs.next_number());
        tokio::try_join!(blobs, wal.ship(&self.repository, end))?;
        let keep_from = wal.keep_from();
        if keep_from > kept_from {
            advance_slot(&mut self.connection, keep_from).await?;
        }
        status.waiting_log_bytes = 0;
        Ok(point(mark, marked, end, if is_idle { now } else { marked }))
    }

    /// Copies new blobs for the given time, so that few remain when the next recovery point is written.
    pub(crate) async fn ship_new_blobs(&mut self, duration: Duration, shutdown: &CancellationToken) -> Result<()> {
        tokio::select! {
            outcome = self.blobs.copy_on() => outcome,
            () = tokio::time::sleep(duration) => Ok(()),
            () = shutdown.cancelled() => Ok(()),
        }
    }

    /// Returns the WAL position up to which PostgreSQL has flushed its WAL, and the current time of the database's clock.
    async fn flushed(&mut self) -> Result<(Lsn, DateTime<Utc>)> {
        let row = sqlx::query(
            "select pg_current_wal_flush_lsn()::text, now(),
                    (select wal_status from pg_replication_slots where slot_name = $1)",
        )
        .bind(SLOT)
        .fetch_one(&mut self.connection)
        .await?;
        let wal_status: Option<String> = row.try_get(2)?;
        if !matches!(wal_status.as_deref(), Some("reserved" | "extended" | "unreserved")) {
            return Err(BackupError::Refused("PostgreSQL has dropped log that was not copied yet".to_owned()));
        }
        Ok((read_lsn(&row, 0)?, row.try_get(1)?))
    }
}

/// Creates a recovery point whose sequence number is set later, when the recovery point is written.
fn point(mark: Lsn, marked: DateTime<Utc>, end: Lsn, until: DateTime<Utc>) -> Point {
    Point { mark, marked, end, until, number: 0, settings: None, is_mended: false }
}

/// Returns the sequence number of the last recovery point of this server's backup series. `None` if this server has not written a signed
/// recovery point.
///
/// # Errors
/// If the recovery point in the backup target has a lower number or is missing.
async fn last_number(repository: &Repository, state: &State) -> Result<Option<u64>> {
    let (Some(series), Some(number)) = (&state.series, state.point) else { return Ok(None) };
    let name = layout::point(series);
    match signed_json::get::<Point>(repository, &name).await {
        // The damaged recovery point will be rewritten with the number after this one.
        Err(BackupError::Damaged { .. }) => Ok(Some(number)),
        found => {
            let found = found?;
            refuse_older_point(&name, found.as_ref(), number)?;
            // If the server was killed before it saved its state, the number of the recovery point is higher than the number in the saved
            // state.
            Ok(found.map(|point| point.number.max(number)))
        }
    }
}

/// Opens the backup target. An advisory lock prevents two nodes from opening a new target at the same time. Without this lock, each node
/// would create its own key, and only the last key would be kept.
async fn open_target(
    settings: &Settings,
    state: &State,
    before: Option<&Repository>,
    connection: &mut PgConnection,
) -> Result<Repository> {
    let target = Target::open(&settings.to, &settings.s3)?;
    let known = state.target.as_deref().map(|id| Known { id, is_signed: state.verifier.is_some() });
    let open = Repository::open(target, &settings.project_id, &settings.encryption, known, before);
    if known.is_some() {
        return open.await;
    }
    let mut lock = connection.begin().await?;
    sqlx::query("select pg_advisory_xact_lock(hashtext('cloch.backup'))").execute(&mut *lock).await?;
    let repository = open.await?;
    lock.commit().await?;
    Ok(repository)
}

/// Advances the replication slot, so that PostgreSQL can remove copied WAL segments.
async fn advance_slot(connection: &mut PgConnection, to: Lsn) -> Result<()> {
    let advance = sqlx::query("select pg_replication_slot_advance($1, $2::text::pg_lsn)");
    advance.bind(SLOT).bind(to.to_string()).execute(connection).await?;
    Ok(())
}

/// Returns the backup series to continue. If the replication slot is missing or has lost WAL, returns a new series. Also returns the first
/// WAL position that the slot keeps.
async fn series(known: Option<String>, connection: &mut PgConnection) -> Result<(String, Lsn)> {
    match (known, kept_from(connection).await?) {
        (Some(series), Some(kept_from)) => Ok((series, kept_from)),
        (known, _) => {
            if let Some(run) = known {
                tracing::error!(
                    %run,
                    "backup: write-ahead log lost before it was copied, starting a new base backup: points in time before the new base backup \
                     that need the lost log cannot be restored"
                );
            }
            Ok((layout::moment_name(Utc::now()), make_slot(connection).await?))
        }
    }
}

async fn cluster(settings: &ClusterSettings, connection: &mut PgConnection) -> Result<Cluster> {
    let row = sqlx::query(
        "select system_identifier::text, timeline_id, pg_size_bytes(current_setting('wal_segment_size')),
                (current_setting('server_version_num')::int / 10000)::text
           from pg_control_system(), pg_control_checkpoint()",
    )
    .fetch_one(connection)
    .await?;
    let (timeline, segment_bytes): (i32, i64) = (row.try_get(1)?, row.try_get(2)?);
    let version: String = row.try_get(3)?;
    Ok(Cluster {
        system_identifier: row.try_get(0)?,
        timeline: u32::try_from(timeline).unwrap_or(1),
        segment_bytes: u64::try_from(segment_bytes).unwrap_or(16 << 20),
        binaries: Binaries::find(settings, Some(&version))?,
    })
}

/// Returns the first WAL position that the replication slot keeps. `None` if the slot does not exist or has lost WAL.
async fn kept_from(connection: &mut PgConnection) -> Result<Option<Lsn>> {
    let row = sqlx::query(
        "select restart_lsn::text from pg_replication_slots
          where slot_name = $1 and restart_lsn is not null and wal_status <> 'lost'",
    )
    .bind(SLOT)
    .fetch_optional(connection)
    .await?;
    row.map(|row| read_lsn(&row, 0)).transpose()
}

async fn make_slot(connection: &mut PgConnection) -> Result<Lsn> {
    sqlx::query("select pg_drop_replication_slot(slot_name) from pg_replication_slots where slot_name = $1")
        .bind(SLOT)
        .execute(&mut *connection)
        .await?;
    let row = sqlx::query("select lsn::text from pg_create_physical_replication_slot($1, true)")
        .bind(SLOT)
        .fetch_one(connection)
        .await?;
    read_lsn(&row, 0)
}
