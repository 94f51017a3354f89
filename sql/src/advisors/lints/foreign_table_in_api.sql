select schema, name, 'foreign table' as type,
       format('Foreign table %s is open to callers of the API; no policy can guard it.', sql_name) as detail,
       format('revoke all on %s from anon, authenticated, public;', sql_name) as fix, '{}'::jsonb as extra
  from relation
 where is_exposed and kind = 'f' and is_granted
