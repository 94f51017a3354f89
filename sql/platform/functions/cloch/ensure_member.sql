-- Makes role `member_name` a member of other roles. `options` is the end of the GRANT statement, such as 'with admin option', or empty.
-- Roles that do not exist are skipped, and a refused grant is ignored. On a database that another program made, roles that existed before
-- are not made members of each other. Called by tables files.
create or replace function cloch.ensure_member(
  member_name text, options text, variadic role_names text[]
) returns void
language plpgsql set search_path = 'pg_catalog', 'pg_temp' as $$
declare
  role_name text;
begin
  foreach role_name in array role_names loop
    continue when role_name = member_name
      or not exists (select from pg_catalog.pg_roles where rolname = role_name)
      or cloch.is_existing_role(member_name) and cloch.is_existing_role(role_name);
    perform cloch.attempt(format('grant %I to %I %s', role_name, member_name, options));
  end loop;
end;
$$;
