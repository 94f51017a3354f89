drop function extensions.json_matches_schema(json, json), extensions.jsonb_matches_schema(json, jsonb),
  extensions.jsonschema_is_valid(json), extensions.jsonschema_validation_errors(json, json);
create extension pg_jsonschema with schema extensions;
