//! Dumps of a project. A dump has the same three files that `supabase db dump` writes: roles.sql, schema.sql and data.sql. Two optional
//! files can be added.
//!
//! `tools` finds pg_dump, `write` writes the three files, `reader` splits them into statements and rows, and `rules` decides what happens to
//! each statement. `event_triggers` reads and writes event triggers, which the loader creates last. `tokens` and `names` contain the parsing functions and name lists that the rules use.

pub(super) mod event_triggers;
pub(super) mod names;
pub(super) mod reader;
mod role_rules;
pub(super) mod rules;
mod stand_in;
mod tokens;
pub(super) mod tools;
pub(super) mod write;

/// Name of the file with the roles and their settings.
pub(super) const ROLES_FILE: &str = "roles.sql";
/// Name of the file with the schemas, tables, functions and policies.
pub(super) const SCHEMA_FILE: &str = "schema.sql";
/// Name of the file with the rows of all tables, including `auth.users` and `storage.objects`.
pub(super) const DATA_FILE: &str = "data.sql";
/// Optional file with the history of migrations, named as in Supabase's guide to restoring a project.
pub(super) const HISTORY_FILE: &str = "history_data.sql";
/// Optional file with the vectors of vector buckets. They are not in data.sql, because a Supabase project cannot load them: Supabase keeps
/// vectors outside of the database.
pub(super) const VECTORS_FILE: &str = "vectors_data.sql";
