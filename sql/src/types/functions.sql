-- Functions of the given schemas ($1) that clients can call, as a JSON list. Trigger functions are left out.
select coalesce(json_agg(json_build_object(
  'schema', n.nspname, 'name', p.proname, 'returns', p.prorettype::bigint, 'set', p.proretset,
  'single', p.proretset and p.prorows <= 1, 'is_table', 't' = any (coalesce(p.proargmodes, '{}')),
  'inputs', (
    -- Names and modes are those of all parameters, also of OUT parameters that stand before others.
    select coalesce(json_agg(json_build_object('name', i.name, 'type', i.type::bigint,
      'optional', i.place > p.pronargs - p.pronargdefaults) order by i.place), '[]')
    from (
      select coalesce(p.proargnames[o], '') as name, u.type, row_number() over (order by o) as place
      from unnest(coalesce(p.proallargtypes, p.proargtypes::oid[])) with ordinality u (type, o)
      where p.proargmodes is null or p.proargmodes[o] in ('i', 'b', 'v')
    ) i
  ),
  'columns', (
    -- PostgreSQL's name for a column without a name is column1, column2, …
    select json_agg(json_build_object('name', coalesce(nullif(c.name, ''), 'column' || c.place), 'type', c.type::bigint) order by c.place)
    from (
      select p.proargnames[o] as name, u.type, row_number() over (order by o) as place
      from unnest(p.proallargtypes) with ordinality u (type, o)
      where p.proargmodes[o] in ('o', 'b', 't')
    ) c
  )
) order by n.nspname, p.proname, pg_get_function_identity_arguments(p.oid)), '[]')
from pg_proc p
join pg_namespace n on n.oid = p.pronamespace
where n.nspname = any ($1) and p.prokind = 'f'
  and p.prorettype not in ('trigger'::regtype, 'event_trigger'::regtype)
  -- Clients cannot call the functions of the real pgvector, because their arguments have no names. Functions of Cloch's substitute for
  -- pgvector are recognised by their schema and their owner, which are those of the substitute's type vector.
  and (p.pronamespace, p.proowner) not in (
    select v.typnamespace, v.typowner from pg_type v join pg_proc i on i.oid = v.typinput where v.typname = 'vector' and i.prosrc = 'textin')
