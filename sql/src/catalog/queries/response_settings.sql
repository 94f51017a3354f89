-- Whether anything in the database speaks of the settings that shape an answer; if not, no request has to look for them.
select to_json(
  exists (
    select from pg_proc p join pg_namespace n on n.oid = p.pronamespace
    where n.nspname not in ('pg_catalog', 'information_schema')
      and (p.prosrc ~* 'response' or pg_get_function_sqlbody(p.oid) ~* 'response'))
  or exists (select from pg_views where schemaname not in ('pg_catalog', 'information_schema') and definition ~* 'response')
  or exists (select from pg_policies where qual ~* 'response' or with_check ~* 'response')
  or exists (select from pg_attrdef where pg_get_expr(adbin, adrelid) ~* 'response')
  or exists (select from pg_constraint where contype = 'c' and pg_get_constraintdef(oid) ~* 'response'))
