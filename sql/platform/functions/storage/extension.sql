set local role supabase_storage_admin;

-- What follows the last dot of the last segment; the segment if it has no dot.
create or replace function storage.extension(name text) returns text
language sql immutable as $$
  select regexp_replace(
    (string_to_array(name, '/'))[array_length(string_to_array(name, '/'), 1)],
    '^.*\.', '')
$$;

reset role;
