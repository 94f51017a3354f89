-- Part of Cloch's substitute for pg_jsonschema. Finds the schema that an absolute reference names, and the base URI outside of this schema:
-- the schema's own identifier is not applied. Only schemas within the document are found. Nothing is fetched.
create or replace function extensions.cloch_json_schema_target(root jsonb, ids jsonb, draft integer, reference text, out target jsonb, out base text)
language plpgsql immutable strict parallel safe set search_path = 'pg_catalog', 'pg_temp' as $$
declare
  document constant text := split_part(reference, '#', 1);
  fragment text := substr(reference, length(document) + 2);
  entry jsonb;
  step text;
  id text;
begin
  -- Decodes percent-encoded bytes.
  if fragment ~ '%[0-9A-Fa-f]{2}' then
    fragment := (
      select convert_from(string_agg(case when part[1] ~ '^%' then decode(substr(part[1], 2), 'hex') else convert_to(part[1], 'UTF8') end, '' order by place), 'UTF8')
        from regexp_matches(fragment, '%[0-9A-Fa-f]{2}|[^%]+|%', 'g') with ordinality as m (part, place));
  end if;
  if fragment = '' or fragment like '/%' then
    entry := ids -> document;
  else
    entry := ids -> (document || '#' || fragment);
  end if;
  base := entry ->> 'base';
  target := case when entry is not null then root #> array(select jsonb_array_elements_text(entry -> 'path')) end;
  if fragment like '/%' then
    foreach step in array string_to_array(substr(fragment, 2), '/') loop
      id := case when jsonb_typeof(target) = 'object' then extensions.cloch_json_schema_id(target, draft) end;
      base := case when id is null then base else extensions.cloch_json_schema_uri(base, id) end;
      target := case
        when jsonb_typeof(target) = 'object' then target -> replace(replace(step, '~1', '/'), '~0', '~')
        when jsonb_typeof(target) = 'array' and step ~ '^(0|[1-9][0-9]{0,8})$' then target -> step::integer
      end;
    end loop;
  end if;
  if target is null then
    raise exception 'JSON schema: unresolvable reference "%"', reference
      using errcode = '22023', detail = 'The stand-in for pg_jsonschema resolves references within the schema only. It fetches nothing.';
  end if;
end;
$$;
