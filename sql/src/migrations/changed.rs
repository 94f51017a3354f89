//! Detects applied migration files whose text has changed. A database to which the migration was already applied does not change, while a
//! new database is created from the changed text. The two databases then differ.

use super::Migration;
use crate::client::Connection;

/// SQL query for the statements of the applied migrations: one text for each migration, with its version. Very long migrations, such as
/// dumps of data, are not compared.
const STATEMENTS: &str = "select version::text || chr(31) || array_to_string(statements, chr(10)) \
                            from supabase_migrations.schema_migrations \
                           where statements <> '{}' and octet_length(array_to_string(statements, '')) < 1048576";

/// Logs a warning for each applied migration whose file has changed since it was applied.
pub(super) async fn warn(owner: &mut Connection, migrations: &[Migration]) {
    let recorded = match owner.texts(STATEMENTS).await {
        Ok(recorded) => recorded,
        Err(error) => {
            tracing::debug!(%error, "database: migrations not compared with their files, reading the migration history failed");
            return;
        }
    };
    for migration in migrations {
        let applied = recorded
            .iter()
            .find_map(|row| row.split_once('\u{1f}').filter(|(version, _)| *version == migration.version));
        if applied.is_some_and(|(_, statements)| differ(statements, &migration.text)) {
            tracing::warn!(
                "database: migration file {} has changed since it was applied, and the change has no effect on this database: write the change into a new \
                 migration, and restore the file, or a new database differs from this one",
                migration.file
            );
        }
    }
}

/// Whether two SQL texts differ in more than comments, white space and semicolons. These parts are ignored, because Cloch and the Supabase
/// CLI record them differently.
fn differ(one: &str, other: &str) -> bool {
    plain(one) != plain(other)
}

fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let after = if rest.starts_with("--") {
            rest.find('\n').map_or("", |end| rest.get(end..).unwrap_or_default())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or("", |end| rest.get(end + 2..).unwrap_or_default())
        } else {
            if !first.is_whitespace() && first != ';' {
                plain.push(first);
            }
            rest.get(first.len_utf8()..).unwrap_or_default()
        };
        rest = after;
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_white_space_are_no_change() {
        let file =
            "-- Notes.\ncreate table notes (id int);\n\n/* Who\n may */ alter table notes enable row level security;\n";
        assert!(!differ("create table notes (id int)\nalter table notes\n  enable row level security", file));
        assert!(!differ(
            "create table notes (id int);\n/* Who\n may */ alter table notes enable row level security",
            file
        ));
        assert!(differ("create table notes (id int)", file));
        assert!(differ("create table notes (id bigint)\nalter table notes enable row level security", file));
        assert!(differ("select 'a'", "select 'b'"));
        assert!(!differ("", "-- nothing"));
    }
}
