//! Counts rows and other content of the source database and of the target database, and compares the counts.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use serde::{Deserialize, Serialize};
use sqlx::{AssertSqlSafe, PgConnection, Row};

use super::dump::event_triggers::EventTriggers;
use super::dump::names::{INTERNAL_SCHEMAS, PLATFORM_EXTENSIONS, PLATFORM_TABLES, SESSION_TABLES, VECTORS_TABLE};

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Inventory {
    /// Number of rows of each table. The key is `schema.table`.
    pub rows: BTreeMap<String, u64>,
    /// Number of objects of each kind, such as `policies` or `event triggers`.
    pub objects: BTreeMap<String, u64>,
    /// Names of the extensions that are created in the database.
    pub extensions: BTreeSet<String>,
    /// Total size in bytes of all stored files. [`Self::read`] computes it from the sizes in `storage.objects`.
    pub file_bytes: u64,
}

impl Inventory {
    /// Counts the rows, objects and extensions of a database.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub(crate) async fn read(connection: &mut PgConnection) -> sqlx::Result<Self> {
        let mut rows = BTreeMap::new();
        for (name, count) in tables(connection).await? {
            let counted = sqlx::query(AssertSqlSafe(count)).fetch_one(&mut *connection).await?;
            rows.insert(name, unsigned(counted.try_get(0)?));
        }
        let bytes = sqlx::query("select coalesce(sum((metadata->>'size')::bigint), 0)::bigint from storage.objects")
            .fetch_one(&mut *connection)
            .await?;
        let extensions =
            sqlx::query("select extname::text from pg_catalog.pg_extension").fetch_all(&mut *connection).await?;
        Ok(Self {
            rows,
            objects: objects(connection).await?,
            extensions: extensions.iter().map(|row| row.try_get(0)).collect::<sqlx::Result<_>>()?,
            file_bytes: unsigned(bytes.try_get(0)?),
        })
    }

    /// Compares the counts of the source database (`self`) with those of the target database. Session tables are compared only if `sessions`
    /// is set.
    pub(crate) fn compare(&self, target: &Self, sessions: bool) -> Comparison {
        let mut comparison = Comparison::default();
        for (name, expected) in &self.rows {
            if sessions || !SESSION_TABLES.contains(&name.as_str()) {
                comparison.line(&format!("rows of {name}"), *expected, target.rows.get(name).copied().unwrap_or(0));
            }
        }
        for (kind, expected) in &self.objects {
            comparison.line(kind, *expected, target.objects.get(kind).copied().unwrap_or(0));
        }
        let wanted = |name: &&String| !PLATFORM_EXTENSIONS.contains(&name.as_str());
        for name in self.extensions.iter().filter(wanted) {
            comparison.line(&format!("extension {name}"), 1, u64::from(target.extensions.contains(name)));
        }
        comparison.line("bytes of files", self.file_bytes, target.file_bytes);
        comparison
    }
}

/// Comparison of the source and the target database. Each line has a name, the number in the source, and the number in the target.
#[derive(Clone, Debug, Default)]
pub(crate) struct Comparison {
    lines: Vec<(String, u64, u64)>,
}

impl Comparison {
    pub(crate) fn line(&mut self, what: &str, source: u64, target: u64) {
        self.lines.push((what.to_owned(), source, target));
    }

    pub(crate) fn is_equal(&self) -> bool {
        self.lines.iter().all(|(_, source, target)| source == target)
    }

    /// Formats the comparison as a table for the user. Lines with zero in both databases are left out.
    pub(crate) fn text(&self) -> String {
        let shown = || self.lines.iter().filter(|(_, source, target)| (*source, *target) != (0, 0));
        let width = shown().map(|(what, ..)| what.chars().count()).max().unwrap_or(0);
        let mut text = format!("{:width$}  {:>12}  {:>12}\n", "", "source", "here");
        for (what, source, target) in shown() {
            let mark = if source == target { "" } else { "  DIFFERENT" };
            let _ = writeln!(text, "{what:width$}  {source:>12}  {target:>12}{mark}");
        }
        text
    }
}

fn unsigned(count: i64) -> u64 {
    u64::try_from(count).unwrap_or(0)
}

/// Returns the tables that contain rows of the project, each with an SQL statement that counts its rows.
async fn tables(connection: &mut PgConnection) -> sqlx::Result<Vec<(String, String)>> {
    let rows = sqlx::query(
        "select nspname || '.' || relname, format('select count(*) from only %I.%I', nspname, relname)
           from pg_catalog.pg_class as c join pg_catalog.pg_namespace as n on n.oid = relnamespace
          where relkind = 'r' and relpersistence <> 't'
            and (nspname in ('auth', 'storage') or nspname <> all ($1)
                 or nspname || '.' || relname = $3
                    and pg_catalog.has_schema_privilege(n.oid, 'usage') and pg_catalog.has_table_privilege(c.oid, 'select'))
            and nspname || '.' || relname <> all ($2)
            and not exists (select from pg_catalog.pg_depend where classid = 'pg_catalog.pg_class'::regclass
                              and objid = c.oid and deptype = 'e')
          order by 1",
    )
    .bind(INTERNAL_SCHEMAS)
    .bind(PLATFORM_TABLES)
    .bind(VECTORS_TABLE)
    .fetch_all(connection)
    .await?;
    rows.iter().map(|row| Ok((row.try_get(0)?, row.try_get(1)?))).collect()
}

/// Counts the project's policies, functions, triggers, views and event triggers. Objects that belong to extensions or to the platform are
/// not counted.
async fn objects(connection: &mut PgConnection) -> sqlx::Result<BTreeMap<String, u64>> {
    let rows = sqlx::query(
        "with own as (select oid from pg_catalog.pg_namespace
                       where nspname <> all ($1) and nspname not like 'pg\\_temp%' and nspname not like 'pg\\_toast%'),
              of_extension as (select classid, objid from pg_catalog.pg_depend where deptype = 'e')
         select 'policies', count(*) from pg_catalog.pg_policy as p join pg_catalog.pg_class as c on c.oid = polrelid
           join pg_catalog.pg_namespace as n on n.oid = relnamespace
          where n.oid in (select oid from own) or nspname in ('auth', 'storage', 'realtime')
         union all
         select 'functions', count(*) from pg_catalog.pg_proc as p
          where pronamespace in (select oid from own) and ('pg_catalog.pg_proc'::regclass, p.oid) not in (select * from of_extension)
            -- Cloch's stand-in for pgvector, whose functions a superuser owns, counts as an extension.
            and (p.pronamespace, p.proowner) not in (
              select v.typnamespace, v.typowner from pg_catalog.pg_type as v join pg_catalog.pg_proc as i on i.oid = v.typinput
               where v.typname = 'vector' and i.prosrc = 'textin')
         union all
         select 'triggers', count(*) from pg_catalog.pg_trigger as t join pg_catalog.pg_proc as p on p.oid = tgfoid
           join pg_catalog.pg_class as c on c.oid = tgrelid
          where not tgisinternal and tgparentid = 0
            and (relnamespace in (select oid from own) or pronamespace in (select oid from own))
         union all
         select 'views', count(*) from pg_catalog.pg_class as c where relkind in ('v', 'm')
            and relnamespace in (select oid from own)
            and ('pg_catalog.pg_class'::regclass, c.oid) not in (select * from of_extension)",
    )
    .bind(INTERNAL_SCHEMAS)
    .fetch_all(&mut *connection)
    .await?;
    let mut counts: BTreeMap<String, u64> =
        rows.iter().map(|row| Ok((row.try_get(0)?, unsigned(row.try_get(1)?)))).collect::<sqlx::Result<_>>()?;
    counts.insert("event triggers".to_owned(), EventTriggers::read(connection).await?.own.len() as u64);
    Ok(counts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_row_file_or_extension_is_a_difference() {
        let source = Inventory {
            rows: BTreeMap::from([("public.a".to_owned(), 3), ("auth.sessions".to_owned(), 2)]),
            extensions: BTreeSet::from(["postgis".to_owned(), "plpgsql".to_owned()]),
            ..Inventory::default()
        };
        let mut target = Inventory { rows: BTreeMap::from([("public.a".to_owned(), 2)]), ..Inventory::default() };
        let text = source.compare(&target, false).text();
        assert!(text.matches("DIFFERENT").count() == 2 && !text.contains("sessions"), "{text}");
        target.rows.insert("public.a".to_owned(), 3);
        target.extensions.insert("postgis".to_owned());
        assert!(source.compare(&target, false).is_equal());
        assert!(!source.compare(&target, true).is_equal());
        target.file_bytes = 1;
        assert!(!source.compare(&target, false).is_equal());
    }
}
