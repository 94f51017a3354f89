-- Part of Cloch's substitute for pg_jsonschema. Finds the schema that $recursiveRef (draft 2019-09) or $dynamicRef (2020-12) names: the
-- outermost schema of the dynamic scope that has the same anchor. `target` is the schema that a static reference would name, and `base` is
-- its base URI.
create or replace function extensions.cloch_json_schema_dynamic_target(root jsonb, ids jsonb, draft integer, scopes text[], reference text, inout target jsonb, inout base text)
language plpgsql immutable strict parallel safe set search_path = 'pg_catalog', 'pg_temp' as $$
declare
  anchor constant text := split_part(reference, '#', 2);
  scope text;
  found record;
begin
  if draft = 2019 then
    if target -> '$recursiveAnchor' is distinct from 'true' then
      return;
    end if;
    for scope in select s.uri from unnest(scopes) with ordinality as s (uri, place) order by s.place desc loop
      select t.target, t.base into found from extensions.cloch_json_schema_target(root, ids, draft, scope) as t;
      exit when found.target -> '$recursiveAnchor' is distinct from 'true';
      target := found.target;
      base := found.base;
    end loop;
  elsif ids -> reference -> 'is_dynamic' = 'true' then
    foreach scope in array scopes loop
      if ids -> (scope || '#' || anchor) -> 'is_dynamic' = 'true' then
        select t.target, t.base into target, base from extensions.cloch_json_schema_target(root, ids, draft, scope || '#' || anchor) as t;
        return;
      end if;
    end loop;
  end if;
end;
$$;
