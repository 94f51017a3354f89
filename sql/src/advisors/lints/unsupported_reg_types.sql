select r.schema, r.name, 'table' as type,
       format('Column %I of %s has type %s, which stops pg_upgrade.', a.attname, r.sql_name, format_type(a.atttypid, a.atttypmod)) as detail,
       format('alter table %s alter column %I type text using %I::text;', r.sql_name, a.attname, a.attname) as fix,
       jsonb_build_object('column', a.attname) as extra
  from relation r
  join pg_attribute a on a.attrelid = r.oid and a.attnum > 0 and not a.attisdropped
 where r.kind in ('r', 'p', 'm')
   and a.atttypid in ('regcollation'::regtype, 'regconfig'::regtype, 'regdictionary'::regtype, 'regnamespace'::regtype, 'regoper'::regtype,
                      'regoperator'::regtype, 'regproc'::regtype, 'regprocedure'::regtype)
