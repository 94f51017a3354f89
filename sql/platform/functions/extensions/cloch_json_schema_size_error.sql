-- Part of Cloch's substitute for pg_jsonschema. Returns the message about a string, array or object that is too large or too small.
create or replace function extensions.cloch_json_schema_size_error(instance jsonb, kind text, bound text, size numeric) returns text
language sql immutable strict parallel safe set search_path = 'pg_catalog', 'pg_temp' as $$
  select format('%s %s %s %s', extensions.cloch_json_schema_text(instance),
    case when kind = 'string' then case bound when 'min' then 'is shorter than' else 'is longer than' end
         else case bound when 'min' then 'has less than' else 'has more than' end end,
    trunc(size),
    case kind when 'string' then 'character' when 'array' then 'item' else 'propert' end
      || case when kind = 'object' then case when size = 1 then 'y' else 'ies' end when size = 1 then '' else 's' end)
$$;
