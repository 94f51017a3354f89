-- Roles, schemas and tables as Cloch's platform SQL makes them, executed by the superuser supabase_admin.
create role postgres login createdb createrole replication bypassrls;
create role anon;
create role authenticated;
create role service_role bypassrls;
create role authenticator login noinherit;
create role supabase_auth_admin login noinherit createrole;
create role supabase_storage_admin login noinherit createrole;
create role supabase_realtime_admin noinherit;
create role cloch_server login;
create role cloch_operators login;
create role bystander login;
grant anon, authenticated, service_role to authenticator;
grant supabase_auth_admin, supabase_storage_admin, supabase_realtime_admin, pg_monitor, pg_read_all_data, pg_signal_backend to postgres;
grant anon, authenticated, service_role to postgres with admin option;
do $$
begin
  if current_setting('server_version_num')::int >= 160000 then
    execute 'grant authenticator to postgres with admin true, inherit false, set false';
  end if;
end;
$$;
alter database postgres owner to postgres;
alter schema public owner to postgres;
create schema extensions authorization postgres;
create schema auth authorization supabase_auth_admin;
create schema storage authorization supabase_storage_admin;
create schema realtime authorization supabase_realtime_admin;
grant usage on schema auth, storage, realtime to postgres;
create table auth.users (id int primary key);
alter table auth.users owner to supabase_auth_admin;
create table storage.objects (id int primary key);
alter table storage.objects owner to supabase_storage_admin;
alter table storage.objects enable row level security;
create table realtime.messages (id int primary key);
alter table realtime.messages owner to supabase_realtime_admin;
create schema cloch;
create table cloch.operators (id int primary key, hash text);
create schema vault;
create table vault.secrets (id int primary key, secret text);
create extension pgcrypto schema extensions;
create function public.of_superuser() returns event_trigger language plpgsql as 'begin end';
create event trigger of_superuser on ddl_command_end execute function public.of_superuser();
create table public.notes (id int primary key);
alter table public.notes owner to postgres;
create table public.ddl_log (command text, current_name text, session_name text);
alter table public.ddl_log owner to postgres;
grant all on public.ddl_log to public;
