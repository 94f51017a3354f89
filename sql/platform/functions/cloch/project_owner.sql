-- Returns the role that owns the project's objects and runs its migrations. This is postgres, or cloch_owner on a managed server where the
-- login is not a member of postgres. Callable by all roles that may use schema cloch.
create or replace function cloch.project_owner() returns text
language sql stable set search_path = 'pg_catalog', 'pg_temp' as $$
  select case
    when not exists (select from pg_catalog.pg_roles where rolname = 'postgres') then 'postgres'
    when pg_catalog.pg_has_role(current_user, 'postgres', 'member') then 'postgres'
    else 'cloch_owner'
  end;
$$;
