-- Casts between a domain and json or text that call a function. They define the external representation of the domain's values.
select json_build_object(
  'source', c.castsource::regtype::text, 'target', c.casttarget::regtype::text, 'function', c.castfunc::regproc::text)
from pg_cast c
join pg_type source on source.oid = c.castsource
join pg_type target on target.oid = c.casttarget
where c.castcontext = 'i' and c.castmethod = 'f' and has_function_privilege(c.castfunc, 'execute')
  and ((source.typtype = 'd' and c.casttarget in ('json'::regtype, 'text'::regtype))
    or (target.typtype = 'd' and c.castsource in ('json'::regtype, 'text'::regtype)))
