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
