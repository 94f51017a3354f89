-- Part of Cloch's substitute for pg_jsonschema. Returns a JSON value as pg_jsonschema's messages contain it: without blanks, and with
-- sorted keys.
create or replace function extensions.cloch_json_schema_text(value jsonb) returns text
language plpgsql immutable strict parallel safe set search_path = 'pg_catalog', 'pg_temp' as $$
begin
  return case jsonb_typeof(value)
    when 'object' then
      '{' || coalesce((select string_agg(to_json(key)::text || ':' || extensions.cloch_json_schema_text(e.value), ',' order by key collate "C")
                         from jsonb_each(cloch_json_schema_text.value) as e), '') || '}'
    when 'array' then
      '[' || coalesce((select string_agg(extensions.cloch_json_schema_text(element), ',' order by place)
                         from jsonb_array_elements(value) with ordinality as e (element, place)), '') || ']'
    else value::text
  end;
end;
$$;
