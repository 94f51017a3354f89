-- Part of Cloch's substitute for pg_jsonschema. Whether a regular expression of ECMA-262 matches a part of a text.
create or replace function extensions.cloch_json_schema_has_match(value text, pattern text) returns boolean
language plpgsql immutable strict parallel safe set search_path = 'pg_catalog', 'pg_temp' as $$
declare
  translated constant text := extensions.cloch_json_schema_pattern(pattern);
begin
  if translated is null then
    raise exception 'JSON schema: invalid pattern "%"', pattern using errcode = '2201B';
  end if;
  return value collate "C" ~ translated;
end;
$$;
