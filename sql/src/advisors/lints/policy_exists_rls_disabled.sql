select schema, table_name as name, 'table' as type,
       format('Table %s has policies (%s), and row-level security is off: they decide nothing.', sql_name,
              string_agg(quote_ident(name), ', ' order by name)) as detail,
       format('alter table %s enable row level security;', sql_name) as fix, '{}'::jsonb as extra
  from policy
 where not has_rls
 group by schema, table_name, sql_name
