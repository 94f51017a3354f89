-- Makes the stand-in for pg_jsonschema, unless the server has the extension: the functions that validate JSON. They run with the rights of the
-- caller, as upstream's do. The functions that compute are extensions.cloch_json_schema_*, in their own files: in a schema that callers may use.

do $outer$
begin
  if not cloch.stand_in_wanted('pg_jsonschema', 'JSON is validated by functions in PL/pgSQL, more slowly') then
    return;
  end if;

  create function extensions.json_matches_schema(schema json, instance json) returns boolean
  language sql immutable strict parallel safe set search_path = 'pg_catalog', 'pg_temp' as $$
    select extensions.cloch_json_schema_validate(schema::jsonb, instance::jsonb, false) = '{}'
  $$;

  create function extensions.jsonb_matches_schema(schema json, instance jsonb) returns boolean
  language sql immutable strict parallel safe set search_path = 'pg_catalog', 'pg_temp' as $$
    select extensions.cloch_json_schema_validate(schema::jsonb, instance, false) = '{}'
  $$;

  create function extensions.jsonschema_is_valid(schema json) returns boolean
  language plpgsql immutable strict parallel safe set search_path = 'pg_catalog', 'pg_temp' as $$
  declare
    draft constant integer := extensions.cloch_json_schema_draft(schema::jsonb);
    problem record;
  begin
    if draft is null then
      raise notice 'Invalid JSON schema at path: ';
      return false;
    end if;
    select p.pointer, p.message into problem from extensions.cloch_json_schema_problem(schema::jsonb, draft, '') as p;
    if problem.message is not null then
      raise notice 'Invalid JSON schema at path: %', problem.pointer;
    end if;
    return problem.message is null;
  end;
  $$;

  create function extensions.jsonschema_validation_errors(schema json, instance json) returns text[]
  language sql immutable strict parallel safe set search_path = 'pg_catalog', 'pg_temp' as $$
    select extensions.cloch_json_schema_validate(schema::jsonb, instance::jsonb, true)
  $$;
end;
$outer$;
