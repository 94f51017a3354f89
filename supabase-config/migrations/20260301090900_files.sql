-- The two private buckets, and who may put what where. Paths are
-- form type / entrant's slug / timestamp-name, and slug / timestamp-name for music.

insert into storage.buckets (id, name, public, file_size_limit, allowed_mime_types)
values
  (
    'youth-awards-submissions', 'youth-awards-submissions', false, 10 * 1024 * 1024,
    array[
      -- Pictures; not SVG, which can carry scripts.
      'image/jpeg', 'image/png', 'image/gif', 'image/webp', 'image/avif', 'image/bmp',
      'image/tiff', 'image/heic', 'image/heif',
      'audio/*',
      'application/pdf',
      'application/msword',
      'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
      'text/plain', 'text/plain;charset=UTF-8', 'text/plain; charset=utf-8'
    ]
  ),
  ('music-uploads', 'music-uploads', false, 10 * 1024 * 1024, array['audio/*'])
on conflict (id) do update
  set public = excluded.public,
      file_size_limit = excluded.file_size_limit,
      allowed_mime_types = excluded.allowed_mime_types;

-- Insert and no more: without select and update there is no overwriting, no
-- listing and no reading back.
create policy "Visitors upload entries" on storage.objects
  for insert to anon with check (
    bucket_id = 'youth-awards-submissions'
    and char_length(name) <= 500
    and name ~ '^(artist|photographer|musician|young-citizen|additional-files)/[a-z0-9]+(-[a-z0-9]+)*/[0-9]{10,17}-[^/]+$');

create policy "Visitors upload music" on storage.objects
  for insert to anon with check (
    bucket_id = 'music-uploads'
    and char_length(name) <= 500
    and name ~ '^[a-z0-9]+(-[a-z0-9]+)*/[0-9]{10,17}-[^/]+$');

create policy "Admins keep the club's files" on storage.objects
  for all to authenticated
  using (bucket_id in ('youth-awards-submissions', 'music-uploads') and (select club.is_admin()))
  with check (bucket_id in ('youth-awards-submissions', 'music-uploads') and (select club.is_admin()));
create policy "Admins see the club's buckets" on storage.buckets
  for select to authenticated
  using (id in ('youth-awards-submissions', 'music-uploads') and (select club.is_admin()));

-- A judge reads the files of the entries a judge reads: the policies of the
-- entries decide inside the two subqueries. The folder keeps an entry from
-- showing a file of another award by naming its path.
grant usage on schema storage to judge;
grant select on storage.objects, storage.buckets to judge;
create policy "Judges read the files of what they judge" on storage.objects
  for select to judge using (
    bucket_id = 'youth-awards-submissions'
    and name ~ '^(artist|photographer)/'
    and (
      exists (select from public.young_artist_entries as e where e.uploaded_files @> array[objects.name])
      or exists (select from public.young_photographer_entries as e where e.uploaded_files @> array[objects.name])
    ));
