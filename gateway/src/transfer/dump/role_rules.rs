//! Rules for the statements about roles and privileges in a dump: decides which of them the loader runs, changes, skips or reports.

use std::sync::LazyLock;

use regex::Regex;

use super::names::{CONFIGURABLE_ROLES, is_internal_schema, is_powerful_role, is_reserved_role};
use super::rules::{Decision, Target, quoted};
use super::tokens::{after, begins};

/// PostgreSQL settings that a project may change for roles of the platform. As in `supabase db dump`, statements that change these settings
/// are kept, and statements that change other settings of these roles are skipped.
const OPEN_SETTINGS: [&str; 2] = ["statement_timeout", "track_io_timing"];
const OPEN_SETTING_PREFIXES: [&str; 2] = ["pgrst.", "pgaudit."];

/// Decides what the loader does with a statement about roles or privileges. Returns `None` for all other statements.
pub(super) fn decide(statement: &str, words: &[String], target: &Target) -> Option<Decision> {
    Some(match words.first()?.as_str() {
        "create" if is_about_role(words) => create(words, target),
        "alter" if begins(words, &["alter", "group"]) => {
            Decision::LeaveOut("members of a role are not added by a dump: grant the role yourself".to_owned())
        }
        "alter" if is_about_role(words) => alter(statement, words),
        "comment" if begins(words, &["comment", "on", "role"]) => match words.get(3) {
            Some(name) if is_reserved_role(name) => Decision::Skip,
            _ => Decision::Try(statement.to_owned()),
        },
        "grant" | "revoke" => grant(statement, words),
        "alter" if begins(words, &["alter", "default", "privileges"]) => defaults(statement, words),
        _ => return None,
    })
}

/// Whether a statement is about a role. `ROLE`, `USER` and `GROUP` are synonyms in SQL; `USER MAPPING` is another kind of object.
fn is_about_role(words: &[String]) -> bool {
    let is_mapping = words.get(2).is_some_and(|word| matches!(word.as_str(), "mapping" | "if"))
        && words.iter().any(|word| word == "mapping");
    !is_mapping && words.get(1).is_some_and(|word| matches!(word.as_str(), "role" | "user" | "group"))
}

/// Decides what the loader does with `CREATE ROLE name [WITH] option …`. pg_dump writes this statement without options, and writes the
/// options as separate `ALTER ROLE` and `GRANT` statements. If a dump contains options nevertheless, they are removed, because they would
/// bypass the rules for `ALTER ROLE` and `GRANT`: `IN ROLE` grants membership, `SUPERUSER` and `PASSWORD` give rights.
fn create(words: &[String], target: &Target) -> Decision {
    match words.get(2) {
        Some(name) if is_reserved_role(name) || target.roles.contains(name) => Decision::Skip,
        Some(name) if words.len() == 3 => Decision::Run(format!("CREATE ROLE {}", quoted(name))),
        Some(name) => Decision::RunPart {
            statement: format!("CREATE ROLE {}", quoted(name)),
            reason: format!(
                "the role {name} is made without its options ({}): set them and grant memberships yourself",
                words.get(3..).unwrap_or_default().join(" ")
            ),
        },
        None => Decision::LeaveOut("a role without a name".to_owned()),
    }
}

/// Decides what the loader does with `ALTER ROLE … WITH …` and `ALTER ROLE … SET …`.
fn alter(statement: &str, words: &[String]) -> Decision {
    let Some(name) = words.get(2) else { return Decision::Skip };
    if words.iter().skip(3).any(|word| word == "set") && !begins(words.get(3..).unwrap_or_default(), &["with"]) {
        let setting = after(words, "set").unwrap_or_default();
        let is_projects =
            OPEN_SETTINGS.contains(&setting) || OPEN_SETTING_PREFIXES.iter().any(|p| setting.starts_with(p));
        let is_open = !is_reserved_role(name) || is_projects && CONFIGURABLE_ROLES.contains(&name.as_str());
        return if is_open { Decision::Try(statement.to_owned()) } else { Decision::Skip };
    }
    if is_reserved_role(name) {
        return Decision::Skip;
    }
    let Some(Options { head, options, password }) = Options::of(statement) else {
        return Decision::LeaveOut(format!("the options of role {name} cannot be read"));
    };
    // Only a superuser may use the attributes SUPERUSER, REPLICATION and BYPASSRLS in this statement, even in their negated form
    // (`NOSUPERUSER`).
    let (mut kept, mut lost) = (head.to_owned(), Vec::new());
    for option in options {
        match option.to_ascii_uppercase().as_str() {
            "NOSUPERUSER" | "NOREPLICATION" | "NOBYPASSRLS" => {}
            "SUPERUSER" => lost.push("SUPERUSER"),
            "REPLICATION" => lost.push("REPLICATION"),
            _ => kept = format!("{kept} {option}"),
        }
    }
    lost.extend(password.then_some("PASSWORD"));
    if lost.is_empty() {
        return Decision::Try(kept);
    }
    let reason = format!("the role {name} gets no {} from a dump: set it yourself", lost.join(", "));
    Decision::RunPart { statement: kept, reason }
}

/// The parts of `ALTER ROLE name [WITH] option …`.
struct Options<'a> {
    /// Text of the statement up to the role's name.
    head: &'a str,
    /// Words of the statement between the role's name and `PASSWORD`, or the end of the statement.
    options: Vec<&'a str>,
    /// Whether the statement sets a password. Options that follow the password in the statement are lost.
    password: bool,
}

impl<'a> Options<'a> {
    fn of(statement: &'a str) -> Option<Self> {
        static HEAD: LazyLock<Option<Regex>> =
            LazyLock::new(|| Regex::new(r#"(?is)^\s*alter\s+(?:role|user)\s+(?:"(?:[^"]|"")*"|[^\s";]+)"#).ok());
        let head = HEAD.as_ref()?.find(statement)?;
        let mut options: Vec<&str> = statement.get(head.end()..)?.split_whitespace().collect();
        let password = options.iter().position(|option| option.to_ascii_uppercase().starts_with("PASSWORD"));
        if let Some(at) = password {
            options.truncate(at);
            options.pop_if(|option| option.eq_ignore_ascii_case("encrypted"));
        }
        Some(Self { head: head.as_str(), options, password: password.is_some() })
    }
}

fn grant(statement: &str, words: &[String]) -> Decision {
    let Some(on) = words.iter().position(|word| word == "on") else { return membership(statement, words) };
    let object = words.get(on + 1..).unwrap_or_default();
    let is_schema = object.first().is_some_and(|word| word == "schema");
    let named = if is_schema { object.get(1) } else { schema_before_dot(object) };
    let grantee = after(words, if begins(words, &["grant"]) { "to" } else { "from" });
    // The platform, not the project, decides which PostgreSQL settings the role postgres may change.
    let is_parameter = object.first().is_some_and(|word| word == "parameter");
    let is_platforms = |name: &str| is_reserved_role(name) && name != "public" && !CONFIGURABLE_ROLES.contains(&name);
    if is_parameter && grantee.is_some_and(is_reserved_role)
        || named.is_some_and(|name| is_internal_schema(name))
        || grantee.is_some_and(is_platforms)
    {
        return Decision::Skip;
    }
    Decision::Try(statement.to_owned())
}

fn schema_before_dot(words: &[String]) -> Option<&String> {
    let dot = words.iter().position(|word| word == ".")?;
    words.get(dot.checked_sub(1)?)
}

/// Decides what the loader does with `GRANT role TO role [WITH …] [GRANTED BY …]`. If both roles belong to the platform, the statement is
/// skipped, because the platform manages these memberships.
fn membership(statement: &str, words: &[String]) -> Decision {
    let (role, member) = (words.get(1).map_or("", String::as_str), after(words, "to").unwrap_or_default());
    let both_reserved = is_reserved_role(role) && is_reserved_role(member);
    if both_reserved {
        return Decision::Skip;
    }
    if is_powerful_role(role) {
        return Decision::LeaveOut(format!(
            "membership in {role} is not given to {member} by a dump: grant it yourself"
        ));
    }
    let text = statement.split(" GRANTED BY ").next().unwrap_or_default();
    Decision::Try(text.to_owned())
}

fn defaults(statement: &str, words: &[String]) -> Decision {
    let role = after(words, "role").unwrap_or_default();
    let is_postgres = role == "postgres";
    let schema = after(words, "schema");
    let grantee = after(words, "to").or_else(|| after(words, "from")).unwrap_or_default();
    let to_platform = is_reserved_role(grantee) && grantee != "public" && !CONFIGURABLE_ROLES.contains(&grantee);
    if is_reserved_role(role) && !is_postgres || schema.is_some_and(is_internal_schema) || to_platform {
        return Decision::Skip;
    }
    Decision::Try(statement.to_owned())
}
