//! Queries the primary and its replica for the identity of their cluster and for WAL positions.

use std::time::Duration;

use tokio::time::timeout;

use super::log_end::LSN_AND_TIMELINE;
use super::lsn::Lsn;
use super::samples::Sample;
use crate::client::{BatchStatement, ClientError, Connection, Row, Rows};
use crate::login::Login;

/// Timeout for a query of the primary or replica, and for opening a connection.
const TIMEOUT: Duration = Duration::from_secs(1);

const SYSTEM: &str = "select (select system_identifier from pg_control_system())::text, current_database()::text";
/// SQL query for the replayed WAL position and the timeline of a standby. The timeline is visible only to members of pg_read_all_stats, and
/// only while the standby streams WAL.
const STANDBY: &str = "select pg_is_in_recovery()::text, pg_last_wal_replay_lsn()::text, \
                       (select received_tli from pg_stat_wal_receiver)::text";

/// Identity of a database: the cluster's system identifier, which a standby shares with its primary, and the database's name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct System {
    cluster: String,
    database: String,
}

impl System {
    /// Returns why `other` is not a replica of this database; `None` if it is a replica.
    pub(super) fn differs_from(&self, other: &Self) -> Option<String> {
        if self.cluster != other.cluster {
            return Some("it is a copy of another server than the primary's".to_owned());
        }
        (self.database != other.database)
            .then(|| format!("its database is {}, and the primary's is {}", other.database, self.database))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Position {
    /// WAL position up to which the standby has replayed the WAL; `None` if nothing has been replayed yet.
    pub(super) replayed: Option<Lsn>,
    /// Timeline of the WAL that the standby receives; `None` if the login cannot read the timeline.
    pub(super) timeline: Option<u32>,
}

/// Connection to the primary or the replica, opened on demand.
#[derive(Debug)]
pub(super) struct Server {
    login: Login,
    open: Option<(Connection, System)>,
}

impl Server {
    pub(super) fn new(login: Login) -> Self {
        Self { login, open: None }
    }

    pub(super) fn login(&self) -> &Login {
        &self.login
    }

    /// Returns the identity of the server's database. Opens the connection if necessary.
    pub(super) async fn system(&mut self) -> Result<System, ClientError> {
        if let Some((connection, system)) = &self.open
            && !connection.is_broken()
            && !self.login.availability.is_outdated(connection.opened_at())
        {
            return Ok(system.clone());
        }
        self.open = None;
        let opening = async {
            let mut connection = Connection::open(&self.login).await?;
            let row = ask(&mut connection, SYSTEM).await?;
            let text = |index| row.text(index).unwrap_or_default().to_owned();
            Ok::<_, ClientError>((connection, System { cluster: text(0), database: text(1) }))
        };
        let (connection, system) = timeout(TIMEOUT, opening).await.unwrap_or_else(|_| Err(no_answer()))?;
        self.open = Some((connection, system.clone()));
        Ok(system)
    }

    /// Queries the end of the primary's WAL and returns it as a sample.
    pub(super) async fn sample(&mut self) -> Result<Sample, ClientError> {
        let sample = Sample::begin();
        let row = self.ask(LSN_AND_TIMELINE).await?;
        let timeline: Option<i64> = number(&row, 1);
        let timeline = timeline.and_then(|timeline| u32::try_from(timeline).ok());
        let lsn = lsn(&row, 0).zip(timeline);
        let (lsn, timeline) = lsn.ok_or_else(|| ClientError::Lost("the server returned no WAL position".to_owned()))?;
        Ok(sample(lsn, timeline))
    }

    /// Queries the replayed WAL position and the timeline of the standby. Returns `None` if the server is not a standby.
    pub(super) async fn position(&mut self) -> Result<Option<Position>, ClientError> {
        let row = self.ask(STANDBY).await?;
        let is_standby = row.text(0) == Some("true");
        Ok(is_standby.then(|| Position { replayed: lsn(&row, 1), timeline: number(&row, 2) }))
    }

    async fn ask(&mut self, sql: &str) -> Result<Row, ClientError> {
        self.system().await?;
        let (connection, _) = self.open.as_mut().ok_or_else(no_answer)?;
        let answer = timeout(TIMEOUT, ask(connection, sql)).await.unwrap_or_else(|_| Err(no_answer()));
        if answer.is_err() {
            self.open = None;
        }
        answer
    }
}

async fn ask(connection: &mut Connection, sql: &str) -> Result<Row, ClientError> {
    let mut rows = Rows::default();
    connection.run("", &mut [BatchStatement { sql, params: &[], sink: Some(&mut rows) }]).await?;
    rows.rows().first().cloned().ok_or_else(no_answer)
}

fn no_answer() -> ClientError {
    ClientError::Lost("the server does not answer".to_owned())
}

fn lsn(row: &Row, index: usize) -> Option<Lsn> {
    row.text(index)?.parse().ok()
}

fn number<T: std::str::FromStr>(row: &Row, index: usize) -> Option<T> {
    row.text(index)?.parse().ok()
}
