//! Classifies the statements in the SQL files of the platform (`platform/tables`, `platform/functions`) for [`super::attach`]. These files
//! are Cloch's own, so their format is known: keywords in lower case, one column per line.

/// Statement of a file of the platform SQL, classified by the object that the statement creates.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Statement<'a> {
    /// `create schema … authorization …`, with the name of the schema.
    Schema(&'a str),
    /// `create table`, with the name of the table, and name and definition of each column.
    Table(&'a str, Vec<(&'a str, &'a str)>),
    /// `create type … as enum`, with the name and the labels of the type.
    Enum(&'a str, Vec<&'a str>),
    /// `create [or replace] function`, with the name of the function.
    Function(&'a str),
    /// `alter table`, or a trigger on a table of storage, with the name of the table. Executed only for tables that Cloch created. On the
    /// storage tables of another program, the triggers would keep older versions of that program from deleting objects.
    ChangesTable(&'a str),
    /// `set local role`.
    SetRole,
    /// Grant of table privileges to callers' roles, with the names of the tables. Executed only for tables that Cloch created.
    CallersGrant(Vec<&'a str>),
    /// Revocation of privileges, or comment. Executed only for objects that Cloch created.
    OwnObjectsOnly,
    /// Change of the database's owner. Never executed, because the database belongs to another program.
    TakesDatabase,
    /// Any other statement, which is executed unchanged.
    Other,
}

impl<'a> Statement<'a> {
    pub(super) fn read(text: &'a str) -> Self {
        let words: Vec<&str> = text.split_whitespace().take(8).collect();
        let name = |word: &'a str| word.split('(').next().unwrap_or(word);
        match words.as_slice() {
            ["create", "schema", "if", "not", "exists", schema, ..] => Self::Schema(schema),
            ["create", "table", "if", "not", "exists", table, ..] | ["create", "table", table, ..] => {
                Self::Table(name(table), columns(text))
            }
            ["create", "type", of, "as", "enum", ..] => Self::Enum(of, labels(text)),
            ["create", "function", function, ..] | ["create", "or", "replace", "function", function, ..] => {
                Self::Function(name(function))
            }
            ["alter", "table", table, ..] => Self::ChangesTable(table),
            ["create", "trigger", ..] => match trigger_table(text) {
                Some(table) if table.starts_with("storage.") => Self::ChangesTable(table),
                _ => Self::Other,
            },
            ["set", "local", "role", ..] => Self::SetRole,
            ["revoke" | "comment", ..] => Self::OwnObjectsOnly,
            // Grants to callers are applied only to tables that Cloch created. For any other table, the program that created it has decided
            // which privileges callers have.
            ["grant", ..] if text.contains("anon") && (text.contains(" storage.") || text.contains(" realtime.")) => {
                objects(text).map_or(Self::OwnObjectsOnly, Self::CallersGrant)
            }
            ["do", ..] if text.contains("'alter database %I owner") => Self::TakesDatabase,
            _ => Self::Other,
        }
    }

    /// Whether the statement creates an object of schema cloch. Such a statement must succeed, because no other program creates objects in
    /// schema cloch.
    pub(super) fn is_cloch_own(&self) -> bool {
        matches!(self, Self::Table(name, _) | Self::Function(name) | Self::Enum(name, _) if name.starts_with("cloch."))
            || matches!(self, Self::Schema("cloch"))
    }
}

/// Returns name and definition of each column of a `create table` statement.
fn columns(text: &str) -> Vec<(&str, &str)> {
    let body = text.split_once('(').map_or("", |(_, body)| body);
    body.lines()
        .filter_map(|line| {
            let column = line.strip_prefix("  ").filter(|rest| rest.starts_with(|c: char| c.is_ascii_lowercase()))?;
            let column = column.trim_end().trim_end_matches(',');
            let (name, definition) = column.split_once(' ')?;
            (!matches!(name, "constraint" | "primary" | "unique" | "check" | "foreign"))
                .then(|| (name, definition.trim()))
        })
        .collect()
}

/// Returns the table of a `create trigger` statement.
fn trigger_table(text: &str) -> Option<&str> {
    text.split_whitespace().skip_while(|word| *word != "on").nth(1)
}

/// Returns the objects of a grant statement, listed between `on` and `to`.
fn objects(text: &str) -> Option<Vec<&str>> {
    let (_, rest) = text.split_once(" on ")?;
    let at = rest.split_whitespace().position(|word| word == "to")?;
    Some(rest.split_whitespace().take(at).map(|word| word.trim_end_matches(',')).collect())
}

fn labels(text: &str) -> Vec<&str> {
    text.split('\'').skip(1).step_by(2).collect()
}

#[cfg(test)]
mod tests {
    use super::Statement;

    #[test]
    fn tells_statements_apart() {
        for (text, expected) in [
            ("create schema if not exists auth authorization supabase_admin", Statement::Schema("auth")),
            ("create type a.b as enum ('x', 'y z')", Statement::Enum("a.b", vec!["x", "y z"])),
            ("create or replace function auth.uid() returns uuid\nas ''", Statement::Function("auth.uid")),
            ("create function cloch.f(\n  a int) returns int", Statement::Function("cloch.f")),
            ("set local role supabase_auth_admin", Statement::SetRole),
            ("alter table auth.x enable row level security", Statement::ChangesTable("auth.x")),
            (
                "create trigger t\n  before insert or update of name on storage.x\n  for each row execute function storage.f()",
                Statement::ChangesTable("storage.x"),
            ),
            (
                "create trigger t after insert on realtime.x for each row execute function realtime.f()",
                Statement::Other,
            ),
            ("revoke all on auth.x from y", Statement::OwnObjectsOnly),
            ("grant all on auth.x to y", Statement::Other),
            ("grant all on storage.x, storage.y\n  to anon", Statement::CallersGrant(vec!["storage.x", "storage.y"])),
            ("grant usage on schema storage to anon", Statement::Other),
            (
                "create table a.b (\n  id uuid not null,\n  -- why\n  c  numeric(1, 2) default 'x',\n  constraint k primary key (id),\n  \
                 constraint m\n    check (c > 1)\n)",
                Statement::Table("a.b", vec![("id", "uuid not null"), ("c", "numeric(1, 2) default 'x'")]),
            ),
        ] {
            assert_eq!(Statement::read(text), expected, "{text}");
        }
    }
}
