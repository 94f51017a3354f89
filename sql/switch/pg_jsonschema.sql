-- Replaces Cloch's substitute for pg_jsonschema by the extension. The functions of the extension replace those of the substitute with `create or
-- replace`. Check constraints, views and indexes of the project that use them are kept, and nothing is evaluated again.
create schema cloch_stand_in;
alter function extensions.json_matches_schema(json, json) set schema cloch_stand_in;
alter function extensions.jsonb_matches_schema(json, jsonb) set schema cloch_stand_in;
alter function extensions.jsonschema_is_valid(json) set schema cloch_stand_in;
alter function extensions.jsonschema_validation_errors(json, json) set schema cloch_stand_in;
create extension pg_jsonschema with schema extensions;
do $$
declare
  stand_in oid;
  real regprocedure;
  definition text;
begin
  for stand_in, real in
    select oid, to_regprocedure(format('extensions.%I(%s)', proname, oidvectortypes(proargtypes)))
      from pg_proc where pronamespace = 'cloch_stand_in'::regnamespace
  loop
    -- If the extension does not have a function, the function stays in schema cloch_stand_in. This schema is dropped unless the project uses it.
    continue when real is null;
    definition := pg_get_functiondef(real);
    execute format('alter extension pg_jsonschema drop function %s', real);
    execute format('drop function %s', real);
    execute format('alter function %s set schema extensions', stand_in::regprocedure);
    execute definition;
    execute format('alter extension pg_jsonschema add function %s', stand_in::regprocedure);
  end loop;
end;
$$;
