-- Part of Cloch's substitute for pg_jsonschema. Returns the subschemas of a schema, with their paths.
create or replace function extensions.cloch_json_schema_children(schema jsonb, draft integer) returns table (path text[], child jsonb)
language sql immutable strict parallel safe set search_path = 'pg_catalog', 'pg_temp' as $$
  select array[key], value from jsonb_each(schema)
   where key = any (array['additionalItems', 'additionalProperties', 'contains', 'else', 'if', 'items', 'not', 'propertyNames', 'then']
                    || case when draft >= 2019 then array['contentSchema', 'unevaluatedItems', 'unevaluatedProperties'] end)
     and not (key = 'items' and draft < 2020 and jsonb_typeof(value) = 'array')
  union all
  select array[e.key, (i.place - 1)::text], i.value from jsonb_each(schema) as e, jsonb_array_elements(e.value) with ordinality as i (value, place)
   where e.key = any (array['allOf', 'anyOf', 'oneOf'] || case when draft >= 2020 then 'prefixItems' else 'items' end)
     and jsonb_typeof(e.value) = 'array'
  union all
  select array[e.key, i.key], i.value from jsonb_each(schema) as e, jsonb_each(e.value) as i
   where e.key = any (array['$defs', 'definitions', 'dependencies', 'patternProperties', 'properties']
                      || case when draft >= 2019 then array['dependentSchemas'] end)
     and jsonb_typeof(e.value) = 'object' and not (e.key = 'dependencies' and jsonb_typeof(i.value) = 'array')
$$;
