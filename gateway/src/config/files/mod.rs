//! The files of a configuration: TOML with the place of each value, `.env` files, the environment, and the folders in which they are.

pub(super) mod env_files;
pub(super) mod env_policy;
pub(super) mod folders;
pub(super) mod toml_file;
pub(super) mod tracked_deserialize;
mod wrong_type;
