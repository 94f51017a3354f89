//! Limits of realtime, set in `[limits.realtime]` of cloch.toml.

/// Limits of realtime. If Supabase's Realtime server has the same limit, the default is that server's value.
#[derive(Clone, Copy, Debug)]
pub struct RealtimeLimits {
    /// Maximum number of sockets per network (an IPv4 address or an IPv6 /64).
    pub sockets_per_network: usize,
    /// Maximum number of joined channels per socket.
    pub channels_per_socket: usize,
    /// Maximum number of joins per second on one socket.
    pub joins_per_second: u32,
    /// Maximum number of frames per second from one socket. Above this rate, the socket is read more slowly.
    pub frames_per_second: u32,
    /// Maximum number of bytes per second from one socket. Above this rate, the socket is read more slowly.
    pub bytes_per_second: usize,
    /// Maximum memory of one socket in bytes.
    pub held_per_socket: usize,
    /// Maximum memory of all sockets together in bytes.
    pub held_in_all: usize,
    /// Maximum size of the presence of one topic in bytes.
    pub presence_per_topic: usize,
    /// Maximum length of a topic name in bytes.
    pub topic_bytes: usize,
    /// Maximum number of broadcasts in one HTTP request.
    pub messages_per_request: usize,
    /// Maximum number of conditions in all filters of one channel.
    pub filters_per_channel: usize,
    /// Maximum size in bytes of each queue of table changes: the queue that all callers share, and the queue of each caller with slow
    /// policies.
    pub waiting_changes: usize,
    /// Maximum size in bytes of the WAL that the replication slot keeps.
    pub slot_wal: u64,
    /// Maximum number of open sockets on all nodes together. Zero means no limit.
    pub project_sockets: u32,
    /// Maximum number of joins per second on all nodes together. Zero means no limit.
    pub project_joins_per_second: u32,
    /// Maximum number of broadcasts and presence updates that clients send per second on all nodes together. Zero means no limit.
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

#[derive(Clone, Copy, Debug)]
pub(super) struct ChangeLimits {
    /// Maximum number of conditions in all filters of one channel.
    pub(super) filters_per_channel: usize,
    /// Maximum size in bytes of each queue of table changes: the queue that all callers share, and the queue of each caller with slow
    /// policies. If a queue is full, its subscribers have to join again.
    pub(super) waiting_bytes: usize,
    /// Maximum size in bytes of the WAL that the replication slot keeps. Above this size, the slot is dropped and created again.
    pub(super) slot_wal_bytes: u64,
}
