//! Event triggers of a project in a dump: reads them from the source database, writes the statements that create them, and parses such
//! statements.
//!
//! Event triggers run with each change of the schema, so the loader creates them after everything else. A statement is parsed completely and
//! written anew, so that only the known forms reach the target database.

use sqlx::{PgConnection, Row};

use super::names::{PLATFORM_EVENT_TRIGGERS, is_internal_schema};
use super::rules::{literal, quoted};
use super::tokens::{tokens, tokens_of_all};
use crate::transfer::LeftOut;

/// Events for which role postgres may create event triggers. An event trigger of the event `login` would run in every session.
const EVENTS: [&str; 4] = ["ddl_command_start", "ddl_command_end", "sql_drop", "table_rewrite"];

/// When an enabled event trigger runs: `pg_event_trigger.evtenabled`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Enabled {
    #[default]
    Origin,
    Replica,
    Always,
    Disabled,
}

impl Enabled {
    fn of_catalog(code: &str) -> Self {
        match code {
            "R" => Self::Replica,
            "A" => Self::Always,
            "D" => Self::Disabled,
            _ => Self::Origin,
        }
    }

    /// Returns the words that follow `ALTER EVENT TRIGGER name`.
    const fn words(self) -> &'static str {
        match self {
            Self::Origin => "ENABLE",
            Self::Replica => "ENABLE REPLICA",
            Self::Always => "ENABLE ALWAYS",
            Self::Disabled => "DISABLE",
        }
    }
}

/// Definition of an event trigger, without its state and comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EventTrigger {
    pub name: String,
    pub event: String,
    /// Command tags of `WHEN TAG IN`. Empty if the event trigger runs for all commands.
    pub tags: Vec<String>,
    /// Schema and name of the function.
    pub function: (String, String),
}

impl EventTrigger {
    /// Returns the statement that creates the event trigger.
    pub(crate) fn statement(&self) -> String {
        let tags: Vec<String> = self.tags.iter().map(|tag| literal(tag)).collect();
        let when = if tags.is_empty() { String::new() } else { format!(" WHEN TAG IN ({})", tags.join(", ")) };
        let (name, event, function) = (quoted(&self.name), quoted(&self.event), self.function_name());
        format!("CREATE EVENT TRIGGER {name} ON {event}{when} EXECUTE FUNCTION {function}()")
    }

    /// Returns the quoted name of the function with its schema.
    pub(crate) fn function_name(&self) -> String {
        format!("{}.{}", quoted(&self.function.0), quoted(&self.function.1))
    }

    /// Returns the reason if no database can get this event trigger from a dump; otherwise `None`.
    pub(crate) fn refusal(&self) -> Option<String> {
        if !EVENTS.contains(&self.event.as_str()) {
            return Some(format!("only superusers create event triggers of the event {}", self.event));
        }
        is_internal_schema(&self.function.0)
            .then(|| format!("its function {} belongs to the platform or to an extension", self.function_name()))
    }
}

/// Returns the statement that enables or disables an event trigger.
pub(crate) fn state_statement(name: &str, enabled: Enabled) -> String {
    format!("ALTER EVENT TRIGGER {} {}", quoted(name), enabled.words())
}

/// Whether an event trigger belongs to Supabase's database image or to Cloch. Each database contains its own event triggers of this kind.
pub(crate) fn is_platforms(name: &str) -> bool {
    name.starts_with("cloch_") || PLATFORM_EVENT_TRIGGERS.contains(&name)
}

/// Returns the name of the event trigger in a line in which `supabase db dump` writes its definition as a comment. `None` for other lines.
pub(crate) fn commented_name(line: &str) -> Option<String> {
    let words = tokens(line.strip_prefix("-- ")?);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["create", "event", "trigger", name, "on", _] if line.starts_with("-- CREATE EVENT TRIGGER \"") => {
            Some((*name).to_owned())
        }
        _ => None,
    }
}

/// Parsed statement of a dump about an event trigger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Create(EventTrigger),
    Enable { name: String, enabled: Enabled },
    Owner { name: String, owner: String },
    Comment { name: String },
}

impl Part {
    /// Name of the event trigger.
    pub(crate) fn name(&self) -> &str {
        match self {
            Self::Create(trigger) => &trigger.name,
            Self::Enable { name, .. } | Self::Owner { name, .. } | Self::Comment { name } => name,
        }
    }

    /// Parses a statement in one of pg_dump's forms. `None` for all other statements.
    pub(crate) fn parse(statement: &str) -> Option<Self> {
        let words = tokens_of_all(statement);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        match words.as_slice() {
            ["create", "event", "trigger", name, "on", event, rest @ ..] => definition(name, event, rest),
            ["alter", "event", "trigger", name, "owner", "to", owner] => {
                Some(Self::Owner { name: (*name).to_owned(), owner: (*owner).to_owned() })
            }
            ["alter", "event", "trigger", name, state @ ..] => {
                let enabled = match state {
                    ["enable"] => Enabled::Origin,
                    ["enable", "replica"] => Enabled::Replica,
                    ["enable", "always"] => Enabled::Always,
                    ["disable"] => Enabled::Disabled,
                    _ => return None,
                };
                Some(Self::Enable { name: (*name).to_owned(), enabled })
            }
            ["comment", "on", "event", "trigger", name, "is", ..] => Some(Self::Comment { name: (*name).to_owned() }),
            _ => None,
        }
    }
}

/// Parses the words after `CREATE EVENT TRIGGER name ON event`.
fn definition(name: &str, event: &str, rest: &[&str]) -> Option<Part> {
    let (tags, rest) = match rest {
        ["when", "tag", "in", "(", rest @ ..] => {
            let end = rest.iter().position(|word| *word == ")")?;
            let tags = rest.get(..end)?.split(|word| *word == ",").map(only).collect::<Option<_>>()?;
            (tags, rest.get(end + 1..)?)
        }
        _ => (Vec::new(), rest),
    };
    // PostgreSQL writes a function of its own schema without the schema.
    let (schema, function) = match rest {
        ["execute", "function" | "procedure", schema, ".", function, "(", ")"] => (*schema, *function),
        ["execute", "function" | "procedure", function, "(", ")"] => ("pg_catalog", *function),
        _ => return None,
    };
    Some(Part::Create(EventTrigger {
        name: name.to_owned(),
        event: event.to_owned(),
        tags,
        function: (schema.to_owned(), function.to_owned()),
    }))
}

fn only(words: &[&str]) -> Option<String> {
    match words {
        [word] => Some((*word).to_owned()),
        _ => None,
    }
}

/// Event triggers of a database that a dump contains or leaves out.
#[derive(Debug, Default)]
pub(crate) struct EventTriggers {
    /// Event triggers of the project.
    pub own: Vec<Present>,
    /// Event triggers that dumps leave out, with the reasons. Event triggers of the platform and of extensions are not in this list,
    /// because the target database has its own.
    pub left_out: Vec<LeftOut>,
}

/// Event trigger of a database.
#[derive(Debug)]
pub(crate) struct Present {
    pub trigger: EventTrigger,
    pub enabled: Enabled,
    comment: Option<String>,
}

impl EventTriggers {
    /// Reads the event triggers of a database that Cloch, Supabase or another program has created.
    pub(crate) async fn read(connection: &mut PgConnection) -> sqlx::Result<Self> {
        let rows = sqlx::query(
            "select e.evtname::text, e.evtevent::text, coalesce(e.evttags, '{}'), n.nspname::text, p.proname::text, e.evtenabled::text,
                    pg_catalog.obj_description(e.oid, 'pg_event_trigger'), owner.rolname::text, owner.rolsuper
               from pg_catalog.pg_event_trigger as e
               join pg_catalog.pg_proc as p on p.oid = e.evtfoid
               join pg_catalog.pg_namespace as n on n.oid = p.pronamespace
               join pg_catalog.pg_roles as owner on owner.oid = e.evtowner
              where not exists (select from pg_catalog.pg_depend as d
                                 where d.classid = 'pg_catalog.pg_event_trigger'::pg_catalog.regclass and d.objid = e.oid and d.deptype = 'e')
              order by e.evtname",
        )
        .fetch_all(connection)
        .await?;
        let mut found = Self::default();
        for row in rows {
            let trigger = EventTrigger {
                name: row.try_get(0)?,
                event: row.try_get(1)?,
                tags: row.try_get(2)?,
                function: (row.try_get(3)?, row.try_get(4)?),
            };
            if is_platforms(&trigger.name) {
                continue;
            }
            let (owner, is_superuser): (String, bool) = (row.try_get(7)?, row.try_get(8)?);
            match trigger.refusal().or_else(|| foreign_owner(&owner, is_superuser)) {
                Some(reason) => found.left_out.push(LeftOut::new(&trigger.statement(), reason)),
                None => found.own.push(Present {
                    trigger,
                    enabled: Enabled::of_catalog(row.try_get(5)?),
                    comment: row.try_get(6)?,
                }),
            }
        }
        Ok(found)
    }

    /// Returns the statements that create the project's event triggers. They are written at the end of schema.sql, because an event trigger
    /// would run for all later statements.
    pub(crate) fn statements(&self) -> String {
        let mut text = String::new();
        for Present { trigger, enabled, comment } in &self.own {
            text.push_str(&format!("{};\n\n", trigger.statement()));
            if *enabled != Enabled::default() {
                text.push_str(&format!("{};\n\n", state_statement(&trigger.name, *enabled)));
            }
            if let Some(comment) = comment {
                text.push_str(&format!(
                    "COMMENT ON EVENT TRIGGER {} IS {};\n\n",
                    quoted(&trigger.name),
                    literal(comment)
                ));
            }
        }
        text
    }
}

/// Returns why an event trigger of this owner is left out. The owner is role postgres, unless a superuser has created the event trigger.
/// Role postgres may be a superuser on another server; its event triggers belong to the project.
fn foreign_owner(owner: &str, is_superuser: bool) -> Option<String> {
    (is_superuser && owner != "postgres").then(|| superusers_own(owner))
}

/// Returns the reason why an event trigger that belongs to the role `owner` is left out.
pub(crate) fn superusers_own(owner: &str) -> String {
    format!(
        "its owner {owner} is a superuser of the source: as role postgres, it would run for fewer sessions. Create it yourself"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn created(statement: &str) -> EventTrigger {
        match Part::parse(statement) {
            Some(Part::Create(trigger)) => trigger,
            other => panic!("{statement}: {other:?}"),
        }
    }

    #[test]
    fn a_definition_is_written_as_it_was_read() {
        for statement in [
            r#"CREATE EVENT TRIGGER "a ""b""" ON "ddl_command_start" EXECUTE FUNCTION "public"."f"()"#,
            r#"CREATE EVENT TRIGGER "t" ON "sql_drop" WHEN TAG IN ('DROP TABLE', 'it''s') EXECUTE FUNCTION "shop"."Odd f"()"#,
        ] {
            assert_eq!(created(statement).statement(), statement);
        }
        let dumped = "CREATE EVENT TRIGGER log ON ddl_command_end\n         WHEN TAG IN ('CREATE TABLE')\n   EXECUTE FUNCTION public.log()";
        assert_eq!(
            created(dumped).statement(),
            r#"CREATE EVENT TRIGGER "log" ON "ddl_command_end" WHEN TAG IN ('CREATE TABLE') EXECUTE FUNCTION "public"."log"()"#
        );
        let many = vec!["'CREATE TABLE'"; 90].join(", ");
        let long =
            format!("CREATE EVENT TRIGGER t ON ddl_command_end WHEN TAG IN ({many}) EXECUTE FUNCTION public.f()");
        assert_eq!(created(&long).tags.len(), 90);
    }

    #[test]
    fn only_complete_statements_are_understood() {
        for statement in [
            "CREATE EVENT TRIGGER t ON ddl_command_end EXECUTE FUNCTION public.f(); DROP TABLE a",
            "CREATE EVENT TRIGGER t ON ddl_command_end EXECUTE FUNCTION public.f('x')",
            "CREATE EVENT TRIGGER t ON ddl_command_end WHEN TAG IN ('a' 'b') EXECUTE FUNCTION public.f()",
            "CREATE EVENT TRIGGER t ON ddl_command_end WHEN TAG IN () EXECUTE FUNCTION public.f()",
            "CREATE EVENT TRIGGER t ON ddl_command_end WHEN TAG IN ('a'",
            "ALTER EVENT TRIGGER t RENAME TO u",
            "ALTER EVENT TRIGGER t ENABLE SOMETIMES",
        ] {
            assert_eq!(Part::parse(statement), None, "{statement}");
        }
        let state = |text: &str| match Part::parse(&format!("ALTER EVENT TRIGGER \"t\" {text}")) {
            Some(Part::Enable { name, enabled }) if name == "t" => enabled,
            other => panic!("{text}: {other:?}"),
        };
        for enabled in [Enabled::Origin, Enabled::Replica, Enabled::Always, Enabled::Disabled] {
            assert_eq!(state(enabled.words()), enabled);
        }
    }

    #[test]
    fn definitions_in_comments_are_found() {
        assert_eq!(commented_name("-- CREATE EVENT TRIGGER \"a b\" ON \"sql_drop\"\n").as_deref(), Some("a b"));
        for line in [
            "CREATE EVENT TRIGGER \"a\" ON \"sql_drop\"",
            "-- CREATE EVENT TRIGGER like this on a table",
            "-- \"a\"",
            "",
        ] {
            assert_eq!(commented_name(line), None, "{line}");
        }
    }

    #[test]
    fn logins_functions_of_the_platform_and_superusers_are_refused() {
        let on = |event: &str, function: &str| {
            created(&format!("CREATE EVENT TRIGGER t ON {event} EXECUTE FUNCTION {function}()")).refusal()
        };
        assert_eq!(on("table_rewrite", "public.f"), None);
        assert!(on("login", "public.f").is_some_and(|reason| reason.contains("event login")));
        for function in ["extensions.pgrst_ddl_watch", "cloch.f", "suppress"] {
            assert!(on("ddl_command_end", function).is_some(), "{function}");
        }
        assert_eq!(foreign_owner("postgres", true), None);
        assert_eq!(foreign_owner("postgres", false), None);
        assert!(foreign_owner("keeper", true).is_some_and(|reason| reason.contains("keeper is a superuser")));
    }
}
