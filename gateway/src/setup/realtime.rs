//! Creates the realtime API from the configuration.

use cloch_realtime::{BusSettings, RealtimeLimits, RealtimeState};

use super::SharedServices;
use crate::config::ConfigError;
use crate::config::sections::config_toml::ByteSize;
use crate::config::sections::limits::SocketLimits;
use crate::service::Service;

/// Creates the service of the realtime API. The service has no routes and no tasks if realtime is disabled.
///
/// # Errors
/// When the key for messages between nodes cannot be derived.
pub fn service(shared: &SharedServices) -> Result<Service, ConfigError> {
    if !shared.config.file.realtime.enabled {
        return Ok(Service::default().disabled("/realtime/v1", "[realtime] enabled = false"));
    }
    let state = state(shared)?;
    let live = state.clone();
    Ok(Service::default()
        .on_change(move |config| {
            let (live, limits) = (live.clone(), limits(&config.cloch.limits.realtime));
            Ok(Box::new(move || live.set_limits(limits)))
        })
        .task(state.clone().run())
        .nest("/realtime/v1", cloch_realtime::router(state, shared.request_limits())))
}

/// Creates the state of the realtime API.
///
/// # Errors
/// When the key for messages between nodes cannot be derived.
fn state(shared: &SharedServices) -> Result<RealtimeState, ConfigError> {
    let bus = BusSettings {
        key: shared.secrets.bus_key()?,
        nats_url: shared.config.cloch.realtime.nats_url.clone().filter(|url| !url.is_empty()),
    };
    Ok(RealtimeState::new(
        shared.database.clone(),
        shared.verifier.clone(),
        shared.api_keys.clone(),
        limits(&shared.config.cloch.limits.realtime),
        bus,
        shared.shutdown.clone(),
    ))
}

fn limits(settings: &SocketLimits) -> RealtimeLimits {
    let count = |number: u32| usize::try_from(number).unwrap_or(usize::MAX);
    let bytes = |size: ByteSize| usize::try_from(size.0).unwrap_or(usize::MAX);
    RealtimeLimits {
        sockets_per_network: count(settings.sockets_per_network),
        channels_per_socket: count(settings.channels_per_socket),
        joins_per_second: settings.joins_per_second,
        frames_per_second: settings.frames_per_second,
        bytes_per_second: bytes(settings.bytes_per_second),
        held_per_socket: bytes(settings.held_per_socket),
        held_in_all: bytes(settings.held_in_all),
        presence_per_topic: bytes(settings.presence_per_topic),
        topic_bytes: bytes(settings.topic_length),
        messages_per_request: count(settings.messages_per_request),
        filters_per_channel: count(settings.filters_per_channel),
        waiting_changes: bytes(settings.waiting_changes),
        slot_wal: settings.slot_wal.0,
        project_sockets: settings.project_sockets,
        project_joins_per_second: settings.project_joins_per_second,
        project_messages_per_second: settings.project_messages_per_second,
    }
}
