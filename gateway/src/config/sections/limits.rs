//! `[limits]` of cloch.toml: limits for each client.

use serde::Deserialize;

use super::config_toml::ByteSize;

/// `[limits]`: limits for each client.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Limits {
    /// Section `[limits.visitors]`.
    pub visitors: VisitorLimits,
    /// Section `[limits.connections]`.
    pub connections: ConnectionLimits,
    /// Section `[limits.realtime]`.
    pub realtime: SocketLimits,
}

/// `[limits.connections]`: TCP connections, counted per network: an IPv4 address or an IPv6 /64. Zero disables a limit.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(default)]
pub struct ConnectionLimits {
    /// Maximum number of connections of all clients, further limited to three quarters of the process's file descriptors. Each further
    /// concurrent request of an HTTP/2 connection counts as a connection.
    pub total: u32,
    /// Maximum number of connections of one network. Trusted proxies are exempt.
    pub per_network: u32,
}

impl Default for ConnectionLimits {
    fn default() -> Self {
        Self { total: 10_000, per_network: 1_000 }
    }
}

/// `[limits.realtime]`: limits of /realtime/v1 for one client, and for all clients of the project together.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(default)]
pub struct SocketLimits {
    /// Maximum number of sockets of one network.
    pub sockets_per_network: u32,
    /// Maximum number of channels that one socket has joined.
    pub channels_per_socket: u32,
    /// Maximum number of joins per second of one socket.
    pub joins_per_second: u32,
    /// Maximum number of frames per second of one socket; above it, the server reads from the socket more slowly.
    pub frames_per_second: u32,
    /// Maximum number of bytes per second of one socket; above it, the server reads from the socket more slowly.
    pub bytes_per_second: ByteSize,
    /// Maximum memory that one socket uses on the server: unsent frames, joins and presence.
    pub held_per_socket: ByteSize,
    /// Maximum memory that all sockets use together; above it, sockets that use more than their share are disconnected.
    pub held_in_all: ByteSize,
    /// Maximum size of one topic's presence: keys and payloads.
    pub presence_per_topic: ByteSize,
    /// Maximum length of a topic's name.
    pub topic_length: ByteSize,
    /// Maximum number of messages in one request to /realtime/v1/api/broadcast. Values above 10000 count as 10000.
    pub messages_per_request: u32,
    /// Maximum number of conditions in all filters of one channel.
    pub filters_per_channel: u32,
    /// Maximum size of the database changes that are queued for one caller.
    pub waiting_changes: ByteSize,
    /// Maximum amount of WAL that the replication slot retains; above it, the slot is dropped and created again.
    pub slot_wal: ByteSize,
    /// Maximum number of open sockets of the project on all nodes. Zero disables the limit.
    pub project_sockets: u32,
    /// Maximum number of joins per second of the project on all nodes.
    pub project_joins_per_second: u32,
    /// Maximum number of messages per second from the project's clients on all nodes: broadcasts and tracked presence.
    pub project_messages_per_second: u32,
}

impl Default for SocketLimits {
    fn default() -> Self {
        Self {
            sockets_per_network: 1_000,
            channels_per_socket: 100,
            joins_per_second: 100,
            frames_per_second: 1_000,
            bytes_per_second: ByteSize(16 << 20),
            held_per_socket: ByteSize(16 << 20),
            held_in_all: ByteSize(256 << 20),
            presence_per_topic: ByteSize(1 << 20),
            topic_length: ByteSize(1024),
            messages_per_request: 100,
            filters_per_channel: 100,
            waiting_changes: ByteSize(32 << 20),
            slot_wal: ByteSize(2 << 30),
            project_sockets: 0,
            project_joins_per_second: 0,
            project_messages_per_second: 0,
        }
    }
}

/// `[limits.visitors]`: callers without a session (role `anon`), counted per network: an IPv4 address or an IPv6 /64. Zero disables a
/// limit.
#[derive(Debug, Deserialize)]
#[serde(default)]
pub struct VisitorLimits {
    /// Maximum number of rows that one request to the table REST may write.
    pub rows_per_write: u32,
    /// Maximum number of rows written in an hour.
    pub rows_per_hour: u32,
    /// Maximum body size of a request to the table REST.
    pub body_limit: ByteSize,
    /// Maximum number of files uploaded in an hour.
    pub files_per_hour: u32,
    /// Maximum number of bytes uploaded in an hour.
    pub bytes_per_hour: ByteSize,
    /// Maximum number of unfinished resumable uploads.
    pub unfinished_uploads: u32,
    /// Requests answered with 4xx in a minute, a third of which may come in a burst; above it, responses are delayed. Also applies to
    /// signed-in users.
    pub refusals_per_minute: u32,
}

impl Default for VisitorLimits {
    fn default() -> Self {
        Self {
            rows_per_write: 1_000,
            rows_per_hour: 100_000,
            body_limit: ByteSize(4 << 20),
            files_per_hour: 10_000,
            bytes_per_hour: ByteSize(20 << 30),
            unfinished_uploads: 100,
            refusals_per_minute: 60,
        }
    }
}
