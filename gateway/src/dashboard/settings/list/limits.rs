//! Settings of Realtime and of its limits, and of the limits for visitors and connections.

use serde_json::json;

use super::{Group, Kind, Names, Spec, size};

const NUMBER: Kind = Kind::Count { min: 0, max: 4_294_967_295 };
/// Type of a number that must not be zero, because zero would refuse all requests.
const POSITIVE: Kind = Kind::Count { min: 1, max: 4_294_967_295 };

pub(super) const GROUPS: &[Group] = &[
    Group { name: "realtime", title: "Realtime", names: Names::None, settings: REALTIME },
    Group { name: "visitors", title: "Limits of visitors", names: Names::None, settings: VISITORS },
];

const REALTIME: &[Spec] = &[
    Spec::config("realtime.enabled", Kind::Switch, "Realtime is served", |f, _| json!(f.config.realtime.enabled)),
    Spec::cloch("limits.realtime.sockets_per_network", POSITIVE, "Sockets of one network", |f, _| {
        json!(f.cloch.limits.realtime.sockets_per_network)
    }),
    Spec::cloch("limits.realtime.channels_per_socket", POSITIVE, "Channels of one socket", |f, _| {
        json!(f.cloch.limits.realtime.channels_per_socket)
    }),
    Spec::cloch("limits.realtime.joins_per_second", POSITIVE, "Joins of one socket in a second", |f, _| {
        json!(f.cloch.limits.realtime.joins_per_second)
    }),
    Spec::cloch("limits.realtime.frames_per_second", POSITIVE, "Frames of one socket in a second", |f, _| {
        json!(f.cloch.limits.realtime.frames_per_second)
    }),
    Spec::cloch("limits.realtime.bytes_per_second", Kind::Size, "Bytes of one socket in a second", |f, _| {
        size(f.cloch.limits.realtime.bytes_per_second)
    }),
    Spec::cloch("limits.realtime.project_sockets", NUMBER, "Sockets of the project on all nodes", |f, _| {
        json!(f.cloch.limits.realtime.project_sockets)
    })
    .hint("0 disables the limit."),
    Spec::cloch(
        "limits.realtime.project_messages_per_second",
        NUMBER,
        "Messages of the project in a second on all nodes",
        |f, _| json!(f.cloch.limits.realtime.project_messages_per_second),
    )
    .hint("0 disables the limit."),
];

const VISITORS: &[Spec] = &[
    Spec::cloch("limits.visitors.rows_per_write", NUMBER, "Rows that a request may write", |f, _| {
        json!(f.cloch.limits.visitors.rows_per_write)
    })
    .hint("The limits count networks of visitors without a session. 0 disables a limit."),
    Spec::cloch("limits.visitors.rows_per_hour", NUMBER, "Rows written in an hour", |f, _| {
        json!(f.cloch.limits.visitors.rows_per_hour)
    }),
    Spec::cloch("limits.visitors.body_limit", Kind::Size, "Maximum size of a request to the table REST", |f, _| {
        size(f.cloch.limits.visitors.body_limit)
    }),
    Spec::cloch("limits.visitors.files_per_hour", NUMBER, "Files uploaded in an hour", |f, _| {
        json!(f.cloch.limits.visitors.files_per_hour)
    }),
    Spec::cloch("limits.visitors.bytes_per_hour", Kind::Size, "Bytes uploaded in an hour", |f, _| {
        size(f.cloch.limits.visitors.bytes_per_hour)
    }),
    Spec::cloch(
        "limits.visitors.refusals_per_minute",
        NUMBER,
        "Refused requests in a minute before responses are delayed",
        |f, _| json!(f.cloch.limits.visitors.refusals_per_minute),
    ),
    Spec::cloch("limits.connections.total", NUMBER, "Connections of all clients", |f, _| {
        json!(f.cloch.limits.connections.total)
    }),
    Spec::cloch("limits.connections.per_network", NUMBER, "Connections of one network", |f, _| {
        json!(f.cloch.limits.connections.per_network)
    }),
];
