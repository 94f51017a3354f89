select schema, table_name as name, 'table' as type,
       format('Policy %I on %s lets %s %s every row.', name, sql_name,
              case when 0 = any (roles) then 'everybody'
                   else (select string_agg(role, ', ' order by role) from caller_role where oid = any (roles)) end,
              case command when 'a' then 'insert' when 'w' then 'update' when 'd' then 'delete' else 'change' end) as detail,
       format('drop policy %I on %s;', name, sql_name) as fix, jsonb_build_object('policy', name) as extra
  from policy
 where is_permissive and command <> 'r' and (0 = any (roles) or exists (select from caller_role where oid = any (roles)))
   and ((command <> 'a' and using_text = 'true') or check_text = 'true')
