//! Formats an explanation as text.

use std::fmt;

use super::explain::{Cause, Explanation, Judged, Outcome};
use super::{Command, Verdict};

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Role { role } => write!(f, "The database has no role {role}."),
            Self::Schema { schema, role } => {
                write!(f, "Role {role} may not use schema {schema}: GRANT USAGE ON SCHEMA {schema} is missing.")
            }
            Self::Privilege { privilege, role } => {
                write!(f, "Role {role} has no privilege {} on the table: a GRANT is missing.", privilege.keyword())
            }
            Self::Columns { privilege, role, columns } => {
                write!(f, "Role {role} has no privilege {} on {}.", privilege.keyword(), columns.join(", "))
            }
            Self::NoPolicy { command } => write!(
                f,
                "Row-level security is on, and no permissive policy for {} is meant for this role.",
                command.keyword()
            ),
            Self::NotPermitted { command, clause, policies } => {
                let names: Vec<String> = policies.iter().map(|name| format!("{name:?}")).collect();
                let them = if policies.len() == 1 { "policy" } else { "none of the policies" };
                let not = if policies.len() == 1 { "does not hold" } else { "holds" };
                write!(f, "For {}, {clause} of {them} {} {not}.", command.keyword(), names.join(", "))
            }
            Self::Restricted { command, clause, policy } => {
                write!(f, "For {}, {clause} of the restrictive policy {policy:?} does not hold.", command.keyword())
            }
            Self::PolicyFails { policy, error } => write!(f, "Policy {policy:?} ends in an error: {error}."),
            Self::View { runs_as } => {
                write!(f, "It is a view that reads its tables as {runs_as}: ask about those tables, as {runs_as}.")
            }
            Self::NoRows => f.write_str("No row matches the request's conditions, whoever asks."),
        }
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { relation, role, outcome, .. } = self;
        let verb = match self.command {
            Command::Select => "read",
            Command::Insert => "insert into",
            Command::Update => "update",
            Command::Delete => "delete from",
        };
        let ends = match outcome {
            Outcome::Allowed => "is allowed",
            Outcome::Partly => "is allowed for some of the rows",
            Outcome::Refused => "is refused with an error",
            Outcome::Hidden => "finds no row, although there are some: they are hidden",
            Outcome::NoRows => "finds no row",
            Outcome::Unknown => "depends on other tables",
        };
        writeln!(f, "To {verb} {relation} as {role} {ends}.")?;
        if let Some(cause) = &self.cause {
            writeln!(f, "{cause}")?;
        }
        writeln!(f, "\nClaims: {}", serde_json::Value::Object(self.claims.clone()))?;
        self.facts(f)?;
        if let Some(matching) = self.matching {
            let seen = match &self.visible {
                Some(Ok(seen)) => seen.to_string(),
                Some(Err(message)) => message.clone(),
                None => "none".to_owned(),
            };
            writeln!(f, "Rows that match: {matching}; seen by the caller: {seen}")?;
        }
        for row in &self.rows {
            writeln!(f, "\nRow {}", row.row)?;
            row.policies.iter().try_for_each(|policy| policy_line(f, policy))?;
            if let Some(cause) = &row.cause {
                writeln!(f, "  {cause}")?;
            }
            if !row.would_be_enough.is_empty() {
                writeln!(f, "  One of these would have been enough: {}", row.would_be_enough.join(", "))?;
            }
        }
        self.notes.iter().try_for_each(|note| writeln!(f, "\n{note}"))
    }
}

impl Explanation {
    fn facts(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let facts = &self.facts;
        let may = if facts.privileges.is_empty() { "nothing".to_owned() } else { facts.privileges.join(", ") };
        writeln!(f, "Privileges on the whole {}: {may}", facts.kind)?;
        let security = match (facts.rls, facts.policies_apply()) {
            (false, _) => "off: every row is open to who has the privilege",
            (true, true) => "on",
            (true, false) => "on, and this role passes it",
        };
        writeln!(f, "Row-level security: {security}")
    }
}

fn policy_line(f: &mut fmt::Formatter<'_>, judged: &Judged) -> fmt::Result {
    let Judged { policy, command, clause, is_permissive, condition, verdict } = judged;
    let kind = if *is_permissive { "permissive" } else { "restrictive" };
    let value = match verdict {
        Verdict::True => "true",
        Verdict::False => "false",
        Verdict::Null => "null",
        Verdict::Error(_) => "error",
    };
    writeln!(f, "  {value:<5}  {kind} {policy:?} for {}, {clause}: {condition}", command.keyword())
}
