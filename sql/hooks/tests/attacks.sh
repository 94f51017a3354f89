# Attacks on the library by role postgres and others. The name of each attack is its goal; a superuser checks the outcome.
not_super="select count(*) from pg_roles where rolsuper and rolname <> 'supabase_admin'"

# 1 to 8: event triggers whose code tries to get more rights than its owner has.
attack_body="begin insert into public.ddl_log values ('attack', current_user, session_user); execute 'alter role bystander superuser'; exception when insufficient_privilege then null; end"
prepare postgres "create function public.climb() returns event_trigger language plpgsql as '${attack_body//\'/\'\'}';
  create event trigger climb on ddl_command_end execute function public.climb(); truncate ddl_log"
ok 'attack 1: event trigger in a superuser'"'"'s session' supabase_admin "create table public.by_superuser (a int)" "select count(*) || ' ' || (select count(*) from ddl_log) from pg_roles where rolname = 'bystander' and rolsuper" '0 0'
ok 'attack 2: event trigger after SET ROLE postgres (RESET ROLE would lead back)' supabase_admin "set role postgres; create table public.by_set_role (a int)" "select count(*) from ddl_log" 0
ok 'attack 3: event trigger after SET SESSION AUTHORIZATION postgres' supabase_admin "set session authorization postgres; create table public.by_authorization (a int)" "select count(*) from ddl_log" 0
ok 'attack 4: event trigger in the session of a reserved role' supabase_auth_admin "create table auth.by_auth (a int)" "select count(*) from ddl_log" 0
ok 'attack 5: event trigger in the session of a role that its owner is no member of' supabase_admin "grant create on schema public to bystander"
ok 'attack 5: event trigger in the session of a role that its owner is no member of' bystander "create table public.by_bystander (a int)" "select count(*) from ddl_log" 0
ok 'attack 6: event trigger during an elevated statement' postgres "create publication attack6 for all tables; drop publication attack6; create extension cloch_fixture_listed; drop extension cloch_fixture_listed" "$not_super" 0
prepare supabase_admin "create function public.of_admin() returns void language plpgsql security definer as 'begin execute ''create table public.by_definer (a int)''; end'; grant execute on function public.of_admin() to postgres"
prepare postgres "alter function public.climb() security definer; truncate ddl_log"
ok 'attack 7: SECURITY DEFINER event trigger in a function of the superuser' postgres "select public.of_admin()" "select count(*) from ddl_log where current_name <> 'postgres'" 0
ok 'attack 7: the same in a superuser'"'"'s session' supabase_admin "truncate ddl_log; create table public.by_superuser2 (a int)" "select count(*) from ddl_log" 0
prepare supabase_admin "create role other createrole login; grant create on schema public to other; grant other to postgres"
prepare postgres "alter function public.climb() security invoker; truncate ddl_log; grant all on schema public to other; alter function public.climb() owner to other"
ok 'attack 8: the function is given to another role, which replaces it' postgres "create table public.by_given (a int)" "select count(*) from ddl_log where command = 'attack' and current_name = 'postgres'" 0
prepare supabase_admin "drop event trigger climb; drop function public.climb() cascade"
refused 'attack 9: event trigger on a function of the superuser' postgres 'must be owner' "create event trigger a9 on ddl_command_end execute function public.of_superuser()"
refused 'attack 10: change the superuser'"'"'s event trigger' postgres 'must be owner' "alter event trigger of_superuser disable"
refused 'attack 10: drop the superuser'"'"'s event trigger' postgres 'must be owner' "drop event trigger of_superuser"
refused 'attack 11: an event trigger whose function fails before it can be skipped (SET)' postgres 'cannot set parameter' "create function public.blocks() returns event_trigger language plpgsql set default_text_search_config = 'x' as 'begin end'"
refused 'attack 11: the same by ALTER FUNCTION' postgres 'cannot set parameter' "alter function public.log_ddl() set role = postgres"
if [ "$version" -ge 170000 ]; then
  refused 'attack 12: event trigger of logins' postgres 'only superusers create event triggers for logins' "create event trigger a12 on login execute function public.log_ddl()"
else
  refused 'attack 12: event trigger of logins' postgres 'logins|unrecognized event' "create event trigger a12 on login execute function public.log_ddl()"
fi
refused 'attack 13: another role creates event triggers' bystander 'permission denied|[Mm]ust be superuser' "create function public.mine() returns event_trigger language plpgsql as 'begin end'; create event trigger a13 on ddl_command_end execute function public.mine()"

# 14 to 22: extensions.
prepare postgres "create schema evil; create function evil.fixture_own(value varchar) returns text language plpgsql as 'begin execute ''alter role bystander superuser''; return value; end'"
refused 'attack 14: a better matching function in the schema of a script' postgres 'is not executed with the rights of a superuser' "drop extension if exists cloch_fixture; create extension cloch_fixture schema evil"
refused 'attack 14: the same through search_path' postgres 'is not executed with the rights of a superuser' "drop extension if exists cloch_fixture; set search_path = evil; create extension cloch_fixture"
ok 'attack 14: nothing was gained' postgres "select 1" "$not_super" 0
refused 'attack 15: an extension that reads files' postgres 'permission denied to create extension' "create extension file_fdw"
refused 'attack 15: through CASCADE' postgres 'is not one that role' "create extension cloch_fixture_cascade cascade"
refused 'attack 16: an untrusted language' postgres 'permission denied to create extension|not available' "create extension plpython3u"
for schema in cloch pg_catalog information_schema; do
  refused "attack 17: an extension in schema $schema" postgres 'permission denied for schema|not created in schema' "drop extension if exists citext; create extension citext schema $schema"
  refused "attack 17: an extension moved to schema $schema" postgres 'permission denied for schema|not created in schema' "create extension if not exists hstore; alter extension hstore set schema $schema"
done
refused 'attack 18: drop pgcrypto and replace its functions, which functions of the superuser call' postgres 'must be owner' "drop extension pgcrypto cascade"
refused 'attack 18: together with an own one' postgres 'must be owner' "drop extension hstore, pgcrypto"
refused 'attack 18: by dropping its schema' postgres 'belongs to the server' "drop schema extensions cascade"
refused 'attack 18: by DROP OWNED' postgres 'belongs to the server' "drop owned by postgres cascade"
refused 'attack 18: by renaming its schema' postgres 'belongs to the server' "alter schema extensions rename to hidden"
refused 'attack 18: move it away' postgres 'belongs to the server' "alter extension pgcrypto set schema public"
ok 'attack 19: trigger on a table that an update writes' postgres "drop extension if exists cloch_fixture_update; create schema up; create extension cloch_fixture_update schema up"
prepare supabase_admin "update pg_extension set extversion = '1.0' where extname = 'cloch_fixture_update'; grant all on up.fixture_rows to postgres"
sed -i 's/1\.0/1.1/' "$share_folder/cloch_fixture_update.control"
prepare postgres "create function public.on_row() returns trigger language plpgsql as 'begin execute ''alter role bystander superuser''; return null; end'; create trigger t after insert on up.fixture_rows for each row execute function public.on_row()"
refused 'attack 19: trigger on a table that an update writes' postgres 'is not executed with the rights of a superuser' "alter extension cloch_fixture_update update"
prepare supabase_admin "drop trigger t on up.fixture_rows"
prepare postgres "create constraint trigger t after insert on up.fixture_rows deferrable initially deferred for each row execute function public.on_row()"
refused 'attack 20: deferred trigger, which would run at the commit' postgres 'security-restricted|must be superuser|permission denied|is not executed' "alter extension cloch_fixture_update update"
ok 'attack 20: nothing was gained' postgres "select 1" "$not_super" 0
refused 'attack 21: another role uses the list' bystander 'permission denied' "create extension dblink"
refused 'attack 22: in a restricted operation (index function while the superuser analyses)' supabase_admin 'permission denied' "
  set role postgres; create table public.indexed (a int); insert into public.indexed values (1);
  create function public.f22(a int) returns int immutable language plpgsql as 'begin return a; end'; create index i22 on public.indexed (public.f22(a));
  create or replace function public.f22(a int) returns int immutable language plpgsql as 'begin perform public.volatile22(); return a; end';
  create function public.volatile22() returns void language plpgsql as 'begin execute ''create foreign data wrapper a22''; end';
  reset role; reindex table public.indexed"

# 23 to 27: publications and wrappers.
ok 'attack 23: for all tables does not contain secrets' postgres "create publication attack23 for all tables" "select count(*) from pg_publication_tables where pubname = 'attack23' and schemaname in ('cloch', 'vault')" 0
refused 'attack 23: schema cloch' postgres 'is not published|permission denied' "create publication a23 for tables in schema cloch"
refused 'attack 23: schema vault in addition' postgres 'is not published|permission denied' "alter publication attack23 add tables in schema vault"
refused 'attack 24: a table of another role beside a schema' postgres 'must be owner' "create publication a24 for table cloch.operators, tables in schema public"
refused 'attack 24: by ALTER' postgres 'must be owner' "alter publication attack23 set table cloch.operators, tables in schema public"
prepare supabase_admin "create publication of_admin for table cloch.operators"
refused 'attack 25: change the superuser'"'"'s publication' postgres 'must be owner' "alter publication of_admin add tables in schema public"
refused 'attack 25: other roles' bystander 'must be superuser|permission denied' "create publication a25 for all tables"
refused 'attack 26: an own function as validator' postgres 'must belong to a superuser' "create function public.v(text[], oid) returns void language plpgsql as 'begin execute ''alter role bystander superuser''; end'; create foreign data wrapper a26 validator public.v options (a 'b')"
prepare supabase_admin "create extension file_fdw schema extensions"
refused 'attack 27: file_fdw without its validator (programs of the machine)' postgres 'requires the validator' "create foreign data wrapper a27 handler extensions.file_fdw_handler"
refused 'attack 27: with the validator of another extension' postgres 'requires the validator' "create foreign data wrapper a27 handler extensions.file_fdw_handler validator extensions.postgres_fdw_validator"
refused 'attack 27: with its validator the program is refused' postgres 'pg_execute_server_program|permission denied to set' "create foreign data wrapper a27 handler extensions.file_fdw_handler validator extensions.file_fdw_validator; create server a27 foreign data wrapper a27; create foreign table public.a27 (a text) server a27 options (program 'id')"
refused 'attack 28: postgres_fdw without its validator (password_required false)' postgres 'requires the validator' "create foreign data wrapper a28 handler extensions.postgres_fdw_handler"
refused 'attack 28: another role creates wrappers' bystander 'permission denied' "create foreign data wrapper a28"
refused 'attack 28: take the validator away later' postgres 'permission denied|[Mm]ust be superuser' "create foreign data wrapper later handler extensions.postgres_fdw_handler validator extensions.postgres_fdw_validator; alter foreign data wrapper later no validator"

# 29 to 36: roles.
refused 'attack 29: create a superuser' postgres 'superuser|SUPERUSER|permission denied' "create role a29 superuser bypassrls"
refused 'attack 29: become one' postgres 'only superusers alter role' "alter role postgres superuser"
refused 'attack 29: by another role' postgres 'superuser|SUPERUSER|permission denied' "create role a29 bypassrls; alter role a29 superuser replication"
for role in supabase_admin supabase_auth_admin cloch_server cloch_operators anon authenticator; do
  refused "attack 30: password of $role" postgres 'reserved' "alter role $role password 'x'"
  refused "attack 30: bypassrls for $role" postgres 'reserved' "alter role $role bypassrls"
  refused "attack 30: drop $role" postgres 'reserved' "drop role bystander_missing_ok, $role"
  refused "attack 30: rename $role" postgres 'reserved' "alter role $role rename to x"
done
refused 'attack 30: take a reserved name' postgres 'reserved' "create role supabase_etl_admin login"
refused 'attack 30: rename to a reserved name' postgres 'reserved' "create role a30; alter role a30 rename to supabase_etl_admin"
for role in pg_read_server_files pg_write_server_files pg_execute_server_program cloch_server cloch_operators authenticator supabase_admin; do
  refused "attack 31: grant $role" postgres 'is reserved' "grant $role to postgres"
  refused "attack 31: create role in role $role" postgres 'is reserved' "create role a31 bypassrls in role $role"
  refused "attack 31: alter group $role" postgres 'reserved' "alter group $role add user postgres"
done
refused 'attack 32: the same as a member of a role with CREATEROLE' postgres 'is reserved' "set role supabase_auth_admin; grant cloch_server to postgres"
refused 'attack 33: give a role to a reserved role' postgres 'reserved' "create role a33; grant a33 to supabase_auth_admin"
refused 'attack 33: at its creation' postgres 'reserved' "create role a33 role cloch_server"
refused 'attack 34: configure a reserved role' postgres 'reserved' "alter role supabase_admin set session_preload_libraries = 'x'"
refused 'attack 34: configure a superuser with a parameter of the list' postgres 'reserved|superuser' "alter role supabase_admin set log_min_messages = 'error'"
refused 'attack 34: configure all roles' postgres 'must be superuser|permission denied' "alter role all set session_replication_role = replica"
refused 'attack 35: configure a role without rights on it' bystander 'permission denied' "alter role postgres set log_min_messages = error"
refused 'attack 36: SESSION_USER instead of a name' supabase_admin 'only superusers alter role|reserved|permission denied|must be superuser' "set role postgres; alter role session_user nosuperuser"

# 37 to 42: parameters, programs, files.
for setting in "cloch.privileged_role = 'bystander'" "cloch.reserved_roles = ''" "cloch.privileged_extensions = 'file_fdw'"; do
  refused "attack 37: set $setting" postgres 'cannot be changed' "set $setting"
  refused "attack 37: alter role set $setting" postgres 'cannot be changed' "alter role postgres set $setting"
done
for setting in "session_preload_libraries = 'x'" "dynamic_library_path = '/tmp'" "log_destination = 'csvlog'" "lc_messages = 'C'" "allow_system_table_mods = on"; do
  refused "attack 38: set $setting" postgres 'permission denied|cannot be changed' "set $setting"
done
refused 'attack 39: alter system' postgres 'must be superuser|permission denied' "alter system set log_min_messages = error"
refused 'attack 39: copy to program' postgres 'must be superuser|permission denied' "copy public.notes to program 'id'"
refused 'attack 39: copy from a file' postgres 'must be superuser|permission denied' "copy public.notes from '/etc/passwd'"
refused 'attack 39: lo_import' postgres 'permission denied' "select lo_import('/etc/passwd')"
refused 'attack 39: load' postgres 'access to library|permission denied|must be superuser' "load 'file_fdw'"
refused 'attack 39: language c' postgres 'permission denied for language' "create function public.c(int) returns int language c as 'file_fdw', 'x'"
refused 'attack 39: read a file' postgres 'permission denied' "select pg_read_file('/etc/passwd')"
refused 'attack 40: dblink as the server without a password' postgres 'password' "create extension if not exists dblink schema extensions; select extensions.dblink_connect('host=$tmp user=supabase_admin dbname=postgres')"
refused 'attack 40: postgres_fdw without a password' postgres 'password' "create server a40 foreign data wrapper later options (host '$tmp', dbname 'postgres'); create user mapping for postgres server a40 options (user 'supabase_admin', password_required 'false')"
ok 'attack 41: a prepared statement is not changed by the library' postgres "do \$d\$ begin for i in 1..3 loop execute 'create publication a41 for all tables'; drop publication a41; end loop; end \$d\$;
  create function public.twice() returns void language plpgsql as 'begin create publication a41 for tables in schema current_schema; drop publication a41; end'; select public.twice(); set search_path = tenant; select public.twice()"
refused 'attack 42: rights after an elevated statement that failed' postgres 'permission denied' "do \$d\$ begin begin create publication attack23 for all tables; exception when others then null; end; create role a42; execute 'select * from cloch.operators for update'; end \$d\$"
ok 'attack 42: search_path after an elevated statement that failed' postgres "set search_path = evil; do \$d\$ begin begin create publication attack23 for all tables; exception when duplicate_object then null; end; if current_setting('search_path') <> 'evil' or current_user <> 'postgres' then raise 'no'; end if; end \$d\$"
refused 'attack 43: SET ROLE in an elevated script is not possible for the role' postgres 'permission denied to set role' "set role supabase_admin"
ok 'attack 44: temporary schema as target' postgres "select 1"
refused 'attack 44: temporary schema as target' postgres 'not created in schema|pg_temp|temporary' "create temp table x (a int); set search_path = pg_temp; create extension citext"
refused 'attack 45: extension of a superuser with more contents' postgres 'must be owner' "alter extension pgcrypto add function public.twice()"

# 46 to 48: objects of the platform's roles. The role postgres is a member of these roles.
prepare supabase_admin "create function auth.uid() returns text language sql as 'select null'; alter function auth.uid() owner to supabase_auth_admin; create role supabase_functions_admin; grant supabase_functions_admin to postgres; create type auth.level as enum ('a');
  alter type auth.level owner to supabase_auth_admin; grant create on schema auth, storage to postgres; grant create on schema auth, storage, realtime to supabase_functions_admin; create table storage.other (id int); alter table storage.other owner to supabase_storage_admin"
for statement in "table auth.users" "table storage.objects" "table realtime.messages" "function auth.uid()" "routine auth.uid()" "type auth.level"; do
  refused "attack 46: take $statement" postgres 'must be owner of' "alter $statement owner to postgres"
  refused "attack 46: give $statement to another role of the platform" postgres 'must be owner of' "alter $statement owner to supabase_functions_admin"
done
refused 'attack 46: as the owner itself' postgres 'must be (owner of table users|member of role)|must be able to SET ROLE' "set role supabase_auth_admin; alter table auth.users owner to postgres"
refused 'attack 46: in a DO block, with search_path' postgres 'must be owner of table users' "set search_path = auth; do \$d\$ begin execute 'alter table users owner to current_user'; end \$d\$"
refused 'attack 47: reassign' postgres 'permission denied to reassign' "reassign owned by supabase_auth_admin to postgres"
refused 'attack 47: together with others' postgres 'permission denied to reassign' "reassign owned by postgres, supabase_storage_admin to postgres"
refused 'attack 48: drop everything of the platform' postgres 'permission denied to drop' "drop owned by supabase_auth_admin cascade"
refused 'attack 48: as the owner itself' postgres 'permission denied to drop' "set role supabase_auth_admin; drop owned by current_user cascade"
ok 'attack 48: the owners are the same' postgres "select 1" "select string_agg(distinct relowner::regrole::text, ',' order by relowner::regrole::text) from pg_class where oid in ('auth.users'::regclass, 'storage.objects'::regclass)" supabase_auth_admin,supabase_storage_admin

# 49 to 52: the same objects are renamed, moved and dropped, by name or with CASCADE.
prepare supabase_admin "create sequence auth.numbers; alter sequence auth.numbers owner to supabase_auth_admin; alter sequence auth.numbers owned by auth.users.id; alter table auth.users alter column id set default nextval('auth.numbers'); create view auth.seen as select id from auth.users; alter view auth.seen owner to supabase_auth_admin;
  create procedure auth.work() language sql as 'select 1'; alter procedure auth.work() owner to supabase_auth_admin; create domain auth.word as text; alter domain auth.word owner to supabase_auth_admin; create table auth.days (day int) partition by list (day);
  alter table auth.days owner to supabase_auth_admin; create table auth.day_one partition of auth.days for values in (1); alter table auth.day_one owner to supabase_auth_admin; create schema aside authorization postgres; grant create on schema aside to supabase_auth_admin, supabase_storage_admin, supabase_realtime_admin"
for statement in "table auth.users" "table storage.objects" "table realtime.messages" "table auth.days" "table auth.day_one" "sequence auth.numbers" "view auth.seen" "function auth.uid()" "routine auth.uid()" "procedure auth.work()" "type auth.level" "domain auth.word"; do
  refused "attack 49: rename $statement" postgres 'must be owner of' "alter $statement rename to taken"
  refused "attack 50: move $statement" postgres 'must be owner of|cannot move an owned sequence' "alter $statement set schema aside"
  refused "attack 51: drop $statement" postgres 'must be owner of' "drop $statement cascade"
done
refused 'attack 49: rename a schema' postgres 'must be owner of schema auth' "alter schema auth rename to taken"
refused 'attack 49: by the statement for tables' postgres 'must be owner of view seen' "alter table auth.seen rename to taken"
refused 'attack 49: if it exists' postgres 'must be owner of table users' "alter table if exists only auth.users rename to taken"
refused 'attack 49: as the owner itself' postgres 'must be owner of table users' "set role supabase_auth_admin; alter table auth.users rename to taken"
refused 'attack 51: a schema with everything in it' postgres 'must be owner of' "drop schema auth cascade"
refused 'attack 51: together with an own table' postgres 'must be owner of (table users|view seen)' "drop table public.notes, auth.users cascade"
refused 'attack 51: as the owner itself' postgres 'must be owner of (table users|view seen)' "set role supabase_auth_admin; drop table auth.users cascade"
refused 'attack 51: as the owner, for the transaction' postgres 'must be owner of (table users|view seen)' "begin; set local role supabase_auth_admin; drop table auth.users cascade; commit"
refused 'attack 51: by a function of the owner' postgres 'must be owner of (table users|view seen)' "grant all on schema public to supabase_auth_admin; set role supabase_auth_admin;
  create function public.a51() returns void language sql security definer as 'drop table auth.users cascade'; reset role; select public.a51()"
refused 'attack 51: by a function of the owner, in the session of another role' bystander 'must be owner of (table users|view seen)' "select public.a51()"
refused 'attack 51: in a DO block, with search_path' postgres 'must be owner of (table users|view seen)' "set search_path = auth; do \$d\$ begin execute 'drop table users cascade'; end \$d\$"
refused 'attack 51: through an own type that a table of the platform uses' postgres 'must be owner of table typed' "create type public.a51 as (a int); set role supabase_auth_admin; create table auth.typed of public.a51; reset role; drop type public.a51 cascade"
prepare supabase_admin "drop function public.a51(); create role member login in role postgres"
refused 'attack 51: by a role that is a member of the role' member 'must be owner of (table users|view seen)' "set role supabase_auth_admin; drop table auth.users cascade"
refused 'attack 52: a table that looks like a partition of realtime.messages' postgres 'must be owner of table objects|already a partition|not a partition' "create table aside.p (id int) partition by list (id); grant all on schema aside to supabase_storage_admin; alter table aside.p attach partition storage.objects default; drop table storage.objects"
ok 'attack 52: the objects are the same' postgres "select 1" "select count(*) from (values ('auth.users'), ('storage.objects'), ('realtime.messages'), ('auth.seen'), ('auth.numbers'), ('auth.day_one')) as o (name) where to_regclass(name) is not null" 6
ok 'the end: no role became a superuser' postgres "select 1" "$not_super" 0
