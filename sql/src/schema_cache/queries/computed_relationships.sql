-- Functions that have a row of one table as argument and return rows of another table (computed relationships).
select json_build_object(
  'function', json_build_object('schema', n.nspname, 'name', p.proname),
  'table', json_build_object('schema', an.nspname, 'name', arg.typname),
  'foreign_table', json_build_object('schema', rn.nspname, 'name', ret.typname),
  'single', not p.proretset or p.prorows = 1
)
from pg_proc p
join pg_namespace n on n.oid = p.pronamespace
join pg_type arg on arg.oid = p.proargtypes[0]
join pg_class ac on ac.reltype = arg.oid and ac.relkind in ('r', 'v', 'm', 'f', 'p')
join pg_namespace an on an.oid = arg.typnamespace
join pg_type ret on ret.oid = p.prorettype
join pg_class rc on rc.reltype = ret.oid and rc.relkind in ('r', 'v', 'm', 'f', 'p')
join pg_namespace rn on rn.oid = ret.typnamespace
where p.pronargs = 1
order by n.nspname, p.proname, p.oid
