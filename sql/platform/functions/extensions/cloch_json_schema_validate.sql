-- Part of Cloch's substitute for pg_jsonschema. Validates a value with a schema. With `is_all`, returns all errors, otherwise the first
-- ones. If the schema is not valid, the function fails; with `is_all`, it returns the problem instead, as jsonschema_validation_errors of
-- pg_jsonschema does.
create or replace function extensions.cloch_json_schema_validate(schema jsonb, instance jsonb, is_all boolean) returns text[]
language plpgsql immutable strict parallel safe set search_path = 'pg_catalog', 'pg_temp' as $$
declare
  draft constant integer := extensions.cloch_json_schema_draft(schema);
  problem text;
  ids jsonb := '{"": {"path": [], "base": ""}}';
begin
  if draft is null then
    problem := format('Unknown meta-schema: ''%s''', schema ->> '$schema');
  else
    select p.message into problem from extensions.cloch_json_schema_problem(schema, draft, '') as p;
  end if;
  if problem is not null and is_all then
    return array[problem];
  elsif problem is not null then
    raise exception 'Invalid schema: %', problem using errcode = '22023';
  end if;
  if schema::text ~ '"(\$?id|\$anchor|\$dynamicAnchor)"' then
    ids := ids || extensions.cloch_json_schema_ids(schema, draft, '', '{}');
  end if;
  return (extensions.cloch_json_schema_errors(schema, ids, draft, '', '{}', schema, instance, is_all, schema::text ~ '"unevaluated(Items|Properties)"', 1)).errors;
end;
$$;
