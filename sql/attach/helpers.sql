-- The helpers of 0001 as a database that somebody else made needs them: what is there stays as it is.

-- Runs a statement; false when this login or this server cannot do it. A setting that a role has already is the project's.
create or replace function cloch.attempt(statement text, consequence text default null)
returns boolean
language plpgsql set search_path = '' as $$
declare
  setting text[] := regexp_match(statement, '^alter role (\w+) set (\w+) =');
begin
  if setting is not null and exists (
    select from pg_catalog.pg_db_role_setting as s, unnest(s.setconfig) as has
     where s.setrole = (select r.oid from pg_catalog.pg_roles as r where r.rolname = setting[1])
       and split_part(has, '=', 1) = setting[2])
  then
    return true;
  end if;
  execute statement;
  return true;
exception
  when insufficient_privilege or feature_not_supported or undefined_file
    or undefined_object or invalid_grant_operation then
    if consequence is not null then
      perform cloch.note(statement, consequence || ' (' || sqlerrm || ')');
    end if;
    return false;
end;
$$;

-- A schema belongs to whoever may own it.
create or replace function cloch.ensure_schema(schema_name text, owner_name text) returns void
language plpgsql set search_path = '' as $$
begin
  if pg_catalog.to_regnamespace(quote_ident(schema_name)) is not null then
    return;
  end if;
  if not cloch.attempt(format('create schema %I authorization %I', schema_name, owner_name)) then
    execute format('create schema %I', schema_name);
  end if;
end;
$$;
