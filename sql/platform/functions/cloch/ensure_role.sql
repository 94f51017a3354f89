-- Creates a role with attributes such as 'login', unless the cluster has the role. An attribute that the login may not set is skipped. An
-- existing role keeps its attributes: on an operator's server, `postgres` may be the superuser.
--
-- A login that is not a superuser also becomes a member of the role, so that later statements can switch to the role. The exception is a
-- role that existed before Cloch attached to a database that another program made. Called by tables files.
create or replace function cloch.ensure_role(role_name text, variadic attributes text[])
returns void
language plpgsql set search_path = 'pg_catalog', 'pg_temp' as $$
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
     and not cloch.is_existing_role(role_name)
     and not pg_catalog.pg_has_role(current_user, role_name, 'usage') then
    perform cloch.attempt(format('grant %I to current_user', role_name));
  end if;
end;
$$;
