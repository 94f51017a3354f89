//! The gateway as a library: what its own tests and the binary share.

pub mod auth;
pub mod chores;
pub mod command;
pub mod config;
pub mod data_folder;
pub mod database;
pub mod http;
pub mod logging;
pub mod lost_data;
pub mod parts;
pub mod program;
pub mod realtime;
pub mod seed_objects;
pub mod web;
