-- Whether the current role is a superuser. Called by tables files.
create or replace function cloch.is_superuser() returns boolean
language sql stable set search_path = 'pg_catalog', 'pg_temp' as $$
  select rolsuper from pg_catalog.pg_roles where rolname = current_user;
$$;
