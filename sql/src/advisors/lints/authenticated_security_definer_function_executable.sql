select schema, name, 'function' as type,
       format('Role authenticated may call %s, which runs with the rights of its owner.', sql_name) as detail,
       format('revoke execute on routine %s from authenticated, public;', sql_name)
         || coalesce((select format(' grant execute on routine %s to %s;', sql_name, string_agg(quote_ident(r.rolname), ', ' order by r.rolname))
                        from pg_roles r
                       where r.rolname in ('anon', 'service_role') and has_function_privilege(r.oid, routine.oid, 'execute')), '') as fix,
       jsonb_build_object('arguments', arguments) as extra
  from routine
 where is_exposed and is_definer and prorettype not in ('trigger'::regtype, 'event_trigger'::regtype)
   and exists (select from caller_role c
                where c.role = 'authenticated' and has_schema_privilege(c.oid, schema_oid, 'usage')
                  and has_function_privilege(c.oid, routine.oid, 'execute'))
