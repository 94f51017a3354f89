-- Creates a schema for an owner unless the schema exists. On a database that another program made, the login may be unable to make
-- `owner_name` the owner. The login then owns the new schema. Called by tables files.
create or replace function cloch.ensure_schema(schema_name text, owner_name text) returns void
language plpgsql set search_path = 'pg_catalog', 'pg_temp' as $$
begin
  if to_regclass('cloch.attached') is null then
    execute format('create schema if not exists %I authorization %I', schema_name, owner_name);
  elsif pg_catalog.to_regnamespace(quote_ident(schema_name)) is null
    and not cloch.attempt(format('create schema %I authorization %I', schema_name, owner_name)) then
    execute format('create schema %I', schema_name);
  end if;
end;
$$;
