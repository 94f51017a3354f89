//! What the primary and its replica are asked: which system they are, and where in the log.

use std::time::Duration;

use tokio::time::timeout;

use super::log_end::LSN_AND_TIMELINE;
use super::lsn::Lsn;
use super::samples::Sample;
use crate::client::{BatchStatement, ClientError, Connection, Row, Rows};
use crate::login::Login;

/// For an answer to one question, and for opening a connection.
const TIMEOUT: Duration = Duration::from_secs(1);

const SYSTEM: &str = "select (select system_identifier from pg_control_system())::text, current_database()::text";
/// The timeline is seen by members of pg_read_all_stats only, and where the log is streamed.
const STANDBY: &str = "select pg_is_in_recovery()::text, pg_last_wal_replay_lsn()::text, \
                       (select received_tli from pg_stat_wal_receiver)::text";

/// Which database it is: the cluster, of which a standby is a copy, and the name in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct System {
    cluster: String,
    database: String,
}

impl System {
    /// Why the other is no replica of this one.
    pub(super) fn differs_from(&self, other: &Self) -> Option<String> {
        if self.cluster != other.cluster {
            return Some("it is a copy of another server than the primary's".to_owned());
        }
        (self.database != other.database)
            .then(|| format!("its database is {}, and the primary's is {}", other.database, self.database))
    }
}

/// Where a standby is in the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Position {
    /// What it has replayed; `None` where it has replayed nothing yet.
    pub(super) replayed: Option<Lsn>,
    /// The timeline that it receives, where that can be seen.
    pub(super) timeline: Option<u32>,
}

/// A connection to the primary or the replica, opened when it is needed.
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

    /// Which system it is. Opens the connection, if there is none.
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

    /// The end of the primary's log.
    pub(super) async fn sample(&mut self) -> Result<Sample, ClientError> {
        let sample = Sample::begin();
        let row = self.ask(LSN_AND_TIMELINE).await?;
        let timeline: Option<i64> = number(&row, 1);
        let timeline = timeline.and_then(|timeline| u32::try_from(timeline).ok());
        let lsn = lsn(&row, 0).zip(timeline);
        let (lsn, timeline) = lsn.ok_or_else(|| ClientError::Lost("the server tells no position".to_owned()))?;
        Ok(sample(lsn, timeline))
    }

    /// Where the standby is; `None` where it is none.
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
