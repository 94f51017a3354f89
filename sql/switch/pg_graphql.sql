drop function graphql_public.graphql(text, text, jsonb, jsonb);
create extension pg_graphql;
