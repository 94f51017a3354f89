set local role supabase_storage_admin;

-- Returns all path segments of an object's name except the last one, for policies. Callable by all roles.
create or replace function storage.foldername(name text) returns text[]
language sql immutable as $$
  select (string_to_array(name, '/'))[1 : array_length(string_to_array(name, '/'), 1) - 1]
$$;

reset role;
