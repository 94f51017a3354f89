set local role supabase_storage_admin;

-- Returns the last path segment of an object's name, for policies. Callable by all roles.
create or replace function storage.filename(name text) returns text
language sql immutable as $$
  select (string_to_array(name, '/'))[array_length(string_to_array(name, '/'), 1)]
$$;

reset role;
