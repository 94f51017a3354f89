-- Functions and procedures of schema $1, without their source code, as one JSON array of at most $2 elements.
select coalesce(json_agg(f), '[]') from (
  select p.oid::bigint as oid, p.proname as name, pg_get_function_identity_arguments(p.oid) as arguments,
         pg_get_function_result(p.oid) as returns, p.prokind = 'p' as procedure, l.lanname as language, p.prosecdef as definer,
         case p.provolatile when 'i' then 'immutable' when 's' then 'stable' else 'volatile' end as volatility,
         pg_get_userbyid(p.proowner) as owner,
         -- Functions of Cloch's substitute for pgvector are shown as functions of extension vector. They are recognised by their schema and
         -- their owner, which are those of the substitute's type vector.
         coalesce(e.extname, case when (p.pronamespace, p.proowner) in (
           select v.typnamespace, v.typowner from pg_type v join pg_proc i on i.oid = v.typinput
            where v.typname = 'vector' and i.prosrc = 'textin') then 'vector' end) as extension
  from pg_proc p
  join pg_language l on l.oid = p.prolang
  left join pg_depend d on d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.refclassid = 'pg_extension'::regclass and d.deptype = 'e'
  left join pg_extension e on e.oid = d.refobjid
  where p.pronamespace = (select oid from pg_namespace where nspname = $1) and p.prokind <> 'a'
  order by p.proname, p.oid limit $2
) f
