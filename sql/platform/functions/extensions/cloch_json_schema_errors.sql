-- Part of Cloch's substitute for pg_jsonschema. Validates `instance` with `schema`, a part of `root`.
-- * `errors`: the errors: all of them with `is_all`, otherwise the first ones. They have the same order as those of the library that
--   pg_jsonschema uses.
-- * `seen`: the names of the properties, or the indices of the items, that have been evaluated. It is set only with `collects`: the root
--   has unevaluatedProperties or unevaluatedItems, which need it.
-- * `ids`: the identifiers of `root`.
-- * `base`: the base URI outside of the schema.
-- * `scopes`: the base URIs of the schemas that led to this one, for dynamic references.
create or replace function extensions.cloch_json_schema_errors(root jsonb, ids jsonb, draft integer, base text, scopes text[], schema jsonb,
  instance jsonb, is_all boolean, collects boolean, depth integer, out errors text[], out seen text[])
language plpgsql immutable strict parallel safe set search_path = 'pg_catalog', 'pg_temp' as $$
declare
  most_depth constant integer := 100;
  kind constant text := jsonb_typeof(instance);
  own_base text := base;
  own_scopes text[] := scopes;
  id text;
  number numeric;
  size integer;
  limits numeric;
  types text[];
  names text[];
  key text;
  property text;
  value jsonb;
  place integer;
  tuple integer;
  matched integer;
  child record;
  target record;
  is_own boolean;
begin
  errors := '{}';
  seen := '{}';
  if depth > most_depth then
    raise exception 'JSON schema: more than % nested schemas', most_depth
      using errcode = '54001', detail = 'The schema refers to itself without an end, or the value is nested too deeply for the stand-in for pg_jsonschema.';
  end if;
  if schema = 'false' then
    errors := array['False schema does not allow ' || extensions.cloch_json_schema_text(instance)];
    return;
  elsif jsonb_typeof(schema) <> 'object' then
    return;
  end if;
  id := extensions.cloch_json_schema_id(schema, draft);
  if id is not null then
    own_base := extensions.cloch_json_schema_uri(base, id);
  end if;
  if own_scopes = '{}' or own_scopes[cardinality(own_scopes)] <> own_base then
    own_scopes := own_scopes || own_base;
  end if;
  is_own := draft > 7 or not schema ? '$ref';

  if is_own and schema ? 'type' then
    types := case jsonb_typeof(schema -> 'type') when 'string' then array[schema ->> 'type'] else array(select jsonb_array_elements_text(schema -> 'type')) end;
    if kind <> all (types) and not (kind = 'number' and 'integer' = any (types)
       and case draft when 4 then instance::text !~ '\.' else (instance #>> '{}')::numeric % 1 = 0 end) then
      errors := errors || (extensions.cloch_json_schema_text(instance) || ' is not of type' || case when cardinality(types) > 1 then 's' else '' end || ' '
        || (select string_agg('"' || t || '"', ', ' order by t) from unnest(types) as t));
    end if;
  end if;
  if is_own and draft > 4 and schema ? 'const' and schema -> 'const' <> instance then
    errors := errors || (extensions.cloch_json_schema_text(schema -> 'const') || ' was expected');
  end if;
  if is_own and schema ? 'enum' and not exists (select from jsonb_array_elements(schema -> 'enum') as e where e.value = instance) then
    size := jsonb_array_length(schema -> 'enum');
    errors := errors || (extensions.cloch_json_schema_text(instance) || ' is not one of '
      || coalesce((select string_agg(case when e.place = 1 then '' when e.place = size then ' or ' else ', ' end || extensions.cloch_json_schema_text(e.value), '' order by e.place)
                     from jsonb_array_elements(schema -> 'enum') with ordinality as e (value, place) where size <= 3 or e.place <= 2), '')
      || case when size > 3 then format(' or %s other candidates', size - 2) else '' end);
  end if;

  if is_own and kind = 'number' then
    number := (instance #>> '{}')::numeric;
    for key, value in select e.key, e.value from unnest(array['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf']) with ordinality as k (key, place)
                        join jsonb_each(schema) as e on e.key = k.key order by k.place loop
      continue when jsonb_typeof(value) <> 'number';
      limits := (value #>> '{}')::numeric;
      if draft = 4 and schema -> ('exclusive' || initcap(key)) = 'true' then
        key := 'exclusive' || initcap(key);
      end if;
      if (case key when 'minimum' then number < limits when 'maximum' then number > limits when 'exclusiveMinimum' then number <= limits
                  when 'exclusiveMaximum' then number >= limits else number % limits <> 0 end) then
        errors := errors || (extensions.cloch_json_schema_text(instance) || case key when 'minimum' then ' is less than the minimum of '
          when 'maximum' then ' is greater than the maximum of ' when 'exclusiveMinimum' then ' is less than or equal to the minimum of '
          when 'exclusiveMaximum' then ' is greater than or equal to the maximum of ' else ' is not a multiple of ' end || (value #>> '{}'));
      end if;
    end loop;
  elsif is_own and kind in ('string', 'array', 'object') then
    size := case kind when 'string' then length(instance #>> '{}') when 'array' then jsonb_array_length(instance) else (select count(*) from jsonb_object_keys(instance)) end;
    key := case kind when 'string' then 'Length' when 'array' then 'Items' else 'Properties' end;
    if schema ? ('min' || key) and size < (schema ->> ('min' || key))::numeric then
      errors := errors || extensions.cloch_json_schema_size_error(instance, kind, 'min', (schema ->> ('min' || key))::numeric);
    end if;
    if schema ? ('max' || key) and size > (schema ->> ('max' || key))::numeric then
      errors := errors || extensions.cloch_json_schema_size_error(instance, kind, 'max', (schema ->> ('max' || key))::numeric);
    end if;
  end if;
  if errors <> '{}' and not is_all then
    return;
  end if;

  if is_own and kind = 'string' and schema ? 'pattern' and not extensions.cloch_json_schema_has_match(instance #>> '{}', schema ->> 'pattern') then
    errors := errors || (extensions.cloch_json_schema_text(instance) || ' does not match "' || (schema ->> 'pattern') || '"');
  elsif is_own and kind = 'object' then
    for key in select r.value from jsonb_array_elements_text(case when schema ? 'required' then schema -> 'required' else '[]' end) with ordinality as r (value, place)
                where not instance ? r.value order by r.place loop
      errors := errors || (to_json(key)::text || ' is a required property');
    end loop;
    for key in
      select n.value from jsonb_each(coalesce(case when draft >= 2019 then schema -> 'dependentRequired' end, '{}') || coalesce(schema -> 'dependencies', '{}')) as d,
             jsonb_array_elements_text(case jsonb_typeof(d.value) when 'array' then d.value else '[]' end) as n
       where instance ? d.key and not instance ? n.value loop
      errors := errors || (to_json(key)::text || ' is a required property');
    end loop;
    names := '{}';
    if schema ?| array['properties', 'patternProperties', 'additionalProperties', 'propertyNames'] then
      for property, value in select e.key, e.value from jsonb_each(instance) as e order by e.key collate "C" loop
        matched := 0;
        for target in
          select schema -> 'properties' -> property as schema where schema -> 'properties' ? property
          union all
          select p.value from jsonb_each(case when schema ? 'patternProperties' then schema -> 'patternProperties' else '{}' end) as p
           where extensions.cloch_json_schema_has_match(property, p.key)
        loop
          matched := matched + 1;
          child := extensions.cloch_json_schema_errors(root, ids, draft, own_base, own_scopes, target.schema, value, is_all, collects, depth + 1);
          errors := errors || child.errors;
        end loop;
        if matched = 0 and schema ? 'additionalProperties' then
          matched := 1;
          if schema -> 'additionalProperties' = 'false' then
            names := names || property;
          else
            child := extensions.cloch_json_schema_errors(root, ids, draft, own_base, own_scopes, schema -> 'additionalProperties', value, is_all, collects, depth + 1);
            errors := errors || child.errors;
          end if;
        end if;
        if collects and matched > 0 then
          seen := seen || property;
        end if;
        if draft > 4 and schema ? 'propertyNames' then
          child := extensions.cloch_json_schema_errors(root, ids, draft, own_base, own_scopes, schema -> 'propertyNames', to_jsonb(property), is_all, collects, depth + 1);
          errors := errors || child.errors;
        end if;
        exit when not is_all and (errors <> '{}' or names <> '{}');
      end loop;
    end if;
    if names <> '{}' then
      errors := errors || extensions.cloch_json_schema_unexpected('Additional properties', names);
    end if;
  elsif is_own and kind = 'array' then
    if schema -> 'uniqueItems' = 'true' and size <> (select count(distinct e.value) from jsonb_array_elements(instance) as e) then
      errors := errors || (extensions.cloch_json_schema_text(instance) || ' has non-unique elements');
    end if;
    -- Schemas of the first items. The schema of the remaining items follows.
    key := case when draft = 2020 then 'prefixItems' else 'items' end;
    tuple := case when jsonb_typeof(schema -> key) = 'array' then jsonb_array_length(schema -> key) else 0 end;
    value := case when draft = 2020 or jsonb_typeof(schema -> 'items') is distinct from 'array' then schema -> 'items' else schema -> 'additionalItems' end;
    if value = 'false' and draft < 2020 and tuple > 0 and size > tuple then
      errors := errors || ('Additional items are not allowed (' || (
        select string_agg(extensions.cloch_json_schema_text(e.value), ', ' order by e.place) from jsonb_array_elements(instance) with ordinality as e (value, place) where e.place > tuple)
        || case size - tuple when 1 then ' was' else ' were' end || ' unexpected)');
    elsif tuple > 0 or value is not null then
      for place in 0 .. size - 1 loop
        exit when place >= tuple and value is null;
        child := extensions.cloch_json_schema_errors(root, ids, draft, own_base, own_scopes, case when place < tuple then schema -> key -> place else value end,
          instance -> place, is_all, collects, depth + 1);
        errors := errors || child.errors;
        exit when errors <> '{}' and not is_all;
        if collects then
          seen := seen || place::text;
        end if;
      end loop;
    end if;
    if draft > 4 and schema ? 'contains' and (errors = '{}' or is_all) then
      matched := 0;
      for place in 0 .. size - 1 loop
        child := extensions.cloch_json_schema_errors(root, ids, draft, own_base, own_scopes, schema -> 'contains', instance -> place, false, collects, depth + 1);
        if child.errors = '{}' then
          matched := matched + 1;
          if draft = 2020 and collects then
            seen := seen || place::text;
          end if;
        end if;
      end loop;
      if (matched < case when draft >= 2019 and schema ? 'minContains' then (schema ->> 'minContains')::numeric else 1 end)
         or draft >= 2019 and matched > (schema ->> 'maxContains')::numeric then
        errors := errors || ('None of ' || extensions.cloch_json_schema_text(instance) || ' are valid under the given schema');
      end if;
    end if;
  end if;
  if errors <> '{}' and not is_all then
    return;
  end if;

  if is_own then
    child := extensions.cloch_json_schema_combined(root, ids, draft, own_base, own_scopes, schema, instance, is_all, collects, depth);
    errors := errors || child.errors;
    seen := seen || child.seen;
  end if;
  for key in select k from unnest(array['$ref', '$recursiveRef', '$dynamicRef']) as k where schema ? k and jsonb_typeof(schema -> k) = 'string' loop
    continue when key = '$recursiveRef' and draft <> 2019 or key = '$dynamicRef' and draft <> 2020;
    exit when errors <> '{}' and not is_all;
    select t.target, t.base into target from extensions.cloch_json_schema_target(root, ids, draft, extensions.cloch_json_schema_uri(own_base, schema ->> key)) as t;
    if key <> '$ref' then
      select t.target, t.base into target
        from extensions.cloch_json_schema_dynamic_target(root, ids, draft, own_scopes, extensions.cloch_json_schema_uri(own_base, schema ->> key), target.target, target.base) as t;
    end if;
    child := extensions.cloch_json_schema_errors(root, ids, draft, target.base, own_scopes, target.target, instance, is_all, collects, depth + 1);
    errors := errors || child.errors;
    seen := seen || child.seen;
  end loop;

  if draft >= 2019 and (errors = '{}' or is_all) and (kind = 'object' and schema ? 'unevaluatedProperties' or kind = 'array' and schema ? 'unevaluatedItems') then
    key := case kind when 'object' then 'unevaluatedProperties' else 'unevaluatedItems' end;
    names := '{}';
    for target in
      select e.key as name, e.key as shown, e.value from jsonb_each(case kind when 'object' then instance else '{}' end) as e where e.key <> all (seen)
      union all
      select (e.place - 1)::text, extensions.cloch_json_schema_text(e.value), e.value
        from jsonb_array_elements(case kind when 'array' then instance else '[]' end) with ordinality as e (value, place) where (e.place - 1)::text <> all (seen)
    loop
      child := extensions.cloch_json_schema_errors(root, ids, draft, own_base, own_scopes, schema -> key, target.value, false, collects, depth + 1);
      if child.errors <> '{}' then
        names := names || target.shown::text;
      end if;
      seen := seen || target.name::text;
    end loop;
    if names <> '{}' then
      errors := errors || extensions.cloch_json_schema_unexpected(case kind when 'object' then 'Unevaluated properties' else 'Unevaluated items' end, names);
    end if;
  end if;
  if errors <> '{}' then
    seen := '{}';
  end if;
end;
$$;
