-- Views of the exposed schemas ($1) and of additional schemas ($2). Their definitions are PostgreSQL's node trees.
select json_build_object(
  'relation', c.oid::int8,
  'view', json_build_object('schema', n.nspname, 'name', c.relname),
  'exposed', n.nspname = any ($1::text[]),
  'columns', (
    select coalesce(json_agg(json_build_array(a.attnum, a.attname) order by a.attnum), '[]')
    from pg_attribute a where a.attrelid = c.oid and a.attnum > 0
  ),
  'definition', r.ev_action::text
)
from pg_class c
join pg_namespace n on n.oid = c.relnamespace
join pg_rewrite r on r.ev_class = c.oid and r.rulename = '_RETURN'
where c.relkind in ('v', 'm') and n.nspname = any ($1::text[] || $2::text[])
order by n.nspname, c.relname
