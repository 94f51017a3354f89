select schema, table_name as name, 'table' as type,
       format('Policy %I on %s calls auth.… or current_setting() for each row; in a subselect it is called once.', name, sql_name) as detail,
       format('alter policy %I on %s', name, sql_name)
         || coalesce(' using (' || regexp_replace(using_text, call, '(select \1)', 'g') || ')', '')
         || coalesce(' with check (' || regexp_replace(check_text, call, '(select \1)', 'g') || ')', '') || ';' as fix,
       jsonb_build_object('policy', name) as extra
  from policy,
       (values ('(?<!SELECT \(*)(auth\.(?:uid|jwt|role|email)\(\)|\mcurrent_setting\([^()]*\))')) as pattern (call)
 where concat_ws(' ', using_text, check_text) ~ call
