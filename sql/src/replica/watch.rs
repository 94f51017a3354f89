//! Background task that monitors the replica: whether it is a standby of the primary, and how much of the primary's WAL it has replayed.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use super::samples::Samples;
use super::server::{Position, Server, System};
use super::{Replica, View};
use crate::client::ClientError;
use crate::login::Login;
use crate::metrics;

/// Time between two rounds of queries to the primary and the replica. After a write, the primary executes the reads of the same caller for
/// about this time.
pub(super) const POLL_INTERVAL: Duration = Duration::from_millis(100);
/// First delay before a lost replica is tried again. The delay doubles after each attempt.
const FIRST_RETRY: Duration = Duration::from_secs(1);
const LAST_RETRY: Duration = Duration::from_secs(30);

pub(super) async fn run(replica: Replica, primary: Login, shutdown: CancellationToken) {
    let mut watch = Watch {
        primary: Server::new(primary),
        standby: Server::new(replica.inner.settings.login.clone()),
        expected: None,
        samples: Samples::default(),
        state: State::Unknown,
        retry: FIRST_RETRY,
        replica,
    };
    loop {
        let pause = tokio::select! {
            pause = watch.round() => pause,
            () = shutdown.cancelled() => return,
        };
        tokio::select! {
            () = sleep(pause) => {}
            () = shutdown.cancelled() => return,
        }
    }
}

struct Watch {
    replica: Replica,
    primary: Server,
    standby: Server,
    /// Identity of the primary's database; `None` before the primary's first response.
    expected: Option<System>,
    samples: Samples,
    state: State,
    retry: Duration,
}

#[derive(Debug, PartialEq)]
enum State {
    Unknown,
    Serving,
    Behind,
    Lost(String),
}

impl Watch {
    /// Queries the primary and the replica once. Returns the delay before the next round of queries.
    async fn round(&mut self) -> Duration {
        let pause = match self.sample().await {
            Ok(()) => POLL_INTERVAL,
            Err(error) => {
                tracing::debug!(%error, "read replica: reading the primary's WAL position failed, retrying");
                FIRST_RETRY
            }
        };
        match self.position().await {
            Ok(position) => {
                self.serve(position);
                pause
            }
            Err(reason) => self.lose(reason),
        }
    }

    async fn sample(&mut self) -> Result<(), ClientError> {
        let system = self.primary.system().await?;
        if self.expected.as_ref() != Some(&system) {
            self.samples.clear();
            self.expected = Some(system);
        }
        self.samples.push(self.primary.sample().await?);
        Ok(())
    }

    /// Returns the replayed WAL position of the replica, or the reason why the replica cannot be used.
    async fn position(&mut self) -> Result<Position, String> {
        let login = self.standby.login().clone();
        if login.availability.is_lost() || self.state == State::Unknown {
            if login.has_several_hosts() {
                login.choose_host().await.map_err(|error| error.to_string())?;
            }
            // The pool's connections were opened before the replica was lost, or lead to another host, so they are closed.
            self.replica.inner.pool.clear();
        }
        let found = self.standby.system().await.map_err(|error| error.to_string())?;
        let position = self.standby.position().await.map_err(|error| error.to_string())?;
        let position = position.ok_or("it is no standby")?;
        let expected = self.expected.as_ref().zip(self.samples.newest());
        let (expected, newest) = expected.ok_or("the primary's WAL position is not known yet")?;
        if let Some(difference) = expected.differs_from(&found) {
            return Err(difference);
        }
        match position.timeline {
            Some(timeline) if timeline != newest.timeline => {
                Err(format!("it follows timeline {timeline}, and the primary writes {}", newest.timeline))
            }
            _ => Ok(position),
        }
    }

    fn serve(&mut self, position: Position) {
        let Position { replayed, .. } = position;
        let replayed = replayed.unwrap_or_default();
        let newest = self.samples.newest();
        let sample = self.samples.replayed(replayed);
        let availability = &self.standby.login().availability;
        if availability.is_lost() {
            availability.set_replaced();
        }
        self.replica.inner.view.store(Arc::new(View::Serving { sample, replayed }));
        self.retry = FIRST_RETRY;
        // If the replica has replayed none of the samples, its data is at least as old as the oldest sample.
        let known = sample.or(self.samples.oldest());
        let age = known.map(|known| Instant::now().saturating_duration_since(known.at)).unwrap_or_default();
        let is_recent = age <= self.replica.inner.settings.max_lag;
        let is_used = is_recent && sample.is_some();
        metrics::set_replica(is_used, Some(age), newest.map(|newest| newest.lsn.bytes_since(replayed)));
        if is_used || !is_recent {
            self.say(if is_used { State::Serving } else { State::Behind });
        }
    }

    fn lose(&mut self, reason: String) -> Duration {
        self.replica.inner.view.store(Arc::new(View::Lost));
        self.standby.login().availability.set_lost(&reason);
        metrics::set_replica(false, None, None);
        self.say(State::Lost(reason));
        let pause = self.retry;
        self.retry = (pause * 2).min(LAST_RETRY);
        pause
    }

    fn say(&mut self, state: State) {
        if self.state == state {
            return;
        }
        match &state {
            State::Serving => tracing::info!("read replica: replica in use for reads"),
            State::Behind => tracing::warn!("read replica: replica lag too large, reads go to the primary"),
            State::Lost(reason) => {
                tracing::warn!(error = reason, "read replica: replica unavailable, reads go to the primary")
            }
            State::Unknown => {}
        }
        self.state = state;
    }
}
