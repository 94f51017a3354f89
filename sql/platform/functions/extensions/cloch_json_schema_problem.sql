-- Part of Cloch's substitute for pg_jsonschema. Checks whether a schema is valid according to the meta-schema of its draft. Returns the
-- first problem, as JSON pointer and message; null if the schema is valid.
create or replace function extensions.cloch_json_schema_problem(schema jsonb, draft integer, place text, out pointer text, out message text)
language plpgsql immutable strict parallel safe set search_path = 'pg_catalog', 'pg_temp' as $$
declare
  simple_types constant text[] := array['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'];
  keyword text;
  value jsonb;
  kind text;
  expected text;
  child record;
begin
  pointer := place;
  if jsonb_typeof(schema) <> 'object' then
    message := case
      when draft = 4 then extensions.cloch_json_schema_text(schema) || ' is not of type "object"'
      when jsonb_typeof(schema) <> 'boolean' then extensions.cloch_json_schema_text(schema) || ' is not of types "boolean", "object"' end;
    return;
  end if;
  for keyword, value in select e.key, e.value from jsonb_each(schema) as e loop
    kind := jsonb_typeof(value);
    expected := case
      when keyword in ('title', 'description', '$schema', 'pattern', 'format')
        or keyword in ('$ref', '$comment', 'contentMediaType', 'contentEncoding') and draft >= case keyword when '$ref' then 6 else 7 end
        or keyword in ('$anchor', '$recursiveRef', '$dynamicRef', '$dynamicAnchor') and draft >= 2019
        or keyword = case draft when 4 then 'id' else '$id' end then
        case when kind <> 'string' then 'a string' end
      when keyword in ('maximum', 'minimum') or keyword in ('exclusiveMaximum', 'exclusiveMinimum') and draft > 4 then
        case when kind <> 'number' then 'a number' end
      when keyword in ('exclusiveMaximum', 'exclusiveMinimum') then
        case when kind <> 'boolean' then 'a boolean' when not schema ? lower(substr(keyword, 10)) then 'beside ' || lower(substr(keyword, 10)) end
      when keyword = 'multipleOf' then
        case when kind <> 'number' then 'a number' when (value #>> '{}')::numeric <= 0 then 'more than 0' end
      when keyword in ('maxLength', 'minLength', 'maxItems', 'minItems', 'maxProperties', 'minProperties')
        or keyword in ('maxContains', 'minContains') and draft >= 2019 then
        case when kind <> 'number' then 'an integer'
             when (value #>> '{}')::numeric <> trunc((value #>> '{}')::numeric) or draft = 4 and value::text ~ '\.' then 'an integer'
             when (value #>> '{}')::numeric < 0 then 'not negative' end
      when keyword = 'uniqueItems' or keyword in ('readOnly', 'writeOnly', 'deprecated') and draft >= case keyword when 'deprecated' then 2019 when 'readOnly' then 7 else 2019 end
        or keyword = '$recursiveAnchor' and draft = 2019 then
        case when kind <> 'boolean' then 'a boolean' end
      when keyword in ('properties', 'patternProperties', 'definitions', 'dependencies')
        or keyword in ('$defs', 'dependentSchemas', 'dependentRequired', '$vocabulary') and draft >= 2019 then
        case when kind <> 'object' then 'an object' end
      when keyword = 'enum' then
        case when kind <> 'array' then 'an array' when draft = 4 and value = '[]' then 'not empty'
             when draft = 4 and jsonb_array_length(value) <> (select count(distinct e.value) from jsonb_array_elements(value) as e) then 'an array of unique elements' end
      when keyword = 'examples' and draft > 4 then
        case when kind <> 'array' then 'an array' end
      when keyword = 'required' then
        case when kind <> 'array' then 'an array of strings' when draft = 4 and value = '[]' then 'not empty' end
      when keyword = 'type' then
        case when kind = 'array' and value = '[]' then 'not empty' when kind not in ('array', 'string') then 'a type or an array of types'
             when kind = 'string' and value #>> '{}' <> all (simple_types) then 'a type' end
      when keyword in ('allOf', 'anyOf', 'oneOf') or keyword = 'prefixItems' and draft = 2020 or keyword = 'items' and draft < 2020 and kind = 'array' then
        case when kind <> 'array' then 'an array' when value = '[]' then 'not empty' end
    end;
    if expected is null and (keyword in ('required', 'type') and kind = 'array') then
      expected := case
        when exists (select from jsonb_array_elements(value) as e where jsonb_typeof(e.value) <> 'string' or keyword = 'type' and e.value #>> '{}' <> all (simple_types))
          then case keyword when 'type' then 'an array of types' else 'an array of strings' end
        when jsonb_array_length(value) <> (select count(distinct e.value) from jsonb_array_elements(value) as e) then 'an array of unique elements' end;
    elsif expected is null and (keyword = 'dependencies' or keyword = 'dependentRequired' and draft >= 2019) then
      select 'an object of arrays of unique strings' into expected from jsonb_each(value) as e
       where jsonb_typeof(e.value) = 'array'
             and (draft = 4 and e.value = '[]' or exists (select from jsonb_array_elements(e.value) as i where jsonb_typeof(i.value) <> 'string')
                  or jsonb_array_length(e.value) <> (select count(distinct i.value) from jsonb_array_elements(e.value) as i))
          or jsonb_typeof(e.value) <> 'array' and keyword = 'dependentRequired' limit 1;
    elsif expected is null and keyword = '$vocabulary' and draft >= 2019 then
      select 'an object of booleans' into expected from jsonb_each(value) as e where jsonb_typeof(e.value) <> 'boolean' limit 1;
    elsif expected is null and draft <= 7 and keyword = 'pattern' then
      expected := case when extensions.cloch_json_schema_pattern(value #>> '{}') is null then 'a regular expression' end;
    elsif expected is null and draft in (6, 7) and keyword = 'patternProperties' then
      select 'an object whose keys are regular expressions' into expected from jsonb_object_keys(value) as k where extensions.cloch_json_schema_pattern(k) is null limit 1;
    elsif expected is null and (keyword in ('$anchor', '$dynamicAnchor') and draft >= 2019) then
      expected := case when value #>> '{}' !~ case draft when 2019 then '^[A-Za-z][-A-Za-z0-9.:_]*$' else '^[A-Za-z_][-A-Za-z0-9._]*$' end then 'an identifier' end;
    elsif expected is null and keyword = '$id' and draft >= 2019 then
      expected := case when value #>> '{}' !~ '^[^#]*#?$' then 'a URI without a fragment' end;
    end if;
    if expected is not null then
      pointer := place || '/' || keyword;
      message := extensions.cloch_json_schema_text(value) || ' is not ' || expected;
      return;
    end if;
  end loop;
  for child in select c.path, c.child from extensions.cloch_json_schema_children(schema, draft) as c loop
    -- In draft 4, these two keywords may have a boolean schema.
    continue when draft = 4 and jsonb_typeof(child.child) = 'boolean' and child.path[1] in ('additionalItems', 'additionalProperties');
    -- Keywords that do not exist in this draft are ignored.
    continue when draft = 4 and child.path[1] in ('contains', 'propertyNames') or draft < 7 and child.path[1] in ('if', 'then', 'else')
               or draft = 2020 and child.path[1] = 'additionalItems' or draft < 2019 and child.path[1] = '$defs';
    select p.pointer, p.message into pointer, message
      from extensions.cloch_json_schema_problem(child.child, draft, place || '/' || array_to_string(child.path, '/')) as p;
    if message is not null then
      return;
    end if;
  end loop;
end;
$$;
