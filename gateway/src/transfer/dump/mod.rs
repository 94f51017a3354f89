//! Dumps of a project in the three files of `supabase db dump`: roles.sql, schema.sql, data.sql.
//!
//! `tools` finds pg_dump, `write` writes the three files, `reader` splits them into statements and rows, and `rules` decides what happens to
//! each statement. `tokens` and `names` contain the parsing functions and name lists that the rules use.

pub(super) mod names;
pub(super) mod reader;
mod role_rules;
pub(super) mod rules;
mod stand_in;
mod tokens;
pub(super) mod tools;
pub(super) mod write;

/// File with roles and their settings.
pub(super) const ROLES_FILE: &str = "roles.sql";
/// File with schemas, tables, functions and policies.
pub(super) const SCHEMA_FILE: &str = "schema.sql";
/// File with rows, including users and the records of stored files.
pub(super) const DATA_FILE: &str = "data.sql";
/// Optional file with the history of migrations, named as in Supabase's guide to restoring a project.
pub(super) const HISTORY_FILE: &str = "history_data.sql";
/// Optional file with the vectors of vector buckets. They are not in data.sql, because a Supabase project cannot load them: Supabase keeps
/// vectors outside of the database.
pub(super) const VECTORS_FILE: &str = "vectors_data.sql";
