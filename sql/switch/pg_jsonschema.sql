-- The extension's functions take the place of the stand-in's with `create or replace`, so that check constraints, views and indexes of the project
-- keep them: nothing is evaluated again.
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
    -- A function that the extension lacks stays in schema cloch_stand_in, which is dropped unless the project uses it.
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
