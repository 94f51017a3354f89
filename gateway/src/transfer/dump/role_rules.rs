//! What becomes of statements about roles and rights.

use super::names::{CONFIGURABLE_ROLES, is_internal_schema, is_reserved_role};
use super::rules::{Decision, Target};
use super::tokens::{after, begins};

/// Settings of the platform's roles that a project may have changed: those that `supabase db dump` keeps. The others are the platform's.
const OPEN_SETTINGS: [&str; 2] = ["statement_timeout", "track_io_timing"];
const OPEN_SETTING_PREFIXES: [&str; 2] = ["pgrst.", "pgaudit."];

/// Decides about a statement if it is about roles or rights.
pub(super) fn decide(statement: &str, words: &[String], target: &Target) -> Option<Decision> {
    Some(match words.first()?.as_str() {
        "create" if begins(words, &["create", "role"]) => create(statement, words, target),
        "alter" if begins(words, &["alter", "role"]) => alter(statement, words),
        "comment" if begins(words, &["comment", "on", "role"]) => match words.get(3) {
            Some(name) if is_reserved_role(name) => Decision::Skip,
            _ => Decision::Try(statement.to_owned()),
        },
        "grant" | "revoke" => grant(statement, words),
        "alter" if begins(words, &["alter", "default", "privileges"]) => defaults(statement, words),
        _ => return None,
    })
}

fn create(statement: &str, words: &[String], target: &Target) -> Decision {
    match words.get(2) {
        Some(name) if is_reserved_role(name) || target.roles.contains(name) => Decision::Skip,
        _ => Decision::Run(statement.to_owned()),
    }
}

/// `ALTER ROLE … WITH …` and `ALTER ROLE … SET …`.
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
    // Attributes that only a superuser may name, even to deny them.
    let without = [" NOSUPERUSER", " NOREPLICATION", " NOBYPASSRLS", " SUPERUSER", " REPLICATION"];
    let kept = without.iter().fold(statement.to_owned(), |text, attribute| text.replace(attribute, ""));
    let kept = kept.split(" PASSWORD ").next().unwrap_or_default().to_owned();
    Decision::Try(kept)
}

fn grant(statement: &str, words: &[String]) -> Decision {
    let Some(on) = words.iter().position(|word| word == "on") else { return membership(statement, words) };
    let object = words.get(on + 1..).unwrap_or_default();
    let is_schema = object.first().is_some_and(|word| word == "schema");
    let named = if is_schema { object.get(1) } else { schema_before_dot(object) };
    let grantee = after(words, if begins(words, &["grant"]) { "to" } else { "from" });
    // Which settings role postgres may change is the platform's.
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

/// `GRANT role TO role [WITH …] [GRANTED BY …]`: memberships between reserved roles are the platform's.
fn membership(statement: &str, words: &[String]) -> Decision {
    let (role, member) = (words.get(1).map_or("", String::as_str), after(words, "to").unwrap_or_default());
    let both_reserved = is_reserved_role(role) && is_reserved_role(member);
    // A member of these could do what only the platform may.
    let is_powerful = is_reserved_role(role) && !["anon", "authenticated"].contains(&role);
    if both_reserved {
        return Decision::Skip;
    }
    if is_powerful {
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
