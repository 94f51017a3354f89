-- Photographs of the boats are public. Documents are for members.
insert into storage.buckets (id, name, public, file_size_limit, allowed_mime_types) values
  ('boats', 'boats', true, 2097152, '{image/jpeg,image/png,image/webp}'),
  ('documents', 'documents', false, 10485760, null);

create policy "members read documents" on storage.objects for select to authenticated using (bucket_id = 'documents');
