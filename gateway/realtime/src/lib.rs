//! /realtime/v1: channels over WebSocket or long polling ([`longpoll`]). Channels carry broadcasts and presence of clients, table changes,
//! and messages from the database. Compatible with supabase-js's realtime client (Phoenix channels, serializer 1.0.0 and 2.0.0).
//!
//! A socket ([`socket`]) holds the [`channel`]s that its client has joined. The [`hub`] holds the members of each topic and sends messages to
//! them through their bounded outboxes. Policies on `realtime.messages` decide who may join a private channel, send to it and receive from it
//! ([`authorization`]). A client receives a table change only if it may read the row. When an auth session ends, sockets and private channels
//! that use its token are closed ([`sessions`]).

mod api;
mod authorization;
mod budget;
mod bus;
mod channel;
mod connect;
pub mod counters;
mod database_broadcast;
mod error;
mod event;
mod frame;
mod hub;
mod join;
mod join_fields;
mod join_request;
mod key_sockets;
mod limits;
mod listener;
mod longpoll;
mod missed_messages;
mod peer_messages;
mod poll_sessions;
mod postgres_changes;
mod presence;
mod project_limits;
mod rate_limit;
mod sessions;
mod shared_rate;
mod socket;
mod sqlstate;
mod state;
mod transport;
mod waker_gate;

use std::sync::Arc;

use axum::Router;
use axum::routing::{get, post};

use cloch_http::{RequestLimits, with_limits, with_min_rate};
use socket::MAX_FRAME_BYTES;

pub use bus::{BusSettings, check_nats_url};
pub use limits::RealtimeLimits;
pub use state::RealtimeState;

/// Returns the routes under /realtime/v1. The routes work only while [`RealtimeState::run`] runs.
pub fn router(state: RealtimeState, limits: RequestLimits) -> Router {
    let api = Router::new()
        .route("/api/ping", get(api::ping))
        .route("/api/broadcast", post(api::broadcast))
        .route("/api/broadcast/{topic}/events/{event}", post(api::broadcast_event));
    let limits = RequestLimits { body_bytes: limits.body_bytes.min(MAX_FRAME_BYTES), ..limits };
    let polls = Router::new().route("/longpoll", get(longpoll::poll).post(longpoll::publish));
    let polls = with_min_rate(polls, limits.min_rate);
    // The request timeout in `limits` does not apply to sockets and long polling, which have limits of their own.
    with_limits(api, limits)
        .merge(polls)
        .route("/websocket", get(connect::upgrade))
        .fallback(api::no_such_path)
        .with_state(Arc::new(state))
}
