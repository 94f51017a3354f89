//! Tests of extensions in a project's migrations: extensions that only a superuser can create, and stand-ins.

use cloch_sql::client::{BatchStatement, Connection as Client, Rows};
use cloch_sql::migrations::{Migration, apply};
use cloch_sql::testing::TestDatabase;
use sqlx::{Connection, PgConnection, Row};

/// Whether the test server lacks an extension and the database has the extension's stand-in. If the server has the real extension, the test
/// is skipped.
async fn stood_in_for(connection: &mut PgConnection, extension: &str) -> bool {
    sqlx::query("select exists (select from cloch.stand_ins where extension = $1)")
        .bind(extension)
        .fetch_one(connection)
        .await
        .unwrap()
        .get(0)
}

/// Applies a migration as the project's owner. Returns the result of the SQL query `question`; `None` if the test is skipped.
async fn answer(migration: &str, extension: &str, question: &str) -> Option<String> {
    let database = TestDatabase::platform().await;
    let mut connection = database.superuser().acquire().await.unwrap().detach();
    if !extension.is_empty() && !stood_in_for(&mut connection, extension).await {
        return None;
    }
    let mut owner = Client::open(database.login()).await.unwrap();
    owner.run("", &mut [BatchStatement::silent("set role postgres", &[])]).await.unwrap();
    let migration = Migration {
        version: "1".into(),
        name: "extension".into(),
        file: "migrations/1_extension.sql".into(),
        text: migration.into(),
    };
    let (count, missing) = apply(&mut connection, &mut owner, &[migration]).await.unwrap();
    assert_eq!(count, 1);
    assert_eq!(missing.contains(extension), !extension.is_empty(), "{missing:?}");
    let mut rows = Rows::default();
    owner.run("", &mut [BatchStatement { sql: question, params: &[], sink: Some(&mut rows) }]).await.unwrap();
    connection.close().await.unwrap();
    rows.rows().first().and_then(|row| row.text(0)).map(str::to_owned)
}

#[tokio::test]
async fn an_extension_that_is_not_trusted_is_created_by_the_server() {
    let owners = answer(
        "create extension moddatetime with schema extensions;
         create table t (id int, at timestamptz);
         create trigger m before update on t for each row execute function moddatetime(at);
         drop extension if exists pg_net;",
        "",
        "select extowner::regrole::text || ' ' || current_user || ' ' || current_setting('search_path')
           from pg_extension where extname = 'moddatetime'",
    )
    .await;
    assert_eq!(owners.unwrap(), "supabase_admin postgres \"$user\", public, extensions");
}

#[tokio::test]
async fn requests_of_pg_net_are_queued() {
    let request = answer(
        "create extension if not exists pg_net with schema extensions;
         create table t (id int);
         grant insert on t to anon;
         create function call() returns trigger language plpgsql as $$ begin
           perform net.http_post(url := 'http://127.0.0.1/x', body := jsonb_build_object('id', new.id), params := '{\"a b\": \"é&\"}');
           return new;
         end $$;
         create trigger call after insert on t for each row execute function call();
         set role anon;
         insert into t values (7);
         set role postgres;",
        "pg_net",
        "select method || ' ' || url || ' ' || convert_from(body, 'UTF8') || ' ' || headers || ' ' || timeout_milliseconds
           from net.http_request_queue",
    )
    .await;
    if let Some(request) = request {
        assert_eq!(
            request,
            r#"POST http://127.0.0.1/x?a%20b=%C3%A9%26 {"id": 7} {"Content-Type": "application/json"} 5000"#
        );
    }
}

#[tokio::test]
async fn jobs_of_pg_cron_are_kept() {
    let jobs = answer(
        "create extension pg_cron;
         select cron.schedule('nightly', '0 3 * * *', 'select 1');
         select cron.schedule('nightly', '30 3 * * *', 'select 2');
         select cron.schedule('often', '10 seconds', 'select 3');
         select cron.unschedule('often');
         do $$ begin perform cron.schedule('wrong', 'now and then', 'select 1'); exception when others then null; end $$;",
        "pg_cron",
        "select string_agg(format('%s %s %s %s', jobname, schedule, command, username), ',') from cron.job",
    )
    .await;
    if let Some(jobs) = jobs {
        assert_eq!(jobs, "nightly 30 3 * * * select 2 postgres");
    }
}

/// A job that could never run is refused when it is scheduled, and cron.schedule of an existing job also sets its database.
#[tokio::test]
async fn jobs_name_a_database_and_a_role_that_exist() {
    let refused = |call: &str, state: &str| {
        format!("do $d$ begin perform {call}; raise 'accepted'; exception when {state} then null; end $d$;")
    };
    let migration = [
        "create extension pg_cron;
         create role deckhand; grant deckhand to postgres;
         select cron.schedule_in_database('own', '* * * * *', 'select 1', current_database(), 'deckhand');
         select cron.schedule('moved', '* * * * *', 'select 1');
         update cron.job set database = 'elsewhere' where jobname = 'moved';
         select cron.schedule('moved', '* * * * *', 'select 2');"
            .to_owned(),
        refused("cron.schedule_in_database('a', '* * * * *', 'select 1', 'nowhere')", "invalid_catalog_name"),
        refused("cron.schedule_in_database('a', '* * * * *', 'select 1', 'template1')", "feature_not_supported"),
        refused(
            "cron.schedule_in_database('a', '* * * * *', 'select 1', current_database(), 'nobody')",
            "undefined_object",
        ),
        refused(
            "cron.schedule_in_database('a', '* * * * *', 'select 1', current_database(), 'supabase_admin')",
            "insufficient_privilege",
        ),
        refused("cron.alter_job(1, database => 'nowhere')", "invalid_catalog_name"),
        refused("cron.alter_job(1, username => 'nobody')", "undefined_object"),
    ];
    let jobs = answer(
        &migration.concat(),
        "pg_cron",
        "select string_agg(format('%s %s %s', jobname, username, database = current_database()), ', ' order by jobid) from cron.job",
    )
    .await;
    if let Some(jobs) = jobs {
        assert_eq!(jobs, "own deckhand t, moved postgres t");
    }
}

/// Schedules and the way in which pg_cron interprets them, written by `tests/oracles/cron_schedules.mjs`. A separate test of the server
/// program compares the run times.
const OF_PG_CRON: &str = include_str!("cron_schedules.tsv");

#[tokio::test]
async fn schedules_are_those_of_pg_cron() {
    let other = std::env::var("CLOCH_CRON_SCHEDULES").ok().map(|path| std::fs::read_to_string(path).unwrap());
    let lines = other.as_deref().unwrap_or(OF_PG_CRON).lines().map(|line| line.split_once('\t').unwrap());
    let cases: Vec<(serde_json::Value, bool)> =
        lines.map(|(schedule, result)| (serde_json::from_str(schedule).unwrap(), result != "-")).collect();
    let differences = answer(
        "create extension pg_cron;
         select cron.schedule('any', '5 4 * * *', 'select 1');
         do $$ begin perform cron.schedule('wrong', '* * * 13 *', 'select 1'); exception when invalid_parameter_value then null; end $$;
         do $$ begin perform cron.alter_job(1, schedule => '*/0 * * * *'); exception when invalid_parameter_value then null; end $$;
         do $$ begin perform cron.alter_job(1); raise 'accepted'; exception when others then
           if sqlerrm <> 'no updates specified' then raise; end if; end $$;
         select cron.alter_job(1, schedule => '0 0 */100 * *');
         select pg_catalog.setval('\"cron\".\"jobid_seq\"', 7, true), pg_catalog.setval('\"cron\".\"runid_seq\"', 1, false);",
        "pg_cron",
        &format!(
            "select (select string_agg(schedule, ', ') from cron.job) || coalesce(': ' || string_agg(s ->> 0, ', '), '')
               from jsonb_array_elements({}::jsonb) as s
              where cron._is_schedule(s ->> 0) is distinct from (s -> 1)::boolean",
            dollar_quoted(&serde_json::json!(cases).to_string())
        ),
    )
    .await;
    if let Some(differences) = differences {
        assert_eq!(differences, "0 0 */100 * *");
    }
}

fn dollar_quoted(text: &str) -> String {
    format!("$quoted${text}$quoted$")
}

#[tokio::test]
async fn pgmq_has_the_signatures_of_its_version() {
    let messages = answer(
        "create extension pgmq;
         select pgmq.create('jobs'); select pgmq.create('old');
         select pgmq.send('jobs', '{}', now() + interval '1 hour');
         select pgmq.send('jobs', '{}', '{\"h\": 1}', now());
         select pgmq.send_batch('jobs', array['{}'::jsonb], array['{\"h\": 2}'::jsonb]);
         select pgmq.send_batch('jobs', array['{}'::jsonb, '{}'], now());
         select pgmq.send_batch('jobs', array['{}'::jsonb], array['{\"h\": 3}'::jsonb], 60);
         select pgmq.validate_queue_name('jobs'), pgmq.detach_archive('old'), pgmq.drop_queue('old', false);
         do $$ begin perform pgmq.detach_archive('none'); raise 'accepted'; exception when undefined_table then null; end $$;
         do $$ begin perform pgmq.validate_queue_name(repeat('a', 48)); raise 'accepted'; exception when raise_exception then
           if sqlerrm not like 'queue name is too long%' then raise; end if; end $$;",
        "pgmq",
        "select string_agg(coalesce(headers::text, '-') || (vt > now() + interval '30 seconds'), ' ' order by msg_id) from pgmq.q_jobs",
    )
    .await;
    if let Some(messages) = messages {
        assert_eq!(messages, "-true {\"h\": 1}false {\"h\": 2}false -false -false {\"h\": 3}true");
    }
}

#[tokio::test]
async fn secrets_of_the_vault_are_not_kept_as_they_are() {
    let secret = answer(
        "create extension supabase_vault; select vault.create_secret('open sesame', 'door');",
        "supabase_vault",
        "select (secret like '%sesame%') || ' ' || decrypted_secret from vault.decrypted_secrets where name = 'door'",
    )
    .await;
    if let Some(secret) = secret {
        assert_eq!(secret, "false open sesame");
    }
}

#[tokio::test]
async fn tokens_of_pgjwt_verify() {
    let verified = answer(
        "create extension pgjwt with schema extensions;",
        "pgjwt",
        "select string_agg(valid::text, ' ')
           from (select (verify(sign('{\"sub\": \"1\"}', 'secret'), 'secret')).valid
                 union all select (verify(sign('{\"sub\": \"1\"}', 'secret'), 'other')).valid
                 union all select (verify(sign('{\"exp\": 1}', 'secret'), 'secret')).valid) as v",
    )
    .await;
    if let Some(verified) = verified {
        assert_eq!(verified, "true false false");
    }
}

#[tokio::test]
async fn json_is_validated_with_a_schema() {
    let answers = answer(
        "create extension if not exists pg_jsonschema with schema extensions;
         create table items (body jsonb check (jsonb_matches_schema('{\"type\": \"object\", \"required\": [\"a\"]}', body)));
         insert into items values ('{\"a\": 1}');
         do $$ begin insert into items values ('{}'); exception when check_violation then null; end $$;
         do $$ begin perform json_matches_schema('{\"type\": 1}', '{}'); exception when invalid_parameter_value then null; end $$;",
        "pg_jsonschema",
        "select count(*) || ' ' || json_matches_schema('{\"items\": {\"type\": \"integer\"}}', '[1, 2.0]')
                || ' ' || jsonschema_is_valid('{\"type\": \"obj\"}')
                || ' ' || jsonschema_validation_errors('{\"maxLength\": 1}', '\"ab\"')::text
           from items",
    )
    .await;
    if let Some(answers) = answers {
        assert_eq!(answers, r#"1 true false {"\"ab\" is longer than 1 character"}"#);
    }
}

#[tokio::test]
async fn vectors_are_searched_exactly() {
    let nearest = answer(
        "create extension vector with schema extensions;
         create table items (id int, embedding vector(3));
         create index on items using hnsw (embedding vector_cosine_ops);
         insert into items values (1, '[1, 2, 3]'), (2, '[4,5,6]'), (3, array[-1, 0, 0.5]::real[]);
         do $$ begin insert into items values (4, '[1,2]'); exception when data_exception then null; end $$;",
        "vector",
        "select string_agg(id || ' ' || embedding, ', ' order by embedding <=> '[7,8,9]') from items",
    )
    .await;
    if let Some(nearest) = nearest {
        assert_eq!(nearest, "2 [4,5,6], 1 [1,2,3], 3 [-1,0,0.5]");
    }
}

/// A schema without dependents is dropped. Therefore the function must find objects of the project that depend on the schema, even if many
/// objects inside the schema depend on it too.
#[tokio::test]
async fn dependents_outside_of_a_schema_are_found_among_many() {
    let database = TestDatabase::platform().await;
    let mut connection = database.superuser().acquire().await.unwrap();
    let inside: String = (1..=30).map(|n| format!("create view s.v{n} as select * from s.t;")).collect();
    let made = format!("create schema s; create table s.t (id int primary key); {inside}");
    sqlx::raw_sql(sqlx::AssertSqlSafe(made)).execute(&mut *connection).await.unwrap();
    let dependents = "select cloch.dependents('s')";
    let found: Option<String> = sqlx::query_scalar(dependents).fetch_one(&mut *connection).await.unwrap();
    assert_eq!(found, None);
    let outside = "create view public.b as select * from s.v7; create view public.a as select * from s.t";
    sqlx::raw_sql(outside).execute(&mut *connection).await.unwrap();
    let found: Option<String> = sqlx::query_scalar(dependents).fetch_one(&mut *connection).await.unwrap();
    let found = found.unwrap();
    assert!(found.find("public.a").unwrap() < found.find("public.b").unwrap(), "{found}");
}

/// The names, texts and results are those of pgmq 1.5.1.
#[tokio::test]
async fn queues_have_the_names_that_pgmq_accepts() {
    let refused = |name: &str, text: &str| {
        format!(
            "do $d$ begin perform pgmq.create($n${name}$n$); raise 'accepted'; exception when raise_exception then
               if sqlerrm <> $t${text}$t$ then raise; end if; end $d$;"
        )
    };
    let characters = "queue name contains invalid characters: $, ;, --, or \\'";
    let migration = [
        "create extension pgmq;
         select pgmq.create(name), pgmq.send(name, '{\"n\": 1}'), pgmq.archive(name, 1), pgmq.send(name, '{}')
           from unnest(array['mail.out', 'to do', 'büro', 'a:b/c@d', 'Upper-Case']) as name;
         select pgmq.create_unlogged('fast.one');"
            .to_owned(),
        refused("a;b", characters),
        refused("a--b", characters),
        refused("a'b", characters),
        refused(&"a".repeat(48), "queue name is too long, maximum length is 47 characters"),
        refused(&"ü".repeat(24), "queue name is too long, maximum length is 47 bytes"),
        "do $d$ begin
           if pgmq.drop_queue('none') or not pgmq.drop_queue('upper-case') then raise 'the result of drop_queue'; end if;
         end $d$;"
            .to_owned(),
    ];
    let queues = answer(
        &migration.concat(),
        "pgmq",
        "select string_agg(m.queue_name || ' ' || m.queue_length || ' ' || m.total_messages, ', ' order by m.queue_name collate \"C\")
           from pgmq.meta q, pgmq.metrics(q.queue_name) m where q.queue_name <> 'Upper-Case'",
    )
    .await;
    if let Some(queues) = queues {
        assert_eq!(queues, "a:b/c@d 1 2, büro 1 2, fast.one 0 0, mail.out 1 2, to do 1 2");
    }
}

/// Signatures of pgmq 1.4.4 and 1.5.1, the versions of hosted projects: the `regprocedure` of each function that their pgmq.sql creates.
const OF_PGMQ: &str = include_str!("pgmq_signatures.tsv");

/// Each signature can be granted, revoked, altered and commented on. The statement must apply to the function that a call with this
/// signature runs.
#[tokio::test]
async fn signatures_of_pgmq_are_those_of_hosted_projects() {
    let mut migration = "create extension pgmq;
                         select pgmq.create('plain'), pgmq.create_non_partitioned('plain'), pgmq.create_unlogged('fast');
                         grant usage on schema pgmq to anon;
                         revoke all on all functions in schema pgmq from public, anon;"
        .to_owned();
    for signature in OF_PGMQ.lines().filter_map(|line| line.split('\t').next()) {
        let (name, types) = signature.trim_end_matches(')').split_once('(').unwrap();
        let values: Vec<String> =
            types.split(',').filter(|name| !name.is_empty()).map(|name| format!("null::{name}")).collect();
        let call = format!("execute 'explain select {name}({})'", values.join(", "));
        let refused = format!(
            "do $$ begin set local role anon; {call}; raise '{signature} is granted'; exception when insufficient_privilege then null; end $$;"
        );
        migration += &format!(
            "{refused}
             grant execute on function {signature} to anon;
             do $$ begin set local role anon; {call}; reset role; end $$;
             revoke execute on function {signature} from anon;
             {refused}
             alter function {signature} set statement_timeout = 1000;
             comment on function {signature} is 'of version 1.4 or 1.5';
             "
        );
    }
    let unchanged = answer(
        &migration,
        "pgmq",
        "select (select string_agg(concat_ws(' ', m.queue_name, is_unlogged, relpersistence), ', ' order by m.queue_name)
                   from pgmq.meta m join pg_class on relname = 'q_' || m.queue_name)
                || coalesce(': ' || string_agg(oid::regprocedure::text, ' '), '')
           from pg_proc
          where pronamespace = 'pgmq'::regnamespace
            and (proconfig is distinct from '{statement_timeout=1000}' or obj_description(oid, 'pg_proc') is null)",
    )
    .await;
    if let Some(unchanged) = unchanged {
        assert_eq!(unchanged, "fast t u, plain f p");
    }
}
