//! Limits of realtime: `[limits.realtime]` of cloch.toml.

/// The limits. Those that upstream has as well have upstream's values.
#[derive(Clone, Copy, Debug)]
pub struct RealtimeLimits {
    /// Sockets of one network (an IPv4 address, an IPv6 /64).
    pub sockets_per_network: usize,
    /// Channels that one socket has joined.
    pub channels_per_socket: usize,
    /// Joins of one socket in a second.
    pub joins_per_second: u32,
    /// Frames of one socket in a second; beyond it the socket is read more slowly.
    pub frames_per_second: u32,
    /// Bytes of one socket in a second; beyond it the socket is read more slowly.
    pub bytes_per_second: usize,
    /// Bytes of memory that one socket may use.
    pub held_per_socket: usize,
    /// Bytes of memory that all sockets together may use.
    pub held_in_all: usize,
    /// Bytes of the presence of one topic.
    pub presence_per_topic: usize,
    /// Bytes of a topic's name.
    pub topic_bytes: usize,
    /// Messages of one HTTP request.
    pub messages_per_request: usize,
    /// Conditions in all filters of a channel.
    pub filters_per_channel: usize,
    /// Bytes of queued changes of one caller.
    pub waiting_changes: usize,
    /// Bytes of WAL that the replication slot keeps.
    pub slot_wal: u64,
    /// Open sockets of all nodes together. Zero means no limit, as of the next two.
    pub project_sockets: u32,
    /// Joins of all nodes together in a second.
    pub project_joins_per_second: u32,
    /// Broadcasts that clients send, and presence that they track, on all nodes together in a second.
    pub project_messages_per_second: u32,
}

impl RealtimeLimits {
    pub(super) fn changes(self) -> ChangeLimits {
        ChangeLimits {
            filters_per_channel: self.filters_per_channel,
            waiting_bytes: self.waiting_changes,
            slot_wal_bytes: self.slot_wal,
        }
    }
}

/// Limits of subscriptions to changes.
#[derive(Clone, Copy, Debug)]
pub(super) struct ChangeLimits {
    /// Conditions of all of a channel's filters.
    pub(super) filters_per_channel: usize,
    /// Bytes of changes that wait: of all callers together, and of one slow caller. Beyond it subscribers have to join again.
    pub(super) waiting_bytes: usize,
    /// Bytes of WAL that the replication slot may keep; beyond it the slot is dropped and opened again.
    pub(super) slot_wal_bytes: u64,
}
