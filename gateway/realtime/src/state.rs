//! State of the realtime API (/realtime/v1), shared by all sockets.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use cloch_core::{Live, supervise};
use cloch_http::{CountLimits, NetworkCount};
use cloch_sql::caller::api_key::Credentials;
use cloch_sql::caller::roles::RoleError;
use cloch_sql::caller::token::Verifier;
use cloch_sql::caller::{ApiKeys, numeric_date};
use cloch_sql::{Caller, Database};
use http::{HeaderMap, HeaderValue};
use tokio::sync::{Mutex, watch};
use tokio_util::sync::CancellationToken;

use super::authorization::PolicyChecks;
use super::budget::Budget;
use super::bus::{self, BusSettings};
use super::counters;
use super::error::TokenRefused;
use super::hub::Hub;
use super::key_sockets::KeySockets;
use super::limits::RealtimeLimits;
use super::listener;
use super::peer_messages::{self, Outgoing, Outlet};
use super::poll_sessions::Sessions as PollSessions;
use super::postgres_changes::Changes;
use super::project_limits::ProjectLimits;
use super::sessions::{self, Sessions, Suspected};

/// Services and limits that all sockets and requests of /realtime/v1 share. Cheap to clone.
#[derive(Clone, Debug)]
pub struct RealtimeState {
    pub(super) database: Database,
    verifier: Verifier,
    keys: Arc<ApiKeys>,
    pub(super) hub: Hub,
    pub(super) changes: Changes,
    pub(super) limits: Live<RealtimeLimits>,
    /// Numbers of open sockets, in total and per network (IPv4 address or IPv6 /64), with their limits.
    pub(super) sockets: Arc<NetworkCount>,
    pub(super) project: ProjectLimits,
    /// Long-polling sessions of this node.
    pub(super) polls: PollSessions,
    pub(super) policy_checks: PolicyChecks,
    pub(super) shutdown: CancellationToken,
    /// Whether broadcasts from the database (rows of `realtime.messages`) can be received at this moment.
    pub(super) listening: watch::Receiver<bool>,
    listener: Arc<watch::Sender<bool>>,
    bus: BusSettings,
    outlet: Outlet,
    outgoing: Arc<Mutex<Outgoing>>,
    /// Auth sessions to which sockets and channels belong.
    pub(super) sessions: Sessions,
    suspected: Arc<Mutex<Suspected>>,
    /// Sockets by the API key that opened them.
    pub(super) key_sockets: KeySockets,
}

impl RealtimeState {
    /// Creates the state of the realtime API. Cancelling `shutdown` disconnects the sockets.
    #[must_use]
    pub fn new(
        database: Database,
        verifier: Verifier,
        keys: ApiKeys,
        limits: RealtimeLimits,
        bus: BusSettings,
        shutdown: CancellationToken,
    ) -> Self {
        let changes = Changes::new(database.clone(), shutdown.clone(), limits.changes());
        let budget = Budget::new(limits.held_in_all, limits.held_per_socket);
        let (outlet, outgoing) = peer_messages::outlet();
        let (listener, listening) = watch::channel(false);
        let (sessions, suspected) = Sessions::new();
        let sockets = NetworkCount::new(CountLimits { total: 0, per_network: limits.sockets_per_network });
        Self {
            policy_checks: PolicyChecks::new(database.clone()),
            database,
            verifier,
            keys: Arc::new(keys),
            hub: Hub::new(budget, limits.presence_per_topic, outlet.clone()),
            listening,
            listener: Arc::new(listener),
            bus,
            outlet,
            outgoing: Arc::new(Mutex::new(outgoing)),
            sessions,
            suspected: Arc::new(Mutex::new(suspected)),
            changes,
            project: ProjectLimits::new(&limits),
            limits: Live::new(limits),
            sockets,
            polls: PollSessions::default(),
            key_sockets: KeySockets::new(shutdown.clone()),
            shutdown,
        }
    }

    /// Replaces the limits that can change while sockets are open: the limits of joins, frames, channels, topics and requests, of sockets
    /// per network, and of the project. The limits of memory, presence and table changes remain the limits that [`RealtimeState::new`]
    /// received. An open socket keeps the rates of joins, frames and bytes that applied when it was opened.
    pub fn set_limits(&self, next: RealtimeLimits) {
        self.sockets.set_limits(CountLimits { total: 0, per_network: next.sockets_per_network });
        self.project.set(&next);
        self.limits.set(RealtimeLimits { presence_per_topic: self.limits.get().presence_per_topic, ..next });
    }

    /// Runs the background tasks of the realtime API until `shutdown`: delivers broadcasts of the database and of other nodes, ends channels
    /// whose auth session has ended and sockets whose API key is revoked, and logs the counters.
    pub async fn run(self) {
        let (database, hub, shutdown) = (&self.database, &self.hub, &self.shutdown);
        let notifications = || {
            let listener = Arc::clone(&self.listener);
            listener::run(database.clone(), hub.clone(), self.sessions.clone(), listener, shutdown.clone())
        };
        let sessions = || {
            let suspected = Arc::clone(&self.suspected);
            sessions::run(database.clone(), self.sessions.clone(), suspected, shutdown.clone())
        };
        let key_sockets = || self.key_sockets.clone().run(Arc::clone(&self.keys));
        let bus = || {
            let ends = (self.outlet.clone(), Arc::clone(&self.outgoing));
            let counted = (hub.clone(), self.project.clone());
            bus::run(database.clone(), self.bus.clone(), counted, ends, shutdown.clone())
        };
        tokio::join!(
            supervise("notifications of the database", shutdown.clone(), notifications),
            supervise("sessions of channels", shutdown.clone(), sessions),
            supervise("API keys of sockets", shutdown.clone(), key_sockets),
            supervise("the bus between nodes", shutdown.clone(), bus),
            counters::log(shutdown.clone()),
        );
    }

    /// Resolves the caller of the text that a client sent as its API key: one of the project's four API keys, or a token (JWT).
    pub(super) async fn caller_of_key(&self, key: &str) -> Result<Caller, TokenRefused> {
        let mut headers = HeaderMap::new();
        headers.insert("apikey", HeaderValue::from_str(key).map_err(|_| TokenRefused::Malformed)?);
        match self.keys.credentials(&headers) {
            Credentials::Authorization(text) => {
                self.caller_of_token(text.strip_prefix("Bearer ").unwrap_or(&text)).await
            }
            Credentials::None => Err(TokenRefused::Malformed),
        }
    }

    /// Resolves the caller of a token, which must contain the claims `role` and `exp`.
    pub(super) async fn caller_of_token(&self, token: &str) -> Result<Caller, TokenRefused> {
        let claims = self.verifier.claims_of_any_issuer(token)?;
        let expiry = claims.get("exp").and_then(numeric_date);
        let (Some(expiry), true) = (expiry, claims.get("role").is_some_and(serde_json::Value::is_string)) else {
            return Err(TokenRefused::Fields);
        };
        let since = now().saturating_sub(expiry);
        if since >= 0 {
            return Err(TokenRefused::Expired(since));
        }
        let caller = self.verifier.verify_for_realtime(token)?;
        match self.database.roles().check_caller(&caller).await {
            Err(RoleError::Refused(refusal)) => Err(TokenRefused::Role(refusal)),
            // An error of the database is ignored: while the database is unavailable, no SQL statement can run with this role.
            Ok(()) | Err(RoleError::Database(_)) => Ok(caller),
        }
    }
}

pub(super) fn now() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |elapsed| elapsed.as_secs().cast_signed())
}

/// Returns the expiry of a caller's token as Unix time in seconds. `None` if the token has no valid claim `exp`.
pub(super) fn expiry(caller: &Caller) -> Option<i64> {
    caller.claims().get("exp").and_then(numeric_date)
}
