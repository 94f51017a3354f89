//! Settings of the project's functions.

use serde_json::{Value, json};
use toml::Table;

use super::{Group, Kind, Names, Spec};

const CALLS: Kind = Kind::Count { min: 0, max: 4_294_967_295 };

pub(super) const GROUPS: &[Group] = &[
    Group { name: "functions", title: "Functions", names: Names::None, settings: ALL },
    Group { name: "function", title: "Single functions", names: Names::Functions, settings: ONE },
];

const ALL: &[Spec] = &[
    Spec::config("edge_runtime.enabled", Kind::Switch, "Functions are served", |f, _| {
        json!(f.config.edge_runtime.enabled.unwrap_or(true))
    }),
    Spec::config("edge_runtime.policy", Kind::Choice { choices: &["per_worker", "oneshot"] }, "Workers", |f, _| {
        json!(f.config.edge_runtime.policy.as_deref().unwrap_or("per_worker"))
    })
    .hint("With oneshot, each request gets a new worker. That is slower."),
];

/// Returns an option of the function `name` with the value in the file, or null if the option is not set. The value has no Rust type yet,
/// because the functions crate parses these sections later.
fn option(functions: &Table, name: &str, key: &str) -> Value {
    let option = functions.get(name).and_then(|function| function.get(key));
    option.and_then(|option| serde_json::to_value(option).ok()).unwrap_or_default()
}

/// Returns a boolean option of the function `name`. If it is not set, returns its default `true`.
fn switch(functions: &Table, name: &str, key: &str) -> Value {
    json!(option(functions, name, key).as_bool().unwrap_or(true))
}

const ONE: &[Spec] = &[
    Spec::config("functions.*.enabled", Kind::Switch, "* is served", |f, name| {
        switch(&f.config.functions, name, "enabled")
    }),
    Spec::config("functions.*.verify_jwt", Kind::Switch, "Calls of * need a valid token", |f, name| {
        switch(&f.config.functions, name, "verify_jwt")
    }),
    Spec::cloch(
        "functions.*.timeout_seconds",
        Kind::Count { min: 1, max: 400 },
        "Seconds until a call of * times out",
        |f, name| option(&f.cloch.functions, name, "timeout_seconds"),
    ),
    Spec::cloch(
        "functions.*.memory_mb",
        Kind::Count { min: 64, max: 65_536 },
        "Memory of a worker of * in MB",
        |f, name| option(&f.cloch.functions, name, "memory_mb"),
    ),
    Spec::cloch("functions.*.max_workers", Kind::Count { min: 1, max: 64 }, "Workers of *", |f, name| {
        option(&f.cloch.functions, name, "max_workers")
    }),
    Spec::cloch("functions.*.calls_per_user_hourly", CALLS, "Calls of * by a user in an hour", |f, name| {
        option(&f.cloch.functions, name, "calls_per_user_hourly")
    }),
    Spec::cloch(
        "functions.*.calls_per_address_hourly",
        CALLS,
        "Calls of * from an address without a session in an hour",
        |f, name| option(&f.cloch.functions, name, "calls_per_address_hourly"),
    ),
];
