-- Part of the stand-in for pg_jsonschema. Returns the URI reference that a schema names itself by, without a fragment; null if it does not. Up
-- to draft 7, `$ref` disables it.
create or replace function extensions.cloch_json_schema_id(schema jsonb, draft integer) returns text
language plpgsql immutable strict parallel safe set search_path = 'pg_catalog', 'pg_temp' as $$
declare
  keyword constant text := case draft when 4 then 'id' else '$id' end;
begin
  if draft <= 7 and schema ? '$ref' or jsonb_typeof(schema -> keyword) is distinct from 'string' then
    return null;
  end if;
  return nullif(split_part(schema ->> keyword, '#', 1), '');
end;
$$;
