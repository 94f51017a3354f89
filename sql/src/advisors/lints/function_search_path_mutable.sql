select schema, name, 'function' as type,
       format('Function %s finds tables and functions by the search_path of whoever calls it.', sql_name) as detail,
       format('alter routine %s set search_path = %I, extensions, pg_temp;', sql_name, schema) as fix,
       jsonb_build_object('arguments', arguments) as extra
  from routine
 where language not in ('internal', 'c') and not is_parsed
   and not exists (select from unnest(proconfig) setting where setting like 'search\_path=%')
