//! The gateway as a library, for the binary and the integration tests.

pub mod acme;
pub mod app;
pub mod background;
pub mod command;
pub mod config;
pub mod dashboard;
pub mod data_dir_lock;
pub mod database;
pub mod doctor;
pub mod error;
mod graphql;
pub mod live_settings;
pub mod logging;
pub mod management;
pub mod mcp;
pub mod metrics;
pub mod missing_data;
pub mod program;
pub mod project;
pub mod seed_objects;
pub mod service;
pub mod setup;
mod telemetry;
pub mod token_access;
mod transfer;
pub mod web;
pub mod why_request;
