//! Counts the rows of each table, to compare a restored database with its source.

use std::collections::BTreeMap;

use sqlx::{AssertSqlSafe, PgConnection};

/// Counts the rows of all tables except those of PostgreSQL and of extensions. The keys of the map are quoted table names.
///
/// # Errors
/// If a table cannot be read.
pub async fn read(connection: &mut PgConnection) -> sqlx::Result<BTreeMap<String, i64>> {
    let tables: Vec<String> = sqlx::query_scalar(
        "select format('%I.%I', nspname, relname) from pg_class c join pg_namespace n on n.oid = relnamespace
          where relkind = 'r' and relpersistence <> 't' and nspname not in ('pg_catalog', 'information_schema')
            and nspname !~ '^pg_(toast|temp)'
            and not exists (select from pg_depend where classid = 'pg_class'::regclass and objid = c.oid and deptype = 'e')",
    )
    .fetch_all(&mut *connection)
    .await?;
    let mut counts = BTreeMap::new();
    for table in tables {
        // The table name in the statement comes from PostgreSQL's catalog and is quoted.
        let count = sqlx::query_scalar(AssertSqlSafe(format!("select count(*) from {table}")));
        counts.insert(table, count.fetch_one(&mut *connection).await?);
    }
    Ok(counts)
}

/// Returns a description of each table whose row count differs between `before` and `after`.
#[must_use]
pub fn differences(before: &BTreeMap<String, i64>, after: &BTreeMap<String, i64>) -> Vec<String> {
    let names: std::collections::BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    let number = |counts: &BTreeMap<String, i64>, name: &str| counts.get(name).copied();
    let shown = |count: Option<i64>| count.map_or_else(|| "none".to_owned(), |count| count.to_string());
    names
        .into_iter()
        .map(|name| (name, number(before, name), number(after, name)))
        .filter(|(_, before, after)| before != after)
        .map(|(name, before, after)| format!("{name}: {} before, {} after", shown(before), shown(after)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_or_new_is_named() {
        let of = |counts: &[(&str, i64)]| counts.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect();
        let before = of(&[("public.notes", 3), ("public.empty", 0)]);
        assert!(differences(&before, &before).is_empty());
        assert_eq!(differences(&before, &of(&[("public.notes", 3)])), ["public.empty: 0 before, none after"]);
        let more = of(&[("public.notes", 2), ("public.empty", 0), ("public.new", 1)]);
        assert_eq!(
            differences(&before, &more),
            ["public.new: none before, 1 after", "public.notes: 3 before, 2 after"]
        );
    }
}
