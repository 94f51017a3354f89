//! Decides what the loader does with each statement of a dump. The decision depends only on the statement and on the properties of the
//! target database. The rules are those of `supabase db dump`, with additions for dumps that pg_dump has written directly.

use std::collections::BTreeSet;

use cloch_sql::migrations::is_transaction_control;

use super::event_triggers::{Part, is_platforms};
use super::names::{PLATFORM_EXTENSIONS, is_internal_schema, is_reserved_role};
use super::role_rules;
use super::tokens::{after, begins, qualified, tokens, tokens_of_all};

/// Properties of the target database on which the rules for statements of a dump depend.
#[derive(Clone, Debug, Default)]
pub(crate) struct Target {
    /// Names of the PostgreSQL settings that exist in the target's PostgreSQL version.
    pub settings: BTreeSet<String>,
    /// Extensions that can be created in the target database. `None` if the available extensions are unknown.
    pub extensions: Option<BTreeSet<String>>,
    pub roles: BTreeSet<String>,
    pub schemas: BTreeSet<String>,
}

/// Decision about a statement of a dump: what the loader does with the statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Decision {
    /// Run this statement; an error of the statement aborts the load.
    Run(String),
    /// Run this statement. If the database refuses it, continue, and report the statement as left out.
    Try(String),
    /// Run a part of the statement, and report the remaining part as left out.
    RunPart {
        statement: String,
        /// Reason why the remaining part is left out.
        reason: String,
    },
    /// Create an extension. If the project's owner lacks the privilege, the database login of the server may have it, so the loader uses
    /// this login.
    Extension { name: String, statement: String },
    /// Keep the statement about an event trigger until all other statements have been executed.
    EventTrigger(Part),
    /// Skip without a report, because nothing is lost: the object exists in the target database, or belongs to the platform.
    Skip,
    /// Skip a statement that would have no effect on the target database, and log it with this reason. Nothing is lost.
    Ignore(String),
    /// Skip a statement that the target database cannot or must not run, and report it with this reason as left out. The target
    /// then lacks something that the source has.
    LeaveOut(String),
    /// Abort the load with this reason.
    Refuse(String),
}

pub(crate) fn decide(statement: &str, target: &Target) -> Decision {
    let words = tokens(statement);
    let run = || Decision::Run(statement.to_owned());
    if let Some(decision) = role_rules::decide(statement, &words, target) {
        return decision;
    }
    match words.first().map(String::as_str) {
        Some("reset") => Decision::Skip,
        Some(first) if is_transaction_control(statement) => transaction(first),
        Some("set") => setting(statement, &words, target),
        Some("select") if begins(&words, &["select", "pg_catalog", ".", "setval"]) => sequence_position(statement),
        Some("create") if second(&words) == "schema" => schema(&words, target),
        Some("create") if second(&words) == "extension" => extension(statement, &words, target),
        Some("create" | "alter") if second(&words) == "event" => event_trigger(statement, words.get(3)),
        // Statements of `pg_dump --clean`. If the target database already has an event trigger of this name, it is compared with that of
        // the dump.
        Some("drop") if second(&words) == "event" => Decision::Skip,
        Some("comment") if begins(&words, &["comment", "on", "event"]) => event_trigger(statement, words.get(4)),
        Some("create" | "alter") if second(&words) == "publication" => publication(statement, &words),
        Some("create" | "alter") if second(&words) == "subscription" => Decision::LeaveOut(
            "a subscription would begin to replicate: create it when the project has moved".to_owned(),
        ),
        // A `COPY` statement without rows in the dump would read a file or run a program on the database server's machine.
        Some("copy") => Decision::LeaveOut("rows of a file or program of the server are not read".to_owned()),
        Some("create" | "alter") if matches!(second(&words), "server" | "foreign" | "user") => {
            Decision::Try(statement.to_owned())
        }
        Some("comment") => comment(statement, &words),
        Some("security") => security_label(&words),
        // The library cloch_hooks refuses such a function if it sets parameters that could fail.
        Some("create") if returns_event_trigger(&words) => match subject_schema(&words) {
            Some(name) if is_internal_schema(name) => Decision::Skip,
            _ => Decision::Try(statement.to_owned()),
        },
        Some("alter") if gives_owner(statement) => owner(statement, &words),
        Some("create" | "alter") => match subject_schema(&words) {
            // Policies and triggers on tables of the platform belong to the project, so they are created.
            Some(name) if is_internal_schema(name) && !matches!(second(&words), "policy" | "trigger") => Decision::Skip,
            _ => run(),
        },
        Some("insert") => Decision::LeaveOut(
            "rows as INSERT statements cannot be mapped by column: make the dump with --use-copy".to_owned(),
        ),
        _ => run(),
    }
}

fn second(words: &[String]) -> &str {
    words.get(1).map_or("", String::as_str)
}

/// Decides what the loader does with statements that control a transaction. `begin` and `commit` are skipped, because the whole load is one
/// transaction. All others, such as `rollback`, abort the load.
fn transaction(first: &str) -> Decision {
    match first {
        "begin" | "start" | "commit" | "end" => Decision::Skip,
        _ => Decision::Refuse(
            "it takes statements back or prepares a transaction, which no dump of pg_dump does".to_owned(),
        ),
    }
}

/// Returns the name of the PostgreSQL setting in `SET [SESSION | LOCAL] name` or `SET TIME ZONE`.
fn setting_name(words: &[String]) -> &str {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["set", "time", "zone", ..] | ["set", "session" | "local", "time", "zone", ..] => "timezone",
        ["set", "session" | "local", name, ..] | ["set", name, ..] => name,
        _ => "",
    }
}

fn security_label(words: &[String]) -> Decision {
    match subject_schema(words) {
        Some(schema) if is_internal_schema(schema) => Decision::Skip,
        _ => Decision::LeaveOut("a security label needs the module that gave it: set it yourself".to_owned()),
    }
}

fn setting(statement: &str, words: &[String], target: &Target) -> Decision {
    let name = setting_name(words);
    if matches!(name, "role" | "authorization") {
        return Decision::LeaveOut("what follows belongs to the project's owner, not to this role".to_owned());
    }
    if name == "constraints" {
        return Decision::Run(statement.to_owned());
    }
    // The loader sets `session_replication_role` itself while it loads rows.
    if name == "session_replication_role" {
        return Decision::Skip;
    }
    if name == "client_encoding" {
        let is_utf8 = words.iter().any(|word| word.eq_ignore_ascii_case("utf8"));
        return if is_utf8 { Decision::Skip } else { Decision::LeaveOut("the dump is not in UTF-8".to_owned()) };
    }
    if target.settings.iter().any(|known| known.eq_ignore_ascii_case(name)) {
        return Decision::Run(statement.to_owned());
    }
    Decision::Ignore(format!("not every PostgreSQL has the setting {name}"))
}

/// Decides what the loader does with `SELECT pg_catalog.setval('"schema"."sequence"', …)`, which sets the position of a sequence.
fn sequence_position(statement: &str) -> Decision {
    let name = statement.split('\'').nth(1).unwrap_or_default();
    let schema = tokens(name).first().cloned().unwrap_or_default();
    match schema.as_str() {
        "auth" => Decision::Try(statement.to_owned()),
        schema if is_internal_schema(schema) => Decision::Skip,
        _ => Decision::Run(statement.to_owned()),
    }
}

fn schema(words: &[String], target: &Target) -> Decision {
    let name = words.iter().skip(2).find(|word| !matches!(word.as_str(), "if" | "not" | "exists"));
    match name {
        Some(name) if is_internal_schema(name) || target.schemas.contains(name) => Decision::Skip,
        Some(name) => Decision::Run(format!("CREATE SCHEMA IF NOT EXISTS {}", quoted(name))),
        None => Decision::Skip,
    }
}

/// Returns the schema that `CREATE EXTENSION … SCHEMA name` names; `None` if it names no schema.
pub(crate) fn schema_of(statement: &str) -> Option<String> {
    after(&tokens(statement), "schema").map(str::to_owned)
}

/// Quotes a name as an SQL identifier.
pub(crate) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// Quotes a text as an SQL string.
pub(crate) fn literal(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

fn extension(statement: &str, words: &[String], target: &Target) -> Decision {
    let name = words.iter().skip(2).find(|word| !matches!(word.as_str(), "if" | "not" | "exists"));
    let Some(name) = name.cloned() else { return Decision::Skip };
    // Every Supabase project has these extensions, in schemas of the platform.
    let is_usual =
        PLATFORM_EXTENSIONS.contains(&name.as_str()) && after(words, "schema").is_some_and(is_internal_schema);
    match &target.extensions {
        None if is_usual => Decision::Skip,
        Some(available) if !available.contains(&name) && PLATFORM_EXTENSIONS.contains(&name.as_str()) => Decision::Skip,
        Some(available) if !available.contains(&name) => {
            Decision::LeaveOut(format!("extension {name} is not installed on this PostgreSQL"))
        }
        _ if name == "plpgsql" => Decision::Skip,
        _ => Decision::Extension { name, statement: statement.to_owned() },
    }
}

fn event_trigger(statement: &str, name: Option<&String>) -> Decision {
    if let Some(name) = name.filter(|name| is_platforms(name)) {
        return Decision::Ignore(format!(
            "the event trigger {name} belongs to the platform, and this database has its own"
        ));
    }
    match Part::parse(statement) {
        Some(part) => Decision::EventTrigger(part),
        None => {
            Decision::LeaveOut("a statement about an event trigger in a form that pg_dump does not write".to_owned())
        }
    }
}

fn returns_event_trigger(words: &[String]) -> bool {
    words.iter().take(4).any(|word| word == "function")
        && after(words, "returns").is_some_and(|kind| kind == "event_trigger")
}

fn publication(statement: &str, words: &[String]) -> Decision {
    let name = words.get(2).map_or("", String::as_str);
    let is_platform = name.starts_with("supabase_realtime");
    let changes_tables = words.iter().any(|word| word == "add");
    let about = after(words, "only").or_else(|| after(words, "table"));
    match (is_platform, changes_tables) {
        (_, true) if about.is_some_and(is_internal_schema) => Decision::Skip,
        (true, true) | (false, _) => Decision::Run(statement.to_owned()),
        (true, false) => Decision::Skip,
    }
}

fn comment(statement: &str, words: &[String]) -> Decision {
    let kind = words.get(2).map_or("", String::as_str);
    let is_internal = match kind {
        "extension" => true,
        "schema" => words.get(3).is_some_and(|name| name == "public" || is_internal_schema(name)),
        "policy" | "trigger" | "constraint" => false,
        _ => subject_schema(words).is_some_and(is_internal_schema),
    };
    if is_internal { Decision::Skip } else { Decision::Try(statement.to_owned()) }
}

/// Whether the statement is `… OWNER TO name`. Reads all tokens, because a function's signature before `OWNER TO` may be long.
fn gives_owner(statement: &str) -> bool {
    let words = tokens_of_all(statement);
    matches!(words.as_slice(), [.., owner, to, _] if owner == "owner" && to == "to")
}

/// Decides what the loader does with `ALTER … OWNER TO …`. If the new owner is a role of the platform, the statement is skipped, and the
/// object belongs to the project's owner, the role that runs the load.
fn owner(statement: &str, words: &[String]) -> Decision {
    let is_internal = subject_schema(words).is_some_and(is_internal_schema);
    let is_public = second(words) == "schema" && words.get(2).is_some_and(|name| name == "public");
    let owner = tokens_of_all(statement).pop().unwrap_or_default();
    if is_internal || is_public || is_reserved_role(&owner) {
        Decision::Skip
    } else {
        Decision::Try(statement.to_owned())
    }
}

/// Returns the schema of the object that a statement creates, changes or comments on. For policies and triggers, returns the schema of their
/// table. `None` if the statement names no schema.
fn subject_schema(words: &[String]) -> Option<&str> {
    let on_table = ["policy", "trigger", "rule"];
    let is_index = words.iter().take(3).any(|word| word == "index");
    if on_table.contains(&second(words)) || is_index {
        let on = words.iter().position(|word| word == "on")?;
        let only = usize::from(words.get(on + 1).is_some_and(|word| word == "only"));
        return qualified(words, on + 1 + only)?.0;
    }
    let dot = words.iter().position(|word| word == ".")?;
    words.get(dot.checked_sub(1)?).map(String::as_str)
}

#[cfg(test)]
#[path = "rules_tests.rs"]
mod tests;
