select schema, name, 'view' as type,
       format('View %s reads its tables with the rights of its owner: the policies on them do not apply to who asks.', sql_name) as detail,
       format('alter view %s set (security_invoker = true);', sql_name) as fix, '{}'::jsonb as extra
  from relation v
 where is_exposed and kind = 'v' and not is_invoker and (anon_reads or authenticated_reads)
   -- Views of auth.users are left out, because the lint auth_users_exposed reports them and suggests another fix.
   and not exists (select from pg_rewrite w
                     join pg_depend d on d.classid = 'pg_rewrite'::regclass and d.objid = w.oid
                    where w.ev_class = v.oid and d.refclassid = 'pg_class'::regclass and d.refobjid = to_regclass('auth.users'))
