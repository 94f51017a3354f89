select schema, name, type,
       format('%s %s is in the GraphQL schema that role authenticated sees, with its columns and relations.', type, sql_name) as detail,
       format('revoke select on %s from authenticated, public;', sql_name) as fix, '{}'::jsonb as extra
  from relation
 where is_exposed and authenticated_reads
   and exists (select from pg_extension where extname = 'pg_graphql' and extversion <> 'stand-in')
   and has_schema_privilege('authenticated', 'graphql_public', 'usage')
