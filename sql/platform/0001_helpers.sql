-- What the other platform files lean on.
--
-- The platform is applied by a superuser (embedded cluster) or by the login of
-- a managed PostgreSQL that has CREATEROLE and owns the database, no more. A
-- statement that only a superuser may run goes through cloch.attempt(): where it
-- is refused the start goes on, and cloch.notices says what is missing.

create schema if not exists cloch;
revoke all on schema cloch from public;

-- What this database lacks or what something else stands in for; the server
-- prints it at start.
create table if not exists cloch.notices (
  subject  text primary key,
  detail   text not null,
  noted_at timestamptz not null default now()
);

create or replace function cloch.note(subject text, detail text) returns void
language sql set search_path = '' as $$
  insert into cloch.notices as n (subject, detail)
  values (note.subject, note.detail)
  on conflict on constraint notices_pkey do update
    set detail = excluded.detail, noted_at = now();
$$;

create or replace function cloch.is_superuser() returns boolean
language sql stable set search_path = '' as $$
  select rolsuper from pg_catalog.pg_roles where rolname = current_user;
$$;

-- Runs a statement; false when this login or this server cannot do it. The
-- consequence, where there is one for a project, is noted.
create or replace function cloch.attempt(statement text, consequence text default null)
returns boolean
language plpgsql set search_path = '' as $$
begin
  execute statement;
  return true;
exception
  when insufficient_privilege or feature_not_supported or undefined_file
    or undefined_object or invalid_grant_operation then
    raise notice 'not possible on this database: % (%)', statement, sqlerrm;
    if consequence is not null then
      perform cloch.note(statement, consequence || ' (' || sqlerrm || ')');
    end if;
    return false;
end;
$$;

-- Creates a role unless the cluster has it. An existing role keeps its
-- attributes: on a foreign cluster `postgres` may be the superuser. A login
-- without superuser also makes itself a member, to act as the role below.
create or replace function cloch.ensure_role(role_name text, variadic attributes text[])
returns void
language plpgsql set search_path = '' as $$
declare
  attribute text;
begin
  if not exists (select from pg_catalog.pg_roles where rolname = role_name) then
    execute format('create role %I', role_name);
    foreach attribute in array attributes loop
      perform cloch.attempt(format('alter role %I %s', role_name, attribute));
    end loop;
  end if;
  if not cloch.is_superuser()
     and role_name <> current_user
     and not pg_catalog.pg_has_role(current_user, role_name, 'usage') then
    perform cloch.attempt(format('grant %I to current_user', role_name));
  end if;
end;
$$;

-- The role that owns the project's objects and runs its migrations: postgres, or,
-- on a managed server whose superuser has that name, one of our own.
create or replace function cloch.project_owner() returns text
language sql stable set search_path = '' as $$
  select case
    when not exists (select from pg_catalog.pg_roles where rolname = 'postgres') then 'postgres'
    when pg_catalog.pg_has_role(current_user, 'postgres', 'member') then 'postgres'
    else 'cloch_owner'
  end;
$$;

create or replace function cloch.ensure_member(
  member_name text, options text, variadic role_names text[]
) returns void
language plpgsql set search_path = '' as $$
declare
  role_name text;
begin
  foreach role_name in array role_names loop
    continue when role_name = member_name
      or not exists (select from pg_catalog.pg_roles where rolname = role_name);
    perform cloch.attempt(format('grant %I to %I %s', role_name, member_name, options));
  end loop;
end;
$$;

create or replace function cloch.ensure_schema(schema_name text, owner_name text) returns void
language plpgsql set search_path = '' as $$
begin
  execute format('create schema if not exists %I authorization %I', schema_name, owner_name);
end;
$$;
