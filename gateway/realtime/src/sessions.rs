//! Auth sessions (rows of `auth.sessions`) to which open channels belong. An access token is valid until it expires. But when its auth
//! session ends earlier (sign-out, changed password, deleted or banned user), the sockets, private channels and table-change subscriptions
//! that use the token end on every node.
//!
//! A trigger's notification names sessions that may have ended (see [`super::listener`]). All sessions are checked periodically as well, in
//! case a notification was lost. Tokens of other issuers contain session ids that are not in `auth.sessions`. Therefore, a session that is
//! not in this table counts as ended only if an earlier check has found it there, or if a notification named it. The ids of ended sessions
//! are kept, because the tokens of ended sessions are valid until they expire.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use cloch_sql::{Caller, Database};
use moka::policy::EvictionPolicy;
use moka::sync::Cache;
use tokio::sync::{Notify, mpsc};
use tokio::time::{Instant, MissedTickBehavior};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

const NEW_INTERVAL: Duration = Duration::from_secs(5);
const ALL_INTERVAL: Duration = Duration::from_secs(60);
/// Maximum number of auth sessions in one database query.
const MAX_IDS: usize = 1_000;

/// Maximum number of queued notifications. If the queue is full, all sessions are checked.
const MAX_WAITING: usize = 256;
/// Maximum number of auth sessions that are checked because notifications have named them. If notifications have named more sessions, only
/// the sessions of this node's sockets and channels are checked.
const MAX_NAMED: usize = 10_000;
/// Maximum number of ended sessions whose ids are kept.
const MAX_ENDED: u64 = 50_000;
/// Time for which the id of an ended session is kept: the maximum lifetime of an access token.
const ENDED_TTL: Duration = Duration::from_hours(7 * 24);

/// Receiver of the auth sessions that have to be checked.
pub(super) type Suspected = mpsc::Receiver<Suspects>;

/// Auth sessions (rows of `auth.sessions`) to which the sockets and channels of this node belong. Cheap to clone.
#[derive(Clone, Debug)]
pub(super) struct Sessions {
    watched: Arc<Mutex<HashMap<Uuid, Watched>>>,
    ended: Cache<Uuid, ()>,
    suspects: mpsc::Sender<Suspects>,
    /// Whether a notification did not fit into the queue, so that all sessions have to be checked.
    has_missed: Arc<AtomicBool>,
}

#[derive(Debug)]
pub(super) enum Suspects {
    Named(Vec<Uuid>),
    /// All auth sessions have to be checked, because notifications may be lost.
    All,
}

#[derive(Debug)]
struct Watched {
    /// Whether the auth session was not checked yet.
    is_new: bool,
    /// Whether a check has found the session in `auth.sessions`.
    was_seen: bool,
    has_ended: Arc<AtomicBool>,
    /// Wake-up handles of the sockets to notify when the session ends, by the number of their [`Watch`].
    sockets: HashMap<u64, Arc<Notify>>,
}

/// Registration of a channel or socket that has to be closed when its auth session ends. Dropping the value removes the registration.
#[derive(Debug)]
pub(super) struct Watch {
    sessions: Sessions,
    id: Uuid,
    number: u64,
    has_ended: Arc<AtomicBool>,
}

impl Watch {
    pub(super) fn has_ended(&self) -> bool {
        self.has_ended.load(Ordering::Relaxed)
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        let mut watched = self.sessions.watched();
        if let Some(session) = watched.get_mut(&self.id) {
            session.sockets.remove(&self.number);
            if session.sockets.is_empty() {
                watched.remove(&self.id);
            }
        }
    }
}

impl Sessions {
    pub(super) fn new() -> (Self, Suspected) {
        let (suspects, receiver) = mpsc::channel(MAX_WAITING);
        let ended =
            Cache::builder().max_capacity(MAX_ENDED).eviction_policy(EvictionPolicy::lru()).time_to_live(ENDED_TTL);
        (Self { watched: Arc::default(), ended: ended.build(), suspects, has_missed: Arc::default() }, receiver)
    }

    fn watched(&self) -> MutexGuard<'_, HashMap<Uuid, Watched>> {
        self.watched.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Watches the auth session of a caller. `wake` is notified when the session ends. `None` if the caller's token has no session of this
    /// project.
    pub(super) fn watch(&self, caller: &Caller, wake: &Arc<Notify>) -> Option<Watch> {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        if caller.is_foreign() {
            return None;
        }
        let id = caller.claim("session_id")?.parse().ok()?;
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let mut watched = self.watched();
        let new = || Watched { is_new: true, was_seen: false, has_ended: Arc::default(), sockets: HashMap::new() };
        let session = watched.entry(id).or_insert_with(new);
        session.sockets.insert(number, Arc::clone(wake));
        if self.ended.contains_key(&id) {
            session.has_ended.store(true, Ordering::Relaxed);
        }
        Some(Watch { sessions: self.clone(), id, number, has_ended: Arc::clone(&session.has_ended) })
    }

    /// Queues auth sessions that may have ended, so that they are checked.
    pub(super) fn suspect(&self, suspects: Suspects) {
        if self.suspects.try_send(suspects).is_err() {
            self.has_missed.store(true, Ordering::Relaxed);
        }
    }

    /// Returns the watched sessions that have not ended and meet a condition.
    fn ids(&self, condition: impl Fn(&Watched) -> bool) -> Vec<Uuid> {
        let is_open = |session: &Watched| !session.has_ended.load(Ordering::Relaxed);
        let watched = self.watched();
        watched.iter().filter(|(_, session)| is_open(session) && condition(session)).map(|(id, _)| *id).collect()
    }

    /// Records the result of a check of the sessions `asked`. The sessions `alive` have not ended. Each other session in `asked` counts as
    /// ended if an earlier check has found it in `auth.sessions`, or if notifications have named the checked sessions (`are_named`).
    fn take_note(&self, asked: &[Uuid], alive: &HashSet<Uuid>, are_named: bool) {
        let mut watched = self.watched();
        for id in asked {
            let mut session = watched.get_mut(id);
            if let Some(session) = &mut session {
                session.is_new = false;
                session.was_seen |= alive.contains(id);
            }
            if alive.contains(id) || !(are_named || session.as_ref().is_some_and(|session| session.was_seen)) {
                continue;
            }
            self.ended.insert(*id, ());
            if let Some(session) = session {
                session.has_ended.store(true, Ordering::Relaxed);
                session.sockets.values().for_each(|socket| socket.notify_one());
            }
        }
    }

    /// Checks the sessions named by notifications and sessions that were not checked yet. Checks all sessions if `next_all` has passed. After
    /// an error, the next call repeats the check.
    async fn look_at_suspects(
        &self,
        database: &Database,
        named: &mut HashSet<Uuid>,
        next_all: &mut Instant,
    ) -> sqlx::Result<()> {
        if named.len() > MAX_NAMED {
            let watched = self.watched();
            named.retain(|id| watched.contains_key(id));
        }
        self.look(database, named.iter().copied().collect(), true).await?;
        named.clear();
        let is_for_all = Instant::now() >= *next_all;
        self.look(database, self.ids(|session| is_for_all || session.is_new), false).await?;
        if is_for_all {
            *next_all = Instant::now() + ALL_INTERVAL;
        }
        Ok(())
    }

    async fn look(&self, database: &Database, ids: Vec<Uuid>, are_named: bool) -> sqlx::Result<()> {
        for asked in ids.chunks(MAX_IDS) {
            let alive: Vec<Uuid> = sqlx::query_scalar(
                "select s.id from auth.sessions as s join auth.users as u on u.id = s.user_id
                  where s.id = any ($1) and u.deleted_at is null and coalesce(u.banned_until <= now(), true)",
            )
            .bind(asked)
            .fetch_all(database.admin())
            .await?;
            self.take_note(asked, &alive.into_iter().collect(), are_named);
        }
        Ok(())
    }
}

/// Checks auth sessions until `shutdown`, both periodically and when notifications name sessions.
pub(super) async fn run(
    database: Database,
    sessions: Sessions,
    suspects: Arc<tokio::sync::Mutex<Suspected>>,
    shutdown: CancellationToken,
) {
    let mut suspects = suspects.lock().await;
    let mut ticks = tokio::time::interval(NEW_INTERVAL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut next_all = Instant::now() + ALL_INTERVAL;
    let mut named = HashSet::new();
    let work = async {
        loop {
            tokio::select! {
                found = suspects.recv() => match found {
                    Some(Suspects::Named(ids)) => named.extend(ids),
                    Some(Suspects::All) => next_all = Instant::now(),
                    None => return,
                },
                _ = ticks.tick() => {}
            }
            if sessions.has_missed.swap(false, Ordering::Relaxed) {
                next_all = Instant::now();
            }
            if let Err(error) = sessions.look_at_suspects(&database, &mut named, &mut next_all).await {
                tracing::warn!(%error, "realtime: check for ended auth sessions failed, their sockets stay connected until a retry succeeds");
            }
        }
    };
    shutdown.run_until_cancelled(work).await;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn caller(session: Uuid) -> Caller {
        let claims = serde_json::json!({ "role": "authenticated", "session_id": session });
        Caller::from_claims(claims.as_object().cloned().unwrap_or_default(), None)
    }

    #[tokio::test]
    async fn a_session_ends_if_it_existed_or_was_named() {
        let (sessions, _suspects) = Sessions::new();
        let (wake, id) = (Arc::new(Notify::new()), Uuid::new_v4());
        let watch = sessions.watch(&caller(id), &wake);
        let has_ended = || watch.as_ref().is_some_and(Watch::has_ended);
        // A session that was never in `auth.sessions`, such as the session of another issuer's token, does not count as ended.
        sessions.take_note(&[id], &HashSet::new(), false);
        assert!(!has_ended());
        sessions.take_note(&[id], &HashSet::from([id]), false);
        assert!(!has_ended());
        sessions.take_note(&[id], &HashSet::new(), false);
        assert!(has_ended());
        wake.notified().await;
        drop(watch);
        assert!(sessions.watched().is_empty());
        assert!(sessions.watch(&caller(id), &wake).is_some_and(|again| again.has_ended()), "it is remembered");
        let other = Uuid::new_v4();
        let watch = sessions.watch(&caller(other), &wake);
        sessions.take_note(&[other], &HashSet::new(), true);
        assert!(watch.is_some_and(|watch| watch.has_ended()));
    }

    #[tokio::test]
    async fn a_session_of_no_channel_is_remembered_as_well() {
        let (sessions, _suspects) = Sessions::new();
        let (gone, alive) = (Uuid::new_v4(), Uuid::new_v4());
        sessions.take_note(&[gone, alive], &HashSet::from([alive]), true);
        let has_ended = |id| sessions.watch(&caller(id), &Arc::default()).is_some_and(|watch| watch.has_ended());
        assert!(has_ended(gone) && !has_ended(alive));
    }

    #[tokio::test]
    async fn all_are_looked_at_if_there_are_too_many_notifications() {
        let (sessions, mut suspects) = Sessions::new();
        (0..=MAX_WAITING).for_each(|_| sessions.suspect(Suspects::Named(vec![Uuid::new_v4()])));
        assert!(sessions.has_missed.load(Ordering::Relaxed));
        assert!(suspects.recv().await.is_some());
    }
}
