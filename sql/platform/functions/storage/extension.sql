set local role supabase_storage_admin;

-- Returns the file extension of an object's name, for policies: the text after the last dot of the last path segment. If this segment has
-- no dot, returns the whole segment. Callable by all roles.
create or replace function storage.extension(name text) returns text
language sql immutable as $$
  select regexp_replace(
    (string_to_array(name, '/'))[array_length(string_to_array(name, '/'), 1)],
    '^.*\.', '')
$$;

reset role;
