# Tests of the statements that Supabase allows to its role `postgres`: one test for each statement, which also checks the owner of the created
# object.

# Event triggers.
ok 'event trigger: create' postgres "
  create function public.log_ddl() returns event_trigger language plpgsql as \$f\$
    begin insert into public.ddl_log values (tg_tag, current_user, session_user); end \$f\$;
  create event trigger log_ddl on ddl_command_end execute function public.log_ddl();" \
  "select evtowner::regrole from pg_event_trigger where evtname = 'log_ddl'" postgres
ok 'event trigger: dependency on the owner' postgres "select 1" \
  "select count(*) from pg_shdepend where classid = 'pg_event_trigger'::regclass and refobjid = 'postgres'::regrole" 1
ok 'event trigger: runs for its owner' postgres "truncate ddl_log; create table t1 (a int)" "select distinct current_name from ddl_log" postgres
ok 'event trigger: runs for a role that the owner is a member of' supabase_admin "
  truncate ddl_log; create role worker login; grant worker to postgres; grant create on schema public to worker;" "select count(*) from ddl_log" 0
ok 'event trigger: runs for that role' worker "create table public.of_worker (a int)" "select current_name from ddl_log" worker
ok 'event trigger: runs in a migration'"'"'s transaction' postgres "truncate ddl_log; begin; create table t2 (a int); commit" "select count(*) from ddl_log" 1
ok 'event trigger: enable and disable' postgres "alter event trigger log_ddl disable; alter event trigger log_ddl enable" \
  "select evtenabled from pg_event_trigger where evtname = 'log_ddl'" O
ok 'event trigger: rename' postgres "alter event trigger log_ddl rename to logs_ddl; alter event trigger logs_ddl rename to log_ddl"
ok 'event trigger: comment' postgres "comment on event trigger log_ddl is 'x'"
ok 'event trigger: sql_drop' postgres "
  create function public.log_drop() returns event_trigger language plpgsql as \$f\$
    declare o record; begin for o in select * from pg_event_trigger_dropped_objects() loop insert into public.ddl_log values (o.object_identity, current_user, session_user); end loop; end \$f\$;
  create event trigger log_drop on sql_drop execute function public.log_drop(); truncate ddl_log; drop table t1" "select count(*) > 0 from ddl_log where command = 'public.t1'" t
ok 'event trigger: enable RLS automatically (the hosted dashboard)' postgres "
  create function public.rls_auto_enable() returns event_trigger language plpgsql security definer set search_path = pg_catalog as \$f\$
    declare cmd record; begin for cmd in select * from pg_event_trigger_ddl_commands() where command_tag = 'CREATE TABLE' and object_type = 'table' loop
      execute format('alter table if exists %s enable row level security', cmd.object_identity); end loop; end \$f\$;
  create event trigger ensure_rls on ddl_command_end when tag in ('CREATE TABLE') execute function public.rls_auto_enable();
  create table rls_table (a int)" "select relrowsecurity from pg_class where relname = 'rls_table'" t
ok 'event trigger: drop' postgres "drop event trigger ensure_rls; drop event trigger log_drop" "select count(*) from pg_event_trigger" 2
ok 'event trigger: in a DO block' postgres "do \$d\$ begin execute 'create event trigger in_do on ddl_command_end execute function public.log_ddl()'; end \$d\$; drop event trigger in_do"
ok 'event trigger: a dump restored by the superuser' supabase_admin "
  create event trigger restored on ddl_command_end execute function public.log_ddl(); alter event trigger restored owner to postgres" \
  "select evtowner::regrole from pg_event_trigger where evtname = 'restored'" postgres
ok 'event trigger: drop the restored one' postgres "drop event trigger restored"

# As on Supabase, a statement that runs as superuser calls no event trigger of the role.
for statement in "create extension citext" "create publication skipped for all tables" "create foreign data wrapper skipped"; do
  ok "event trigger: skipped for $statement" postgres "truncate ddl_log; $statement" "select count(*) from ddl_log" 0
done
ok 'event trigger: runs for the statements that follow' postgres "drop publication skipped; drop foreign data wrapper skipped; drop extension citext; truncate ddl_log; create table t3 (a int)" "select count(*) from ddl_log" 1

messages=$(run postgres "set client_min_messages = debug1; create publication skipped for all tables; drop publication skipped" || true)
grep -q 'event trigger function log_ddl is skipped' <<<"$messages" && is_said=1 || is_said=0
report 'event trigger: a skipped call is a message of level DEBUG1' "$is_said" "$messages"

# Publications.
ok 'publication: for all tables' postgres "create publication powersync for all tables" \
  "select pubowner::regrole from pg_publication where pubname = 'powersync'" postgres
ok 'publication: for all tables contains the tables of the project' postgres "select 1" \
  "select count(*) from pg_publication_tables where pubname = 'powersync' and schemaname || '.' || tablename in ('public.notes', 'auth.users', 'storage.objects')" 3
ok 'publication: a new table is in it' postgres "create table later (id int primary key)" \
  "select count(*) from pg_publication_tables where pubname = 'powersync' and tablename = 'later'" 1
ok 'publication: a new schema is in it' postgres "create schema tenant; create table tenant.t (id int primary key)" \
  "select count(*) from pg_publication_tables where pubname = 'powersync' and schemaname = 'tenant'" 1
ok 'publication: with options' postgres "create publication inserts for all tables with (publish = 'insert')" \
  "select pubinsert and not pubupdate from pg_publication where pubname = 'inserts'" t
ok 'publication: for tables in schema' postgres "create publication of_schema for tables in schema public, tenant" \
  "select pubowner::regrole from pg_publication where pubname = 'of_schema'" postgres
ok 'publication: current_schema' postgres "create publication of_current for tables in schema current_schema" \
  "select n.pnnspid::regnamespace from pg_publication_namespace n join pg_publication p on p.oid = n.pnpubid where pubname = 'of_current'" public
ok 'publication: table and schema' postgres "create publication mixed for table later, tables in schema tenant"
ok 'publication: add a schema' postgres "create publication named for table notes; alter publication named add tables in schema tenant" \
  "select count(*) from pg_publication_namespace n join pg_publication p on p.oid = n.pnpubid where pubname = 'named'" 1
ok 'publication: set schemas' postgres "alter publication named set tables in schema public"
ok 'publication: drop a schema' postgres "alter publication named drop tables in schema public"
ok 'publication: rename, set, drop' postgres "alter publication powersync set (publish = 'insert, update'); alter publication powersync rename to p2; drop publication p2, inserts, of_schema, of_current, mixed, named" \
  "select count(*) from pg_publication" 0

# Foreign-data wrappers.
ok 'wrapper: without handler' postgres "create foreign data wrapper plain" "select fdwowner::regrole from pg_foreign_data_wrapper where fdwname = 'plain'" postgres
ok 'wrapper: handler and validator of an extension' postgres "
  create extension postgres_fdw schema extensions;
  create foreign data wrapper second handler extensions.postgres_fdw_handler validator extensions.postgres_fdw_validator;
  create server elsewhere foreign data wrapper second options (host '127.0.0.1')" \
  "select fdwowner::regrole from pg_foreign_data_wrapper where fdwname = 'second'" postgres
ok 'wrapper: names in search_path' postgres "set search_path = public, extensions; create foreign data wrapper third handler postgres_fdw_handler validator postgres_fdw_validator"
ok 'wrapper: drop' postgres "drop foreign data wrapper second cascade; drop foreign data wrapper third; drop foreign data wrapper plain"
ok 'wrapper: a dump restored by the superuser' supabase_admin "create foreign data wrapper restored; alter foreign data wrapper restored owner to postgres; drop foreign data wrapper restored"

# Roles.
ok 'role: create with replication bypassrls' postgres "create role powersync_role with replication bypassrls login password 'x'" \
  "select rolreplication and rolbypassrls and rolcanlogin and not rolsuper from pg_roles where rolname = 'powersync_role'" t
ok 'role: create worker' postgres "create role bypassing bypassrls" "select rolbypassrls and not rolreplication from pg_roles where rolname = 'bypassing'" t
ok 'role: alter' postgres "alter role bypassing replication nobypassrls" "select rolreplication and not rolbypassrls from pg_roles where rolname = 'bypassing'" t
ok 'role: alter with other attributes' postgres "alter role bypassing with bypassrls login connection limit 3" "select rolbypassrls and rolconnlimit = 3 from pg_roles where rolname = 'bypassing'" t
ok 'role: plain roles as before' postgres "create role plain_role; alter role plain_role login; alter role plain_role rename to plain_two; drop role plain_two"
ok 'role: drop if exists of a missing role' postgres "drop role if exists missing_role"
ok 'role: membership in API roles' postgres "grant anon to powersync_role; create role api_user in role authenticated; drop role api_user"
ok 'role: a role for the API' postgres "create role judge; grant judge to authenticator; revoke judge from authenticator"
ok 'role: drop' postgres "drop role powersync_role; drop role bypassing"

# Extensions.
ok 'extension: trusted' postgres "create extension pg_trgm" "select extowner::regrole from pg_extension where extname = 'pg_trgm'" postgres
ok 'extension: listed' postgres "create extension cloch_fixture_listed with schema extensions" \
  "select extowner::regrole || ' ' || extnamespace::regnamespace from pg_extension where extname = 'cloch_fixture_listed'" 'postgres extensions'
ok 'extension: a stand-in in the schema of its objects' postgres "create extension cloch_fixture_stand_in with schema vault" \
  "select extowner::regrole || ' ' || extnamespace::regnamespace from pg_extension where extname = 'cloch_fixture_stand_in'" 'postgres vault'
ok 'extension: its objects belong to the superuser' postgres "select extensions.listed_own()" "select proowner::regrole from pg_proc where proname = 'listed_own'" supabase_admin
ok 'extension: for superusers only' postgres "create extension dblink schema extensions" "select extowner::regrole from pg_extension where extname = 'dblink'" postgres
ok 'extension: cascade' postgres "create extension earthdistance schema extensions cascade" "select count(*) from pg_extension where extname in ('cube', 'earthdistance') and extnamespace = 'extensions'::regnamespace" 2
ok 'extension: if not exists' postgres "create extension if not exists pg_trgm; create extension if not exists pgcrypto"
ok 'extension: the version clause is ignored' postgres "create extension cloch_fixture version '1.0'" "select extversion from pg_extension where extname = 'cloch_fixture'" 1.1
ok 'extension: the version clause of update is ignored' postgres "create extension cloch_fixture_update; alter extension cloch_fixture_update update to '1.1'" \
  "select extversion from pg_extension where extname = 'cloch_fixture_update'" 1.0
ok 'extension: set schema' postgres "alter extension pg_trgm set schema extensions" \
  "select string_agg(distinct pronamespace::regnamespace::text, ',') from pg_proc where proname in ('set_limit', 'similarity')" extensions
ok 'extension: set schema in a DO block' postgres "create extension citext; do \$d\$ begin execute 'alter extension citext set schema extensions'; end \$d\$"  \
  "select typnamespace::regnamespace from pg_type where typname = 'citext'" extensions
ok 'extension: set schema of a listed one' postgres "alter extension cloch_fixture_listed set schema public" "select extnamespace::regnamespace from pg_extension where extname = 'cloch_fixture_listed'" public
ok 'extension: update' postgres "alter extension pg_trgm update; alter extension dblink update; alter extension pgcrypto update"
ok 'extension: set schema of the server'"'"'s extension to its own schema' postgres "alter extension pgcrypto set schema extensions"
ok 'extension: comment' postgres "comment on extension pgcrypto is 'x'; comment on extension pg_trgm is 'y'" "select obj_description(oid, 'pg_extension') from pg_extension where extname = 'pgcrypto'" x
ok 'extension: creation schema by search_path' postgres "set search_path = tenant, public; create extension unaccent" "select extnamespace::regnamespace from pg_extension where extname = 'unaccent'" tenant
refused 'extension: with minimum resources (supautils.constrained_extensions: plrust)' postgres 'is not available|permission denied|could not open' "create extension plrust"
ok 'extension: drop' postgres "drop extension cloch_fixture_listed; drop extension if exists earthdistance, cube, dblink, unaccent, missing_one cascade" \
  "select count(*) from pg_extension where extname in ('cloch_fixture_listed', 'earthdistance', 'cube', 'dblink', 'unaccent')" 0

# Index methods of pgvector, with a type of its stand-in.
refused 'index: a method that does not exist, without the stand-in' postgres 'access method "hnsw" does not exist' "create table items (e text); create index on items using hnsw (e)"
prepare supabase_admin "create type extensions.vector; create function extensions.vector_in(cstring) returns extensions.vector language internal immutable strict as 'textin';
  create function extensions.vector_out(extensions.vector) returns cstring language internal immutable strict as 'textout';
  create type extensions.vector (input = extensions.vector_in, output = extensions.vector_out); create table public.vectors (e extensions.vector); alter table vectors owner to postgres"
ok 'index: a method of pgvector is skipped' postgres "create index on vectors using hnsw (e extensions.vector_l2_ops) with (m = 16)" "select count(*) from pg_index where indrelid = 'vectors'::regclass" 0
ok 'index: concurrently' postgres "create index concurrently if not exists i on vectors using ivfflat (e vector_cosine_ops)"
ok 'index: in a DO block' postgres "do \$d\$ begin execute 'create index on vectors using hnsw (e vector_l2_ops)'; end \$d\$"
ok 'index: in a function' postgres "create function make_index() returns void language plpgsql as \$f\$ begin execute 'create index on vectors using ivfflat (e)'; end \$f\$; select make_index()"
ok 'index: by a superuser, from a dump' supabase_admin "create index on vectors using hnsw (e public.vector_l2_ops)"
ok 'index: the warning names pgvector' postgres "do \$d\$ begin execute 'create index on vectors using hnsw (e)'; end \$d\$" \
  "do \$d\$ begin execute 'create index on vectors using hnsw (e)'; end \$d\$" 'psql:<stdin>:1: WARNING:  index on table "vectors" skipped: access method "hnsw" needs pgvector, which is not installed on this server'
ok 'index: operator classes' postgres "drop operator class if exists vector_l2_ops using ivfflat; drop operator family vector_l2_ops using hnsw"
ok 'index: other methods as before' postgres "create table numbers (a int); create index on numbers using brin (a); create index on numbers (a)" "select count(*) from pg_index where indrelid = 'numbers'::regclass" 2
refused 'index: another missing method' postgres 'access method "rum" does not exist' "create index on vectors using rum (e)"
prepare supabase_admin "drop table vectors; drop type extensions.vector cascade"

# Policies and triggers on tables of the platform (by membership in the owners' roles).
ok 'policy: storage.objects' postgres "create policy p on storage.objects for select to anon using (true); alter policy p on storage.objects using (false); comment on policy p on storage.objects is 'x'; drop policy p on storage.objects"
ok 'policy: realtime.messages' postgres "create policy p on realtime.messages for select to authenticated using (true)"
ok 'trigger: auth.users' postgres "create function public.on_user() returns trigger language plpgsql as 'begin return new; end';
  create trigger on_auth_user_created after insert on auth.users for each row execute function public.on_user(); drop trigger on_auth_user_created on auth.users"

# Owners.
ok 'owner: a table of the role' postgres "create role keeper; grant keeper to postgres; grant create on schema public to keeper; create table of_postgres (a int); alter table of_postgres owner to keeper" \
  "select relowner::regrole from pg_class where relname = 'of_postgres'" keeper
ok 'owner: reassign and drop the objects of an own role' postgres "reassign owned by keeper to postgres; drop owned by keeper; drop role keeper" \
  "select relowner::regrole from pg_class where relname = 'of_postgres'" postgres
ok 'owner: dumps name the owner that the platform'"'"'s table has' postgres "alter table auth.users owner to supabase_auth_admin; alter table storage.objects owner to supabase_storage_admin; alter schema public owner to postgres"
ok 'owner: other changes of a platform'"'"'s table' postgres "alter table auth.users add column more int; alter table auth.users drop column more"
ok 'owner: missing objects' postgres "alter table if exists public.missing owner to postgres"
refused 'owner: a missing function' postgres 'does not exist' "alter function public.missing() owner to postgres"
ok 'owner: functions, types, views and sequences of the role' postgres "create function public.owned() returns int language sql as 'select 1'; alter function public.owned() owner to postgres;
  create type public.owned_type as enum ('a'); alter type public.owned_type owner to current_user; create view public.owned_view as select 1; alter view public.owned_view owner to session_user;
  create sequence public.owned_sequence; alter sequence public.owned_sequence owner to postgres; create domain public.owned_domain as int; alter domain public.owned_domain owner to postgres"
ok 'owner: types of columns, indexes and constraints of a platform'"'"'s table' postgres "alter table auth.users add column more int; alter table auth.users alter column more type text; create index more on auth.users (more); alter index auth.more rename to other; drop index auth.other;
  alter table auth.users add constraint u unique (more); alter table auth.users drop constraint u; alter table auth.users rename column more to less; alter table auth.users drop column less; truncate auth.users cascade"
ok 'owner: objects of the role in a schema of the platform' postgres "set role supabase_auth_admin; grant create on schema auth to postgres; reset role; create table auth.own (a int); alter table auth.own rename to owned; alter table auth.owned set schema public; drop table public.owned"
ok 'owner: objects of the role are renamed, moved and dropped' postgres "create schema moved; create table own3 (a serial primary key); create view view3 as select * from own3; create function function3() returns int language sql as 'select 1'; create type enum3 as enum ('a');
  alter table own3 rename to own4; alter table own4 set schema moved; alter view view3 rename to view4; alter function function3() rename to function4; alter type enum3 rename to enum4; alter type enum4 set schema moved; alter schema moved rename to moved2; drop function function4(); drop schema moved2 cascade"
ok 'owner: the owner of a schema drops objects of other roles in it' postgres "create schema mixed; grant all on schema mixed to supabase_auth_admin; set role supabase_auth_admin; create table mixed.of_other (a int); reset role; drop schema mixed cascade"
prepare supabase_admin "create table realtime.days (day int) partition by list (day); drop table realtime.messages; alter table realtime.days rename to messages; alter table realtime.messages owner to supabase_realtime_admin; create table realtime.day_one partition of realtime.messages for values in (1);
  alter table realtime.day_one owner to supabase_realtime_admin; create function realtime.drop_old() returns void language sql security definer as 'drop table realtime.day_one'; alter function realtime.drop_old() owner to supabase_realtime_admin; grant usage on schema realtime to cloch_server"
ok 'owner: a function of the platform drops old partitions of realtime.messages' cloch_server "select realtime.drop_old()" "select count(*) from pg_class where relname = 'day_one'" 0
ok 'owner: the login of the owner drops and renames its objects' supabase_auth_admin "create table auth.a (b int); alter table auth.a rename to c; drop table auth.c"
ok 'owner: a superuser that has changed to the owner' supabase_admin "set role supabase_auth_admin; create table auth.a (b int); alter table auth.a rename to c; drop table auth.c"

# Parameters.
for setting in "log_min_messages = error" "session_replication_role = replica" "track_io_timing = on" "log_statement = 'none'" "log_min_duration_statement = 100" \
  "pgrst.db_schemas = 'public'" "pgaudit.log = 'all'" "plan_filter.statement_cost_limit = 1" "safeupdate.enabled = on" "wal_compression = on" "log_lock_waits = on" \
  "auto_explain.log_min_duration = 100" "log_parameter_max_length = 10" "log_replication_commands = on" "log_temp_files = 0" "pg_net.batch_size = 100" "pg_net.ttl = '1 hour'" \
  "pg_stat_statements.track = 'all'" "track_functions = 'all'"; do
  ok "set: $setting" postgres "set $setting"
done
ok 'set: local, reset' postgres "begin; set local session_replication_role = replica; reset session_replication_role; commit"
ok 'set: the value holds' postgres "set log_min_messages = error; do \$d\$ begin if current_setting('log_min_messages') <> 'error' then raise 'no'; end if; end \$d\$"
ok 'set: local ends with the transaction' postgres "begin; set local log_min_messages = error; commit; do \$d\$ begin if current_setting('log_min_messages') = 'error' then raise 'no'; end if; end \$d\$"
ok 'set: headers of a response (supautils.placeholders)' postgres "set response.headers = '[{\"x-own\": \"a\"}]'; set local response.status = '201'"
ok 'alter role set: itself' postgres "alter role postgres set log_min_messages = 'error'; alter role postgres reset log_min_messages"
ok 'alter role set: a configurable reserved role' postgres "alter role authenticator set pgrst.db_schemas = 'public'; alter role anon set statement_timeout = '5s'; alter role authenticator set log_min_messages = log" \
  "select setconfig[1] from pg_db_role_setting where setrole = 'authenticator'::regrole" pgrst.db_schemas=public
ok 'alter database set' postgres "alter database postgres set log_min_duration_statement = '1s'; alter database postgres reset log_min_duration_statement"
ok 'alter role set in database' postgres "alter role postgres in database postgres set session_replication_role = origin"

# A superuser is not affected by the library.
ok 'superuser: everything as before' supabase_admin "
  create extension file_fdw; drop extension file_fdw; create role supabase_etl_admin; alter role supabase_etl_admin nologin; drop role supabase_etl_admin;
  create publication all_tables for all tables; alter role anon nologin" "select puballtables and pubowner = 'supabase_admin'::regrole from pg_publication where pubname = 'all_tables'" t
ok 'superuser: its publication stays' supabase_admin "drop publication all_tables"
