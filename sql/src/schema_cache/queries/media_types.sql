-- Media type handlers in the exposed schemas ($1). These are aggregates over rows, or functions. The type that they return is a domain with the name
-- of a media type.
with media_types as (
  select oid, typname, typnamespace, lower(typname) as media_type,
    case typname when '*/*' then 'application/octet-stream' else typname::text end as content_type
  from pg_type
  where typtype = 'd' and (typname ~* '^[a-z0-9.-]+/[a-z0-9.\+-]+$' or typname = '*/*')
)
select json_build_object(
  'handler', json_build_object('schema', n.nspname, 'name', p.proname),
  'target', case when arg.typname = 'anyelement' then null
    else json_build_object('schema', an.nspname, 'name', arg.typname) end,
  'media_type', m.media_type, 'content_type', m.content_type)
from media_types m
join pg_proc p on p.prorettype = m.oid and p.prokind = 'a' and p.pronargs = 1
join pg_namespace n on n.oid = p.pronamespace
join pg_type arg on arg.oid = p.proargtypes[0]
join pg_namespace an on an.oid = arg.typnamespace
where n.nspname = any ($1::text[])
  and (arg.typname = 'anyelement' or exists (
    select from pg_class c where c.reltype = arg.oid and c.relkind in ('r', 'v', 'm', 'f', 'p')))
union all
select json_build_object(
  'handler', json_build_object('schema', mn.nspname, 'name', m.typname),
  'target', json_build_object('schema', n.nspname, 'name', p.proname),
  'media_type', m.media_type, 'content_type', m.content_type)
from media_types m
join pg_namespace mn on mn.oid = m.typnamespace
join pg_proc p on p.prorettype = m.oid and p.prokind = 'f' and not p.proretset
join pg_namespace n on n.oid = p.pronamespace
where n.nspname = any ($1::text[])
