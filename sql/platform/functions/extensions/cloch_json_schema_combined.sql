-- Part of Cloch's substitute for pg_jsonschema. Validates `instance` with those subschemas that apply to the same value as the schema
-- itself: allOf, anyOf, oneOf, not, if, dependentSchemas, dependencies. The arguments and the result are those of cloch_json_schema_errors.
-- `seen` is meaningful only if there are no errors.
create or replace function extensions.cloch_json_schema_combined(root jsonb, ids jsonb, draft integer, base text, scopes text[], schema jsonb,
  instance jsonb, is_all boolean, collects boolean, depth integer, out errors text[], out seen text[])
language plpgsql immutable strict parallel safe set search_path = 'pg_catalog', 'pg_temp' as $$
declare
  part jsonb;
  key text;
  matched integer;
  child record;
begin
  errors := '{}';
  seen := '{}';
  for part in
    select d.value from jsonb_each(coalesce(schema -> 'dependencies', '{}') || coalesce(case when draft >= 2019 then schema -> 'dependentSchemas' end, '{}')) as d
     where jsonb_typeof(instance) = 'object' and instance ? d.key and jsonb_typeof(d.value) <> 'array'
    union all
    select a.value from jsonb_array_elements(case when schema ? 'allOf' then schema -> 'allOf' else '[]' end) as a
  loop
    child := extensions.cloch_json_schema_errors(root, ids, draft, base, scopes, part, instance, is_all, collects, depth + 1);
    errors := errors || child.errors;
    seen := seen || child.seen;
    if errors <> '{}' and not is_all then
      return;
    end if;
  end loop;
  foreach key in array array['anyOf', 'oneOf'] loop
    continue when not schema ? key;
    matched := 0;
    for part in select a.value from jsonb_array_elements(schema -> key) as a loop
      child := extensions.cloch_json_schema_errors(root, ids, draft, base, scopes, part, instance, false, collects, depth + 1);
      if child.errors = '{}' then
        matched := matched + 1;
        seen := seen || child.seen;
        exit when key = 'anyOf' and not collects or key = 'oneOf' and matched > 1;
      end if;
    end loop;
    if matched = 0 or key = 'oneOf' and matched > 1 then
      errors := errors || (extensions.cloch_json_schema_text(instance) || case matched when 0 then ' is not valid under any of the schemas listed in the '''
        else ' is valid under more than one of the schemas listed in the ''' end || key || ''' keyword');
      if not is_all then
        return;
      end if;
    end if;
  end loop;
  if schema ? 'not' then
    child := extensions.cloch_json_schema_errors(root, ids, draft, base, scopes, schema -> 'not', instance, false, collects, depth + 1);
    if child.errors = '{}' then
      errors := errors || (extensions.cloch_json_schema_text(schema -> 'not') || ' is not allowed for ' || extensions.cloch_json_schema_text(instance));
    end if;
  end if;
  if draft >= 7 and schema ? 'if' and (collects or schema ?| array['then', 'else']) then
    child := extensions.cloch_json_schema_errors(root, ids, draft, base, scopes, schema -> 'if', instance, false, collects, depth + 1);
    if child.errors = '{}' then
      seen := seen || child.seen;
    end if;
    key := case when child.errors = '{}' then 'then' else 'else' end;
    if schema ? key then
      child := extensions.cloch_json_schema_errors(root, ids, draft, base, scopes, schema -> key, instance, is_all, collects, depth + 1);
      errors := errors || child.errors;
      seen := seen || child.seen;
    end if;
  end if;
end;
$$;
