-- Returns the objects of Cloch's substitute for pgvector: those in the schema of type vector that have the owner of this type and concern
-- the substitute's types. Array types are not returned, because they follow their element types.
create or replace function cloch.stand_in_vector_objects() returns table (classid oid, objid oid)
language sql stable set search_path = 'pg_catalog' as $$
  with origin as (
    select typnamespace as schema, typowner as owner from pg_type where oid = cloch.stand_in_vector_type()
  ), type as (
    select t.oid, t.typarray, t.typinput, t.typoutput, t.typmodin, t.typmodout
      from pg_type as t join pg_proc as p on p.oid = t.typinput, origin as o
     where t.typnamespace = o.schema and t.typowner = o.owner and p.prosrc = 'textin' and t.typname in ('vector', 'halfvec', 'sparsevec')
  ), routine as (
    select p.oid from pg_proc as p, origin as o
     where (p.pronamespace = o.schema or p.oid in (select castfunc from pg_cast where casttarget in (select oid from type))) and p.proowner = o.owner
       and (exists (select from type as t where t.oid = any (p.proargtypes) or t.oid = p.prorettype
                    or p.oid in (t.typinput, t.typoutput, t.typmodin, t.typmodout))
            or p.proname in ('vector_combine', 'halfvec_combine') or p.proname in ('hamming_distance', 'jaccard_distance') and 1560 = all (p.proargtypes))
  ), operator_class as (
    select c.oid, c.opcfamily from pg_opclass as c, origin as o
     where c.opcnamespace = o.schema and c.opcowner = o.owner and c.opcintype in (select oid from type)
  )
  select 'pg_type'::regclass::oid, oid from type
  union all select 'pg_proc'::regclass, oid from routine
  union all select 'pg_operator'::regclass, p.oid from pg_operator as p, origin as o
    where p.oprnamespace = o.schema and p.oprowner = o.owner and p.oprcode in (select oid from routine)
  union all select 'pg_opclass'::regclass, oid from operator_class
  union all select 'pg_opfamily'::regclass, opcfamily from operator_class
  union all select 'pg_cast'::regclass, oid from pg_cast where castsource in (select oid from type) or casttarget in (select oid from type)
$$;
revoke all on function cloch.stand_in_vector_objects() from public;
