-- Creates an extension in a schema unless the database has it. Returns false, and records a notice (cloch.notices), if the server lacks
-- the extension or the login may not create it. Called by tables files.
create or replace function cloch.ensure_extension(extension_name text, schema_name text)
returns boolean
language plpgsql set search_path = 'pg_catalog', 'pg_temp' as $$
begin
  if exists (select from pg_catalog.pg_extension where extname = extension_name) then
    return true;
  end if;
  if not exists (select from pg_catalog.pg_available_extensions where name = extension_name) then
    perform cloch.note('extension ' || extension_name, 'not installed on this PostgreSQL server');
    return false;
  end if;
  return cloch.attempt(
    format('create extension if not exists %I with schema %I', extension_name, schema_name),
    'the extension is missing');
end;
$$;
