select schema, name, 'materialized view' as type,
       format('Materialized view %s is read by callers of the API; no policy can guard it.', sql_name) as detail,
       format('revoke all on %s from anon, authenticated, public;', sql_name) as fix, '{}'::jsonb as extra
  from relation
 where is_exposed and kind = 'm' and (anon_reads or authenticated_reads)
