/** A project with event triggers of role postgres: one for each event, in each state, and some that try to do harm. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'

/** Event triggers that log, one that forbids tables, and one that tries to become superuser. The last statements enable the event triggers that
 * would otherwise refuse the earlier statements. */
export const migration = `
create table public.ddl_log (n int generated always as identity primary key, who text not null, what text not null);
create table public.items (id int primary key, n int);
insert into public.items values (1, 1);
create role intruder nologin;
create function public.log_ddl() returns event_trigger language plpgsql set search_path = '' as $$
  begin insert into public.ddl_log (who, what) values (current_user, tg_event || ' ' || tg_tag); end $$;
create function public."Odd name"() returns event_trigger language plpgsql as $$
  begin insert into public.ddl_log (who, what) values (current_user, 'odd ' || tg_tag); end $$;
create function public.climb() returns event_trigger language plpgsql as $$
  begin execute 'alter role intruder superuser'; insert into public.ddl_log (who, what) values (current_user, 'climbed');
  exception when insufficient_privilege then null; end $$;
create function public.forbid() returns event_trigger language plpgsql as $$ begin raise exception 'no % here', tg_tag; end $$;
create event trigger climb on ddl_command_end execute function public.climb();
create event trigger log_start on ddl_command_start execute function public.log_ddl();
create event trigger log_end on ddl_command_end when tag in ('CREATE VIEW', 'ALTER TABLE') execute function public.log_ddl();
create event trigger log_drop on sql_drop execute function public.log_ddl();
create event trigger log_rewrite on table_rewrite execute function public.log_ddl();
create event trigger "Odd ""name""" on ddl_command_end when tag in ('CREATE VIEW') execute function public."Odd name"();
create event trigger on_replica on ddl_command_end execute function public.forbid();
create event trigger off on ddl_command_end execute function public.forbid();
create event trigger no_tables on ddl_command_start when tag in ('CREATE TABLE', 'CREATE TABLE AS') execute function public.forbid();
alter event trigger log_rewrite enable always;
alter event trigger on_replica enable replica;
alter event trigger off disable;
comment on event trigger log_end is 'what''s new; in "public"';
truncate public.ddl_log;
`

/** Query for all properties of the event triggers that do not belong to the platform. */
export const catalog = `
  select string_agg(concat_ws(' | ', evtname, evtevent, evtenabled, evttags, evtfoid::regproc, evtowner::regrole, obj_description(oid, 'pg_event_trigger')), chr(10) order by evtname)
    from pg_event_trigger where evtname !~ '^(cloch|pgrst|issue)_'`

export const expected = `Odd "name" | ddl_command_end | O | {"CREATE VIEW"} | "Odd name" | postgres
climb | ddl_command_end | O | climb | postgres
log_drop | sql_drop | O | log_ddl | postgres
log_end | ddl_command_end | O | {"CREATE VIEW","ALTER TABLE"} | log_ddl | postgres | what's new; in "public"
log_rewrite | table_rewrite | A | log_ddl | postgres
log_start | ddl_command_start | O | log_ddl | postgres
no_tables | ddl_command_start | O | {"CREATE TABLE","CREATE TABLE AS"} | forbid | postgres
off | ddl_command_end | D | forbid | postgres
on_replica | ddl_command_end | R | forbid | postgres`

/** Executes statements with psql. Returns the output, or the error message after `failed: `. */
export function psql(url, ...statements) {
  const { status, stdout, stderr } = spawnSync('psql', [url, '-XAtq', '-v', 'ON_ERROR_STOP=1', ...statements.flatMap((text) => ['-c', text])], { encoding: 'utf8' })
  return status === 0 ? stdout.trim() : `failed: ${stderr}`
}

/** Checks that a server has the event triggers of the project, that they run for role postgres, and that they have run in no other session. */
export function hasAll(server) {
  const sql = (...statements) => psql(server.keys.DB_URL, "set search_path = public, extensions", ...statements)
  assert.equal(sql(catalog), expected)
  assert.equal(sql("select count(*) from ddl_log where who <> 'postgres'"), '0')
  assert.equal(sql("select rolsuper from pg_roles where rolname = 'intruder'"), 'f')
  assert.equal(sql("select string_agg(rolname, ',') from pg_roles where rolsuper and rolname <> 'supabase_admin' and rolname !~ '^pg_'"), '')
  assert.equal(sql('truncate ddl_log', 'create view seen as select 1 as a', 'alter table items alter column n type bigint', 'drop view seen', 'alter table items alter column n type int'), '')
  assert.equal(
    sql("select string_agg(what, ', ' order by n) from (select distinct on (what) n, what from ddl_log where who = 'postgres' order by what, n) as first"),
    'ddl_command_start CREATE VIEW, odd CREATE VIEW, ddl_command_end CREATE VIEW, ddl_command_start ALTER TABLE, table_rewrite ALTER TABLE, ddl_command_end ALTER TABLE, '
      + 'ddl_command_start DROP VIEW, sql_drop DROP VIEW',
  )
  assert.match(sql('create table forbidden (id int)'), /no CREATE TABLE here/)
  assert.equal(sql('truncate ddl_log'), '')
}
