//! Joins a channel: checks the client's permissions and sends the first messages of the channel.

use std::sync::Arc;

use cloch_sql::Caller;
use http::HeaderMap;
use serde_json::{Value, json};

use super::authorization::Permissions;
use super::budget::OverBudget;
use super::channel::Channel;
use super::database_broadcast;
use super::error::{JoinError, TokenRefused};
use super::frame::{self, Push};
use super::hub::{Hears, Outbox};
use super::join_request::JoinRequest;
use super::postgres_changes::Binding;
use super::sessions::Watch;
use super::state::RealtimeState;

/// Estimated memory of a parsed join payload in bytes per byte of its JSON. Each JSON value is a separate allocation.
const JOIN_MEMORY_FACTOR: usize = 8;

/// Joins a channel: checks the policies, adds the member to the topic, replies, sends the initial messages (presence, replay), and
/// subscribes to the requested table changes.
pub(super) async fn join(
    state: &RealtimeState,
    push: &Push,
    (request, bytes): (JoinRequest, usize),
    caller: Caller,
    headers: &Arc<HeaderMap>,
    outbox: &Outbox,
) -> Result<Channel, JoinError> {
    let held = outbox.account.hold(bytes * JOIN_MEMORY_FACTOR).map_err(|OverBudget| JoinError::TooLarge)?;
    // The auth session is watched before the policy check begins, so that an end of the session during the check is detected.
    let session = state.sessions.watch(&caller, &outbox.wake);
    if session.as_ref().is_some_and(Watch::has_ended) {
        return Err(TokenRefused::SessionEnded.into());
    }
    let permissions =
        Permissions::check(&state.policy_checks, &caller, headers, &request.topic, request.presence).await?;
    let replayed = match (&request.replay, request.topic.private) {
        (None, _) => Vec::new(),
        (Some(_), false) => return Err(JoinError::PublicReplay),
        (Some(replay), true) if permissions.read_broadcasts => {
            database_broadcast::replay(&state.database, &request.topic, *replay).await?
        }
        (Some(_), true) => return Err(JoinError::Unauthorized(request.topic.name)),
    };
    let bindings: Vec<Binding> = request.changes.iter().map(Binding::read).collect();
    let hears = Hears {
        broadcasts: permissions.read_broadcasts,
        own_broadcasts: request.own_broadcasts,
        // `presence` is set to true later, when the presence of the topic is sent to the client.
        presence: false,
    };
    let membership = state.hub.enter(request.topic.clone(), outbox.clone(), hears);
    let echoed: Vec<Value> = bindings.iter().map(Binding::echo).collect();
    outbox.send(frame::reply(outbox.version, push, "ok", json!({ "postgres_changes": echoed })));
    let shows_presence = request.presence && permissions.read_presence;
    let caller = (caller, session);
    let mut channel =
        Channel::new(push, request, caller, Arc::clone(headers), permissions, membership, (outbox.clone(), held));
    if shows_presence {
        channel.show_presence();
    }
    for content in replayed {
        channel.replay(content);
    }
    channel.announce_replication(state);
    // The socket sends its queued messages, the reply to the join among them, after this function has returned. A client that reads a table
    // after the reply therefore receives all later changes of the table.
    channel.subscribe(state, bindings).await;
    Ok(channel)
}
