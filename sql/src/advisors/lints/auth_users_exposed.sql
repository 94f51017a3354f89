select schema, name, type,
       format('%s %s shows rows of auth.users with the rights of its owner, and callers of the API may read it.', type, sql_name) as detail,
       format('revoke all on %s from anon, authenticated, public;', sql_name) as fix, '{}'::jsonb as extra
  from relation v
 where is_exposed and kind in ('v', 'm') and (anon_reads or authenticated_reads) and (kind = 'm' or not is_invoker)
   and exists (select from pg_rewrite w
                 join pg_depend d on d.classid = 'pg_rewrite'::regclass and d.objid = w.oid
                where w.ev_class = v.oid and d.refclassid = 'pg_class'::regclass and d.refobjid = to_regclass('auth.users'))
