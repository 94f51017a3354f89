-- Whether a role existed when the server began to attach to a database that another program made. Such a role keeps its settings and
-- memberships, because the owner of the database may have chosen them. False in a database of Cloch's own, and for roles that Cloch
-- creates. Called by tables files. The transaction that applies them sets cloch.existing_roles.
create or replace function cloch.is_existing_role(role_name text) returns boolean
language sql stable set search_path = 'pg_catalog', 'pg_temp' as $$
  -- Only an attached database has the table cloch.attached. The setting alone proves nothing, because the owner of a database may set it
  -- for all sessions.
  select to_regclass('cloch.attached') is not null
     and coalesce(role_name = any (string_to_array(current_setting('cloch.existing_roles', true), ',')), false)
$$;
