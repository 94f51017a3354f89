-- Part of Cloch's substitute for pg_jsonschema. Returns the draft of a JSON schema: 4, 6, 7, 2019 or 2020. If `$schema` is missing, the
-- draft is 2020, as in the library that pg_jsonschema uses.
create or replace function extensions.cloch_json_schema_draft(schema jsonb) returns integer
language plpgsql immutable strict parallel safe set search_path = 'pg_catalog', 'pg_temp' as $$
declare
  uri constant text := case when jsonb_typeof(schema -> '$schema') = 'string' then rtrim(schema ->> '$schema', '#') end;
begin
  return case
    when uri is null or uri = 'https://json-schema.org/draft/2020-12/schema' then 2020
    when uri = 'https://json-schema.org/draft/2019-09/schema' then 2019
    when uri ~ '^https?://json-schema\.org/draft-07/schema$' then 7
    when uri ~ '^https?://json-schema\.org/draft-06/schema$' then 6
    when uri ~ '^https?://json-schema\.org/draft-04/schema$' then 4
  end;
end;
$$;
