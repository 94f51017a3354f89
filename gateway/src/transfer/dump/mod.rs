//! Dumps of a project in the three files of `supabase db dump`: roles.sql, schema.sql, data.sql.
//!
//! `tools` finds pg_dump, `write` makes the files, `reader` reads them piece by piece, `rules` decides about each statement; `tokens` and
//! `names` are what the rules read and know.

pub(super) mod names;
pub(super) mod reader;
mod role_rules;
pub(super) mod rules;
mod tokens;
pub(super) mod tools;
pub(super) mod write;

/// Roles with their settings.
pub(super) const ROLES_FILE: &str = "roles.sql";
/// Schemas, tables, functions, policies.
pub(super) const SCHEMA_FILE: &str = "schema.sql";
/// Rows, users and records of files included.
pub(super) const DATA_FILE: &str = "data.sql";
/// The history of migrations: optional, named as in Supabase's guide to restoring a project.
pub(super) const HISTORY_FILE: &str = "history_data.sql";
