-- Functions of the exposed schemas ($1) that clients can call. $2: the roles of callers. $3: patterns for the names of settings. If a
-- function has settings whose names match, these apply to the whole transaction.
with recursive domains as (
  select t.oid as domain, t.typbasetype as base from pg_type t where t.typtype = 'd'
  union all
  select d.domain, t.typbasetype from domains d join pg_type t on t.oid = d.base where t.typtype = 'd'
),
bases as (
  select d.domain, d.base from domains d join pg_type b on b.oid = d.base where b.typtype <> 'd'
),
arguments as (
  select
    p.oid,
    json_agg(json_build_object(
      'name', coalesce(arg.name, ''),
      'type', arg.type::regtype::text,
      -- Types such as char would truncate a value to length 1. Each is replaced by its corresponding type of variable length.
      'wide_type', case arg.type
        when 'bit'::regtype then 'bit varying'
        when 'bit[]'::regtype then 'bit varying[]'
        when 'character'::regtype then 'character varying'
        when 'character[]'::regtype then 'character varying[]'
        else arg.type::regtype::text
      end,
      'required', arg.position <= p.pronargs - p.pronargdefaults,
      'variadic', coalesce(arg.mode = 'v', false)
    ) order by arg.position) as list,
    -- If the only argument of a function has no name, it receives the whole request body. A function with several arguments without names
    -- cannot be called.
    case count(*) - count(arg.name)
      when 0 then true
      when 1 then bool_and(arg.type in
        ('bytea'::regtype, 'json'::regtype, 'jsonb'::regtype, 'text'::regtype, 'xml'::regtype))
      else false
    end as callable
  -- The condition on the schema limits the functions whose arguments are read. Without it, the arguments of PostgreSQL's own three thousand functions
  -- would be read too.
  from pg_proc p join pg_namespace n on n.oid = p.pronamespace and n.nspname = any ($1::text[]), lateral (
    -- OUT parameters are not in proargtypes, but are in proargnames and proargmodes, at any position.
    select every.name, every.type, every.mode, row_number() over (order by every.position) as position
    from unnest(p.proargnames, coalesce(p.proallargtypes, p.proargtypes::oid[]), p.proargmodes)
      with ordinality as every (name, type, mode, position)
    where coalesce(every.mode, 'i') in ('i', 'b', 'v')
  ) as arg
  group by p.oid
)
select json_build_object(
  'oid', p.oid::int8,
  'schema', n.nspname,
  'name', p.proname,
  'description', obj_description(p.oid, 'pg_proc'),
  'arguments', coalesce(a.list, '[]'),
  'returns', json_build_object('schema', tn.nspname, 'name', coalesce(tc.relname, t.typname)),
  'returns_set', p.proretset,
  'returns_composite', t.typtype = 'c' or coalesce(p.proargmodes::text[] && '{t,b,o}', false),
  'volatility', p.provolatile,
  'isolation', (
    select lower(split_part(setting, '=', 2)) from unnest(p.proconfig) as setting
    where setting like 'default\_transaction\_isolation=%'
  ),
  'settings', (
    select coalesce(json_agg(json_build_array(
      substr(setting, 1, strpos(setting, '=') - 1), substr(setting, strpos(setting, '=') + 1))), '[]')
    from unnest(p.proconfig) as setting where setting ~ any ($3::text[])
  ),
  'visible_to', (
    select coalesce(json_agg(r.rolname), '[]') from pg_roles r
    where r.rolname = any ($2::text[]) and has_function_privilege(r.oid, p.oid, 'execute')
  )
)
from pg_proc p
join pg_namespace n on n.oid = p.pronamespace
left join arguments a on a.oid = p.oid
left join bases b on b.domain = p.prorettype
join pg_type t on t.oid = coalesce(b.base, p.prorettype)
join pg_namespace tn on tn.oid = t.typnamespace
left join pg_class tc on tc.oid = t.typrelid
where n.nspname = any ($1::text[]) and p.prokind = 'f' and t.oid <> 'trigger'::regtype and coalesce(a.callable, true)
-- The error message of an ambiguous call lists the functions in this order.
order by
  n.nspname, p.proname, p.pronargs,
  obj_description(p.oid, 'pg_proc') collate "C" nulls first, a.list::text collate "C", p.oid
