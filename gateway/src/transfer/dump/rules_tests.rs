use super::*;

fn target() -> Target {
    let set = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>();
    Target {
        settings: set(&["statement_timeout", "lock_timeout"]),
        extensions: Some(set(&["pg_trgm", "postgis"])),
        roles: set(&["postgres", "anon"]),
        schemas: set(&["public", "auth", "storage"]),
    }
}

fn decided(statement: &str) -> &'static str {
    match decide(statement, &target()) {
        Decision::Run(_) => "run",
        Decision::Try(_) => "try",
        Decision::RunPart { .. } => "part",
        Decision::Extension { .. } => "extension",
        Decision::EventTrigger(_) => "event trigger",
        Decision::Skip => "skip",
        Decision::Ignore(_) => "ignore",
        Decision::LeaveOut(_) => "leave out",
        Decision::Refuse(_) => "refuse",
    }
}

#[test]
fn what_the_target_lacks_or_only_a_superuser_may_is_left_out_and_said() {
    for statement in [
        "SET client_encoding = 'LATIN1'",
        "CREATE EXTENSION IF NOT EXISTS \"pg_wonder\" WITH SCHEMA \"extensions\"",
        "ALTER EVENT TRIGGER \"own\" RENAME TO \"other\"",
        "CREATE SUBSCRIPTION \"s\" CONNECTION '' PUBLICATION \"p\"",
        "GRANT \"supabase_admin\" TO \"reporter\"",
        "GRANT \"pg_read_all_data\" TO \"reporter\" GRANTED BY \"postgres\"",
        "INSERT INTO \"public\".\"t\" (\"a\") VALUES (1)",
    ] {
        assert_eq!(decided(statement), "leave out", "{statement}");
    }
}

/// Statement forms from PostgreSQL's reference: CREATE ROLE, CREATE USER, CREATE GROUP, ALTER GROUP, COPY.
#[test]
fn a_role_gets_no_rights_by_the_statement_that_makes_it() {
    assert_eq!(decide("CREATE ROLE \"x\"", &target()), Decision::Run("CREATE ROLE \"x\"".to_owned()));
    for statement in [
        "create role x in role cloch_server",
        "create role x login password 'p' in role cloch_server",
        "CREATE USER \"x\" IN GROUP supabase_admin",
        "create group x with superuser",
        "create user x role anon admin postgres",
    ] {
        let decision = decide(statement, &target());
        assert!(
            matches!(&decision, Decision::RunPart { statement, reason } if statement == "CREATE ROLE \"x\"" && reason.contains("without its options")),
            "{statement}: {decision:?}"
        );
    }
    assert_eq!(decided("alter group cloch_server add user x"), "leave out");
    assert_eq!(decided("alter user cloch_server with password 'x'"), "skip");
    assert_eq!(decided("CREATE USER MAPPING FOR \"postgres\" SERVER \"s\""), "try");
    assert_eq!(decided("copy t from program 'id'"), "leave out");
}

#[test]
fn a_setting_that_the_target_lacks_is_ignored_and_said() {
    assert_eq!(decided("SET transaction_timeout = 0"), "ignore");
    assert_eq!(decided("SET client_encoding = 'UTF8'"), "skip");
}

#[test]
fn event_triggers_are_kept_for_the_end() {
    for statement in [
        "CREATE EVENT TRIGGER \"own\" ON \"ddl_command_end\" EXECUTE FUNCTION \"public\".\"f\"()",
        "ALTER EVENT TRIGGER \"own\" DISABLE",
        "ALTER EVENT TRIGGER \"own\" OWNER TO \"postgres\"",
        "COMMENT ON EVENT TRIGGER \"own\" IS 'about a.b'",
    ] {
        assert_eq!(decided(statement), "event trigger", "{statement}");
    }
    for statement in [
        "CREATE EVENT TRIGGER \"pgrst_ddl_watch\" ON ddl_command_end EXECUTE FUNCTION \"extensions\".\"f\"()",
        "CREATE EVENT TRIGGER \"cloch_extension_created\" ON ddl_command_end EXECUTE FUNCTION \"cloch\".\"f\"()",
        "ALTER EVENT TRIGGER \"issue_pg_net_access\" OWNER TO \"postgres\"",
        "COMMENT ON EVENT TRIGGER \"pgrst_drop_watch\" IS 'x'",
    ] {
        assert_eq!(decided(statement), "ignore", "{statement}");
    }
    assert_eq!(decided("DROP EVENT TRIGGER IF EXISTS \"own\""), "skip");
}

#[test]
fn what_the_platform_makes_is_skipped() {
    for statement in [
        "CREATE SCHEMA \"auth\"",
        "CREATE SCHEMA IF NOT EXISTS \"public\"",
        "CREATE ROLE \"supabase_admin\"",
        "CREATE FUNCTION extensions.pgrst_ddl_watch() RETURNS event_trigger LANGUAGE plpgsql AS 'begin end'",
        "ALTER ROLE \"authenticator\" WITH NOSUPERUSER LOGIN",
        "ALTER ROLE \"supabase_admin\" SET \"search_path\" TO 'x'",
        "GRANT SET ON PARAMETER \"app.settings.jwt_exp\" TO \"postgres\"",
        "ALTER ROLE \"authenticator\" SET \"log_min_messages\" TO 'log'",
        "ALTER ROLE \"postgres\" SET \"search_path\" TO 'x'",
        "GRANT \"anon\" TO \"authenticator\" GRANTED BY \"supabase_admin\"",
        "ALTER DEFAULT PRIVILEGES FOR ROLE \"supabase_admin\" IN SCHEMA \"public\" GRANT ALL ON TABLES TO \"anon\"",
        "CREATE PUBLICATION \"supabase_realtime\" WITH (publish = 'insert')",
        "ALTER PUBLICATION \"supabase_realtime\" OWNER TO \"postgres\"",
        "CREATE EXTENSION IF NOT EXISTS \"pg_graphql\" WITH SCHEMA \"graphql\"",
        "COMMENT ON EXTENSION \"pg_trgm\" IS 'x'",
        "ALTER TABLE \"public\".\"t\" OWNER TO \"supabase_admin\"",
        "ALTER TABLE \"auth\".\"users\" ENABLE ROW LEVEL SECURITY",
        "CREATE TABLE \"storage\".\"buckets\" (\"id\" \"text\")",
        "GRANT ALL ON TABLE \"auth\".\"users\" TO \"postgres\"",
        "GRANT ALL ON TABLE \"public\".\"t\" TO \"dashboard_user\"",
        "SET session_replication_role = replica",
        "RESET ALL",
        "SELECT pg_catalog.setval('\"graphql\".\"seq_schema_version\"', 1, true)",
    ] {
        assert_eq!(decided(statement), "skip", "{statement}");
    }
}

#[test]
fn the_projects_own_things_run() {
    for statement in [
        "SET statement_timeout = 0",
        "SELECT pg_catalog.set_config('search_path', '', false)",
        "CREATE SCHEMA \"shop\"",
        "CREATE TABLE \"public\".\"t\" (\"id\" bigint)",
        "CREATE INDEX \"i\" ON \"public\".\"t\" USING btree (\"id\")",
        "CREATE FUNCTION \"public\".\"f\"() RETURNS \"trigger\" LANGUAGE sql AS $$ select auth.uid() $$",
        "CREATE POLICY \"p\" ON \"storage\".\"objects\" FOR SELECT USING (true)",
        "CREATE TRIGGER \"t\" AFTER INSERT ON \"auth\".\"users\" FOR EACH ROW EXECUTE FUNCTION \"public\".\"f\"()",
        "CREATE POLICY \"owner\" ON \"public\".\"t\" USING (true)",
        "ALTER PUBLICATION \"supabase_realtime\" ADD TABLE ONLY \"public\".\"t\"",
        "CREATE ROLE \"reporter\"",
    ] {
        assert_eq!(decided(statement), "run", "{statement}");
    }
    for statement in [
        "GRANT ALL ON TABLE \"public\".\"t\" TO \"anon\"",
        "REVOKE ALL ON FUNCTION \"public\".\"f\"() FROM PUBLIC",
        "ALTER ROLE \"authenticator\" SET \"pgrst.db_schemas\" TO 'public'",
        "ALTER DEFAULT PRIVILEGES FOR ROLE \"postgres\" IN SCHEMA \"public\" GRANT ALL ON TABLES TO \"anon\"",
        "ALTER TABLE \"public\".\"t\" OWNER TO \"reporter\"",
        "COMMENT ON TABLE \"public\".\"t\" IS 'x'",
    ] {
        assert_eq!(decided(statement), "try", "{statement}");
    }
    assert_eq!(decided("CREATE EXTENSION IF NOT EXISTS \"pg_trgm\" WITH SCHEMA \"public\""), "extension");
}

#[test]
fn a_new_supabase_project_has_the_usual_extensions_already() {
    let anywhere = Target { extensions: None, ..target() };
    let usual = "CREATE EXTENSION IF NOT EXISTS \"pg_stat_statements\" WITH SCHEMA \"extensions\"";
    assert_eq!(decide(usual, &anywhere), Decision::Skip);
    for own in ["\"pgcrypto\" WITH SCHEMA \"public\"", "\"pg_trgm\" WITH SCHEMA \"extensions\""] {
        let statement = format!("CREATE EXTENSION IF NOT EXISTS {own}");
        assert!(matches!(decide(&statement, &anywhere), Decision::Extension { .. }), "{own}");
    }
}

#[test]
fn a_role_keeps_what_no_superuser_has_to_give() {
    let text = "ALTER ROLE \"reporter\" WITH NOSUPERUSER INHERIT NOCREATEROLE LOGIN NOREPLICATION NOBYPASSRLS";
    let kept = Decision::Try("ALTER ROLE \"reporter\" WITH INHERIT NOCREATEROLE LOGIN".to_owned());
    assert_eq!(decide(text, &target()), kept);
    let member = "GRANT \"authenticated\" TO \"reporter\" WITH INHERIT TRUE GRANTED BY \"supabase_admin\"";
    assert_eq!(
        decide(member, &target()),
        Decision::Try("GRANT \"authenticated\" TO \"reporter\" WITH INHERIT TRUE".to_owned())
    );
}

#[test]
fn what_a_role_loses_is_said() {
    for (given, lost) in [
        ("LOGIN NOREPLICATION PASSWORD 'SCRAM SUPERUSER'", "no PASSWORD from"),
        ("SUPERUSER LOGIN REPLICATION", "SUPERUSER, REPLICATION"),
    ] {
        let decision = decide(&format!("ALTER ROLE \"reporter\" WITH {given}"), &target());
        assert!(
            matches!(&decision, Decision::RunPart { statement, reason }
                if statement == "ALTER ROLE \"reporter\" WITH LOGIN" && reason.contains(lost)),
            "{given}: {decision:?}"
        );
    }
    let edited = decide("alter role reporter\n with login encrypted\tpassword 'x' superuser", &target());
    assert!(
        matches!(&edited, Decision::RunPart { statement, reason }
            if statement == "alter role reporter with login" && reason.contains("no PASSWORD from")),
        "{edited:?}"
    );
    assert_eq!(decided("SECURITY LABEL FOR \"anon\" ON COLUMN \"public\".\"t\".\"a\" IS 'x'"), "leave out");
    assert_eq!(decided("SECURITY LABEL FOR \"pgsodium\" ON COLUMN \"vault\".\"secrets\".\"secret\" IS 'x'"), "skip");
}

#[test]
fn a_dump_does_not_leave_the_transaction_of_its_load() {
    for statement in ["begin", "START TRANSACTION", "COMMIT", "end"] {
        assert_eq!(decided(statement), "skip", "{statement}");
    }
    for statement in ["rollback", "abort", "prepare transaction 'a'"] {
        assert_eq!(decided(statement), "refuse", "{statement}");
    }
    for statement in ["savepoint a", "rollback to a", "prepare a as select 1"] {
        assert_eq!(decided(statement), "run", "{statement}");
    }
}

#[test]
fn an_owner_is_what_stands_behind_owner_to() {
    for statement in [
        "ALTER TABLE \"public\".\"t\" ALTER COLUMN \"owner\" SET DEFAULT 'postgres'",
        "ALTER TABLE \"public\".\"t\" ADD COLUMN owner text REFERENCES \"auth\".\"users\"",
    ] {
        assert_eq!(decided(statement), "run", "{statement}");
    }
    let long = "\"a\" \"text\", ".repeat(40);
    assert_eq!(decided(&format!("ALTER FUNCTION \"public\".\"f\"({long}\"b\" int) OWNER TO supabase_admin")), "skip");
}

#[test]
fn a_setting_is_known_in_each_of_its_forms() {
    for statement in ["SET LOCAL lock_timeout = 0", "set session statement_timeout to 1"] {
        assert_eq!(decided(statement), "run", "{statement}");
    }
    let with_zone = Target { settings: BTreeSet::from(["TimeZone".to_owned()]), ..target() };
    assert!(matches!(decide("SET TIME ZONE 'UTC'", &with_zone), Decision::Run(_)));
    assert_eq!(decided("SET SESSION AUTHORIZATION postgres"), "leave out");
    assert_eq!(decided("set constraints all deferred"), "run");
}
