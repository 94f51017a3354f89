-- Part of Cloch's substitute for pg_jsonschema. Returns the identifiers of a schema and its subschemas as an object. The keys are URIs,
-- with a fragment for an anchor. Each value contains the path of the schema, the base URI outside of it, and whether the anchor is dynamic.
create or replace function extensions.cloch_json_schema_ids(schema jsonb, draft integer, base text, path text[]) returns jsonb
language plpgsql immutable strict parallel safe set search_path = 'pg_catalog', 'pg_temp' as $$
declare
  id text := extensions.cloch_json_schema_id(schema, draft);
  uri text := base;
  anchor text;
  ids jsonb := '{}';
  child record;
begin
  if jsonb_typeof(schema) <> 'object' then
    return ids;
  end if;
  if id is not null then
    uri := extensions.cloch_json_schema_uri(base, id);
    ids := jsonb_build_object(uri, jsonb_build_object('path', path, 'base', base));
  elsif path = '{}' then
    ids := jsonb_build_object(uri, jsonb_build_object('path', path, 'base', base));
  end if;
  if draft <= 7 and not schema ? '$ref' then
    anchor := schema ->> case draft when 4 then 'id' else '$id' end;
    if anchor like '%#_%' then
      ids := ids || jsonb_build_object(extensions.cloch_json_schema_uri(base, anchor), jsonb_build_object('path', path, 'base', base));
    end if;
  elsif draft > 7 then
    if jsonb_typeof(schema -> '$anchor') = 'string' then
      ids := ids || jsonb_build_object(uri || '#' || (schema ->> '$anchor'), jsonb_build_object('path', path, 'base', base));
    end if;
    if draft = 2020 and jsonb_typeof(schema -> '$dynamicAnchor') = 'string' then
      ids := ids || jsonb_build_object(uri || '#' || (schema ->> '$dynamicAnchor'), jsonb_build_object('path', path, 'base', base, 'is_dynamic', true));
    end if;
  end if;
  for child in select c.path, c.child from extensions.cloch_json_schema_children(schema, draft) as c loop
    ids := ids || extensions.cloch_json_schema_ids(child.child, draft, uri, path || child.path);
  end loop;
  return ids;
end;
$$;
