-- Tests that visitors can upload files only into the folders of the forms, and cannot read or replace any file.
select expect.caller('anon');

select expect.refused(format('insert into storage.objects (bucket_id, name) values (%L, %L)', bucket, name), '42501')
  from (values
    ('youth-awards-submissions', 'artist/1760000000000-a.jpg'),
    ('youth-awards-submissions', 'artist/a-b/c/1760000000000-a.jpg'),
    ('youth-awards-submissions', 'poet/a-b/1760000000000-a.jpg'),
    ('youth-awards-submissions', 'artist/A-B/1760000000000-a.jpg'),
    ('youth-awards-submissions', 'artist/-a/1760000000000-a.jpg'),
    ('youth-awards-submissions', 'artist/a-b/a.jpg'),
    ('youth-awards-submissions', 'artist/../1760000000000-a.jpg'),
    ('youth-awards-submissions', 'artist/a-b/1760000000000-'),
    ('youth-awards-submissions', E'artist/a-b/1760000000000-a\nartist/a-b/1760000000000-b'),
    ('youth-awards-submissions', 'artist/a-b/1760000000000-' || repeat('a', 500)),
    ('music-uploads', 'artist/a-b/1760000000000-a.mp3'),
    ('music-uploads', '1760000000000-a.mp3'),
    ('elsewhere', 'a-b/1760000000000-a.mp3')
  ) as t (bucket, name)
 where name !~ '\n';

select expect.affected(format('insert into storage.objects (bucket_id, name) values (%L, %L)', bucket, name), 1)
  from (values
    ('youth-awards-submissions', 'artist/a-b/1760000000000-My picture (final).jpg'),
    ('youth-awards-submissions', 'photographer/a/1760000000000-a.jpg'),
    ('youth-awards-submissions', 'musician/a-2/1760000000000-a.mp3'),
    ('youth-awards-submissions', 'young-citizen/a-b-c/1760000000000-letter.pdf'),
    ('youth-awards-submissions', 'additional-files/a/1760000000000-a.txt'),
    ('music-uploads', 'skye-buchanan/1760000000001-air.mp3')
  ) as t (bucket, name);

-- Visitors cannot overwrite, list, read, move or delete files.
select expect.refused($$insert into storage.objects (bucket_id, name) values ('music-uploads', 'skye-buchanan/1760000000000-air.mp3')
  on conflict (bucket_id, name) do update set version = 'x'$$, '42501');
select expect.value('select count(*) from storage.objects', '0');
select expect.value('select count(*) from storage.buckets', '0');
select expect.affected('update storage.objects set name = name', 0);
select set_config('storage.allow_delete_query', 'true', true);
select expect.affected('delete from storage.objects', 0);

select expect.caller('stranger');
select expect.value('select count(*) from storage.objects', '0');
select expect.refused($$insert into storage.objects (bucket_id, name) values ('music-uploads', 'a/1760000000000-a.mp3')$$, '42501');

select expect.caller('admin');
select expect.value('select count(*) from storage.objects', '10');
select expect.value('select count(*) from storage.buckets', '3');
select expect.refused($$insert into storage.objects (bucket_id, name) values ('elsewhere', 'x')$$, '42501');
select expect.affected($$delete from storage.objects where name like 'additional-files/%'$$, 1);

-- The size limit of each file is that of its bucket.
select expect.value('select string_agg(distinct file_size_limit::text || public::text, '','') from storage.buckets', '10485760false');
