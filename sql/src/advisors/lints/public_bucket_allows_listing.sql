select 'storage' as schema, b.id as name, 'bucket' as type,
       format('Bucket %s is public, so that its files need no policy to be read; policy %I lets everybody list them besides.', b.id,
              p.name) as detail,
       format('drop policy %I on %s;', p.name, p.sql_name) as fix, jsonb_build_object('policy', p.name) as extra
  from storage.buckets b
  join policy p on p.schema = 'storage' and p.table_name = 'objects'
 where b.public and p.is_permissive and p.command in ('r', '*')
   and (0 = any (p.roles) or exists (select from caller_role where oid = any (p.roles)))
   and regexp_replace(p.using_text, '[()\s]|::text', '', 'g') in ('true', format('bucket_id=%L', b.id))
