//! Reads the files of a configuration: TOML files, whose errors contain the line of the value, and `.env` files. Finds the project folder and
//! the data folder.

pub(super) mod env_files;
pub(super) mod env_policy;
pub(super) mod folders;
pub(super) mod toml_file;
mod toml_position;
pub(super) mod tracked_deserialize;
mod weak_types;
