-- Whether a role existed when the server began to attach to a database that another program made. Such a role keeps its settings and
-- memberships: the owner of the database may have chosen them. False in a database of Cloch's own, and for roles that Cloch creates.
-- Called by tables files; the setting is set for the transaction that applies them.
create or replace function cloch.is_existing_role(role_name text) returns boolean
language sql stable set search_path = 'pg_catalog', 'pg_temp' as $$
  -- The owner of a database may set the parameter for all its sessions. Only an attached database has the table.
  select to_regclass('cloch.attached') is not null
     and coalesce(role_name = any (string_to_array(current_setting('cloch.existing_roles', true), ',')), false)
$$;
