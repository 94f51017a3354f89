-- Functions of schema $1 that clients can call by RPC, as one JSON array.
select coalesce(json_agg(json_build_object(
  'name', p.proname,
  'arguments', (
    select coalesce(json_agg(json_build_object('name', p.proargnames[a.place], 'type', format_type(a.type, null),
             'has_default', a.input > p.pronargs - p.pronargdefaults) order by a.place), '[]')
    from (select type, place, row_number() over (order by place) as input
          from unnest(coalesce(p.proallargtypes, p.proargtypes::oid[])) with ordinality u (type, place)
          where coalesce(p.proargmodes[u.place], 'i') in ('i', 'b', 'v')) a),
  'returns', pg_get_function_result(p.oid), 'set', p.proretset,
  'volatility', case p.provolatile when 'i' then 'immutable' when 's' then 'stable' else 'volatile' end,
  'comment', obj_description(p.oid, 'pg_proc')
) order by p.proname, p.oid), '[]')
from pg_proc p
where p.pronamespace = (select oid from pg_namespace where nspname = $1)
  and p.prokind = 'f' and p.prorettype not in ('trigger'::regtype, 'event_trigger'::regtype)
