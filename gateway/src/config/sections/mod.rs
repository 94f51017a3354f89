//! The sections of config.toml and cloch.toml as typed values, with their defaults and checks.

pub mod acme;
pub(super) mod ai;
pub mod backup;
pub(super) mod backup_days;
pub mod cloch_toml;
pub mod config_toml;
pub mod database;
pub(super) mod db_settings;
pub mod deno;
pub(super) mod ignored_advice;
pub mod limits;
pub(super) mod renamed_keys;
pub mod storage;
pub mod telemetry;
pub mod tls;
pub(super) mod unknown_keys;
pub(super) mod without_effect;
