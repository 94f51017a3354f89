select schema, name, 'table' as type,
       format('Table %s is exposed by the API, callers have privileges on it, and row-level security is off.', sql_name) as detail,
       format('alter table %s enable row level security;', sql_name) as fix, '{}'::jsonb as extra
  from relation
 where is_exposed and kind in ('r', 'p') and not has_rls and is_granted
