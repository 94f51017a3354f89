-- Part of Cloch's substitute for pg_jsonschema. Returns the URI reference in a schema's own identifier, without the fragment; null if the
-- schema has no identifier. Up to draft 7, an identifier beside `$ref` is ignored.
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
