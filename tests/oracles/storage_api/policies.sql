-- Policies of the recorded oracle of storage. The suite executes this file on Cloch and on the reference server.
drop policy if exists "own files" on storage.objects;
create policy "own files" on storage.objects for all to authenticated
  using (bucket_id like 'own%' and owner_id = (select auth.uid()::text))
  with check (bucket_id like 'own%' and owner_id = (select auth.uid()::text));
drop policy if exists "insert only" on storage.objects;
create policy "insert only" on storage.objects for insert to anon with check (bucket_id = 'drop');
drop policy if exists "select only" on storage.objects;
create policy "select only" on storage.objects for select to anon, authenticated using (bucket_id = 'read');
drop policy if exists "folder" on storage.objects;
create policy "folder" on storage.objects for all to authenticated
  using (bucket_id like 'folder%' and (storage.foldername(name))[1] = 'u')
  with check (bucket_id like 'folder%' and (storage.foldername(name))[1] = 'u');
drop policy if exists "buckets select" on storage.buckets;
create policy "buckets select" on storage.buckets for select to authenticated using (id like 'own%');
drop policy if exists "buckets insert" on storage.buckets;
create policy "buckets insert" on storage.buckets for insert to authenticated with check (id like 'user-%');

-- What a policy sees: the first folder of a name is a question, the second folder the answer that passes.
create or replace function public.probe(name text, metadata jsonb, user_metadata jsonb, version text, owner text) returns boolean
language sql stable as $$
  select case split_part(name, '/', 1)
    when 'operation' then storage.operation()
    when 'size' then coalesce(metadata ->> 'size', 'null')
    when 'length' then coalesce(metadata ->> 'contentLength', 'null')
    when 'type' then replace(coalesce(metadata ->> 'mimetype', 'null'), '/', '_')
    when 'cache' then coalesce(metadata ->> 'cacheControl', 'null')
    when 'metadata' then case when metadata is null then 'null' else 'set' end
    when 'custom' then coalesce(user_metadata ->> 'k', 'null')
    when 'version' then case when version is null then 'null' else 'set' end
    when 'owner' then coalesce(owner, 'null')
    when 'method' then current_setting('request.method', true)
    when 'role' then current_user::text
    when 'any' then split_part(name, '/', 2)
  end = split_part(name, '/', 2)
$$;
drop policy if exists "probe" on storage.objects;
create policy "probe" on storage.objects for all to authenticated
  using (bucket_id like 'probe%' and public.probe(name, metadata, user_metadata, version, owner_id))
  with check (bucket_id like 'probe%' and public.probe(name, metadata, user_metadata, version, owner_id));
