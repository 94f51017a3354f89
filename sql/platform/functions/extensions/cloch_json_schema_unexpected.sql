-- Part of Cloch's substitute for pg_jsonschema. Returns the message about unexpected properties or items.
create or replace function extensions.cloch_json_schema_unexpected(what text, names text[]) returns text
language sql immutable strict parallel safe set search_path = 'pg_catalog', 'pg_temp' as $$
  select format('%s are not allowed (%s %s unexpected)', what, string_agg('''' || name || '''', ', '), case cardinality(names) when 1 then 'was' else 'were' end)
    from unnest(names) as name
$$;
