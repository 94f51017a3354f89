select schema, table_name as name, 'table' as type,
       format('Policy %I on %s believes user_metadata, which users write themselves.', name, sql_name) as detail,
       format('alter policy %I on %s', name, sql_name)
         || coalesce(' using (' || regexp_replace(using_text, '\muser_metadata\M', 'app_metadata', 'g') || ')', '')
         || coalesce(' with check (' || regexp_replace(check_text, '\muser_metadata\M', 'app_metadata', 'g') || ')', '') || ';' as fix,
       jsonb_build_object('policy', name) as extra
  from policy
 where concat_ws(' ', using_text, check_text) ~ '\muser_metadata\M'
   and concat_ws(' ', using_text, check_text) ~ '(auth\.jwt\(\)|request\.jwt)'
