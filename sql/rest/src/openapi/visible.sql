-- Returns the OIDs of tables and functions in schema $1 that the current role may use, and the comment of the schema, for the OpenAPI
-- description.
select json_build_object(
  'tables', (
    select coalesce(json_agg(c.oid::int8), '[]') from pg_class c
    where c.relnamespace = n.oid and c.relkind in ('v', 'r', 'm', 'f', 'p') and not c.relispartition
      and (pg_has_role(c.relowner, 'usage')
        or has_table_privilege(c.oid, 'select, insert, update, delete, truncate, references, trigger')
        or has_any_column_privilege(c.oid, 'select, insert, update, references'))),
  'functions', (
    select coalesce(json_agg(p.oid::int8), '[]') from pg_proc p
    where p.pronamespace = n.oid and has_function_privilege(p.oid, 'execute')),
  'comment', obj_description(n.oid, 'pg_namespace'))
from pg_namespace n
where n.nspname = $1
