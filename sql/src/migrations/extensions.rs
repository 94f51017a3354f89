//! Handles migration statements about extensions. Statements about extensions that the server lacks are skipped, and Cloch reports these
//! extensions when it starts. All other statements about extensions run in the login role instead of the project owner's role. On an
//! embedded cluster, the login role is the project's owner, who may create the extensions that Supabase allows. On an external server, the
//! login role may have the right to create more extensions than the project's owner.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;

use sqlx::{PgConnection, Row};

use super::MigrationError;
use super::scan::{Backslashes, Scanner};
use super::script::Script;
use super::transactions::words;
use crate::client::{Connection, DbError, Param};

pub(super) struct Available {
    /// Names of the extensions whose files are installed on the server. Stand-ins (SQL in place of a missing extension) are not included.
    real: BTreeSet<String>,
    /// Names of the extensions for which a stand-in (SQL in place of a missing extension) has been created.
    stood_in_for: BTreeSet<String>,
    /// Names of the database's extensions that belong to the server, such as pgcrypto. The login that applies the files may not drop these
    /// extensions.
    of_server: BTreeSet<String>,
}

/// SQL query for the extensions that the session's login may not drop.
const OF_SERVER: &str = "select /* cloch */ extname::text from pg_catalog.pg_extension \
                          where not pg_catalog.pg_has_role(session_user, extowner, 'usage')";

impl Available {
    pub(super) async fn read(connection: &mut PgConnection, owner: &mut Connection) -> Result<Self, MigrationError> {
        let of_server = owner.texts(OF_SERVER).await?.into_iter().collect();
        let (mut real, mut stood_in_for) = (BTreeSet::new(), BTreeSet::new());
        let rows = sqlx::query("select name::text, coalesce(default_version, '') = $1 from pg_available_extensions")
            .bind(crate::stand_ins::VERSION)
            .fetch_all(connection)
            .await?;
        for row in rows {
            let of_kind = if row.try_get(1)? { &mut stood_in_for } else { &mut real };
            of_kind.insert(row.try_get(0)?);
        }
        Ok(Self { real, stood_in_for, of_server })
    }

    pub(super) fn is_real(&self, name: &str) -> bool {
        self.real.contains(name)
    }

    pub(super) fn can_be_created(&self, name: &str) -> bool {
        self.is_real(name) || self.stood_in_for.contains(name)
    }

    /// Whether `statement` drops only an extension, without dependent objects, and the extension belongs to the server. The output of
    /// `supabase db diff` contains such statements. They are skipped, because functions of Cloch use the extension.
    pub(super) fn keeps(&self, statement: &Statement<'_>, name: &str) -> bool {
        statement.verb == "drop" && !statement.is_cascading && self.of_server.contains(name)
    }
}

/// Statement that creates, alters, drops or comments on extensions.
#[derive(Debug)]
pub(super) struct Statement<'a> {
    text: &'a str,
    /// First word of the statement, in lower case.
    verb: String,
    /// Names of the extensions and their ranges in the text; `drop extension` accepts a list.
    names: Vec<(String, Range<usize>)>,
    /// Whether `drop extension` ends with `cascade`.
    is_cascading: bool,
}

impl<'a> Statement<'a> {
    pub(super) fn read(text: &'a str) -> Option<Self> {
        let mut scanner = Scanner::new(text, Backslashes::Plain);
        let mut next = || {
            let range = scanner.token().ok()??.range;
            let word = text.get(range.clone()).unwrap_or_default();
            let unquoted = word.strip_prefix('"').and_then(|word| word.strip_suffix('"'));
            Some((unquoted.map_or_else(|| word.to_ascii_lowercase(), |name| name.replace("\"\"", "\"")), range))
        };
        let verb = next()?.0;
        let is_about = match verb.as_str() {
            "create" | "alter" | "drop" => next()?.0 == "extension",
            "comment" => next()?.0 == "on" && next()?.0 == "extension",
            _ => false,
        };
        let mut first = is_about.then(&mut next)??;
        while matches!(first.0.as_str(), "if" | "not" | "exists") {
            first = next()?;
        }
        let mut names = vec![first];
        let mut after = next();
        while verb == "drop" && after.as_ref().is_some_and(|(word, _)| word == ",") {
            names.push(next()?);
            after = next();
        }
        let is_cascading = verb == "drop" && after.is_some_and(|(word, _)| word == "cascade");
        Some(Self { text, verb, names, is_cascading })
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(|(name, _)| name.as_str())
    }

    pub(super) fn text(&self) -> &'a str {
        self.text
    }

    pub(super) fn verb(&self) -> &str {
        &self.verb
    }

    /// Returns the statement with only those extensions for which `is_kept` is true; `None` if no extension remains.
    pub(super) fn about(&self, is_kept: impl Fn(&str) -> bool) -> Option<Cow<'a, str>> {
        let kept: Vec<&str> = self
            .names
            .iter()
            .filter(|(name, _)| is_kept(name))
            .filter_map(|(_, place)| self.text.get(place.clone()))
            .collect();
        if kept.len() == self.names.len() {
            return Some(Cow::Borrowed(self.text));
        }
        let (begin, end) = (self.names.first()?.1.start, self.names.last()?.1.end);
        let (before, behind) = (self.text.get(..begin)?, self.text.get(end..)?);
        (!kept.is_empty()).then(|| Cow::Owned(format!("{before}{}{behind}", kept.join(", "))))
    }
}

/// Index methods that extensions provide, each with its extension. Without these index methods, the statements of a project return the same
/// results, but more slowly.
const INDEX_METHODS: [(&str, &str); 5] =
    [("hnsw", "vector"), ("ivfflat", "vector"), ("pgroonga", "pgroonga"), ("rum", "rum"), ("bloom", "bloom")];

/// Returns the extension that provides the index method of a `create index` statement. Returns `None` for other statements and for index
/// methods that [`INDEX_METHODS`] does not list.
pub(super) fn index_method(statement: &str) -> Option<&'static str> {
    let words = words(statement);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let rest = match words.as_slice() {
        ["create", "index", rest @ ..] | ["create", "unique", "index", rest @ ..] => rest,
        _ => return None,
    };
    let method = rest.iter().skip_while(|word| **word != "using").nth(1)?;
    INDEX_METHODS.iter().find(|(known, _)| known == method).map(|(_, extension)| *extension)
}

/// SQLSTATE of an error about an object that does not exist, such as an index method.
const UNDEFINED_OBJECT: &str = "42704";

/// Returns a note for the error that PostgreSQL reports if an index needs the extension pgvector, which is not installed; `None` for all
/// other errors. This error occurs only on servers without the library `cloch_hooks`: with this library, the embedded server skips such
/// statements. The message is searched only for the name of the index method, because the other words depend on the server's language.
pub(super) fn installation_note(error: &DbError) -> Option<&'static str> {
    let mut words = error.message.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
    (error.code == UNDEFINED_OBJECT && words.any(|word| word == "hnsw" || word == "ivfflat")).then_some(
        "this index needs pgvector, which is not installed on the database server (Debian and Ubuntu: apt-get install \
         postgresql-NN-pgvector, with the server's version; other systems: docs/extensions.md). Without it, Cloch computes the distances \
         of all rows, and needs no index",
    )
}

/// SQL statement that switches a session from its current role to its login role. [`BECOME_OWNER_AGAIN`] switches back.
const BECOME_LOGIN: &str =
    "select set_config('cloch.role', current_setting('role'), true), set_config('role', 'none', true)";
const BECOME_OWNER_AGAIN: &str = "select set_config('role', current_setting('cloch.role'), true)";

/// Adds a statement that begins at byte `at` of the file to a script. Only this statement of the script runs in the login role.
pub(super) fn push_as_login(script: &mut Script<'_>, statement: &str, at: usize) {
    script.push(BECOME_LOGIN, at);
    script.push(statement, at);
    script.push(BECOME_OWNER_AGAIN, at);
}

/// Adds a statement with parameters at the end of a script. Only this statement runs in the login role.
pub(super) fn push_record_as_login(script: &mut Script<'_>, statement: &str, params: Vec<Param>) {
    script.push_record(BECOME_LOGIN, Vec::new());
    script.push_record(statement, params);
    script.push_record(BECOME_OWNER_AGAIN, Vec::new());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(statement: &str) -> Vec<String> {
        let read = Statement::read(statement);
        read.iter().flat_map(Statement::names).map(str::to_owned).collect()
    }

    #[test]
    fn finds_the_extensions_of_a_statement() {
        for (statement, expected) in [
            ("create extension if not exists pg_net with schema extensions", ["pg_net"].as_slice()),
            ("CREATE EXTENSION \"vector\";", &["vector"]),
            ("drop extension if exists \"pg_net\" cascade", &["pg_net"]),
            ("create /* a */ extension\n-- b\n\"uuid-ossp\"", &["uuid-ossp"]),
            ("alter extension pg_trgm set schema extensions", &["pg_trgm"]),
            ("alter extension a add function f(int, int)", &["a"]),
            ("comment on extension pg_cron is 'x'", &["pg_cron"]),
            ("drop extension a, \"B\"\"c\" , D cascade", &["a", "B\"c", "d"]),
            ("create table extension (a int)", &[]),
            ("comment on table extension is 'x'", &[]),
        ] {
            assert_eq!(names(statement), expected, "{statement}");
        }
        let forty: Vec<String> = (0..40).map(|number| format!("e{number}")).collect();
        assert_eq!(names(&format!("drop extension {}", forty.join(", "))), forty);
    }

    #[test]
    fn a_drop_of_several_extensions_is_about_those_that_are_there() {
        let drop = Statement::read("DROP EXTENSION if exists a , \"b\",c cascade").unwrap();
        for (kept, expected) in [
            (["a", "b", "c"].as_slice(), Some("DROP EXTENSION if exists a , \"b\",c cascade")),
            (&["b", "c"], Some("DROP EXTENSION if exists \"b\", c cascade")),
            (&["a"], Some("DROP EXTENSION if exists a cascade")),
            (&[], None),
        ] {
            assert_eq!(drop.about(|name| kept.contains(&name)).as_deref(), expected);
        }
    }

    #[test]
    fn an_extension_of_the_server_is_kept_unless_its_dependents_are_to_go() {
        let available = Available {
            real: BTreeSet::new(),
            stood_in_for: BTreeSet::new(),
            of_server: BTreeSet::from(["uuid-ossp".to_owned()]),
        };
        for (statement, name, is_kept) in [
            ("drop extension if exists \"uuid-ossp\"", "uuid-ossp", true),
            ("drop extension \"uuid-ossp\", pg_net restrict;", "uuid-ossp", true),
            ("drop extension \"uuid-ossp\", pg_net", "pg_net", false),
            ("drop extension \"uuid-ossp\" CASCADE;", "uuid-ossp", false),
            ("comment on extension \"uuid-ossp\" is 'x'", "uuid-ossp", false),
        ] {
            assert_eq!(available.keeps(&Statement::read(statement).unwrap(), name), is_kept, "{statement}");
        }
    }

    #[test]
    fn finds_the_index_methods_of_extensions() {
        for (statement, expected) in [
            ("create index on items using hnsw (embedding vector_l2_ops)", Some("vector")),
            ("CREATE INDEX IF NOT EXISTS i ON items USING ivfflat(embedding) WITH (lists = 100)", Some("vector")),
            ("CREATE INDEX \"Content_text\" ON \"Content\" USING pgroonga (text)", Some("pgroonga")),
            ("create unique index i on items using btree (a)", None),
            ("create index i on items (hnsw)", None),
            ("comment on index i is 'using hnsw'", None),
        ] {
            assert_eq!(index_method(statement), expected, "{statement}");
        }
    }

    #[test]
    fn an_error_about_a_missing_index_method_names_the_extension() {
        let note = |code: &str, message: &str| {
            installation_note(&DbError { code: code.to_owned(), message: message.to_owned(), ..DbError::default() })
        };
        assert!(note("42704", "access method \"ivfflat\" does not exist").unwrap().contains("pgvector"));
        assert!(note("42704", "Zugriffsmethode »hnsw« existiert nicht").is_some());
        assert_eq!(note("42704", "access method \"rum\" does not exist"), None);
        assert_eq!(note("42704", "operator class \"vector_hnsw_ops\" does not exist"), None);
        assert_eq!(note("42P01", "relation \"hnsw\" does not exist"), None);
    }
}
