-- The end of a season: seen before it is done, done whole, and nobody else's.
select expect.caller('stranger');
select expect.refused('select * from public.season_report(now())', '42501');
select expect.refused('select * from public.season_files(now())', '42501');
select expect.refused('select public.delete_season(now(), ''x'')', '42501');
select expect.refused('select * from public.duplicate_hints()', '42501');
select expect.value('select count(*) from club.entries', '0');

select expect.caller('admin');
select expect.value('select sum(entries) from public.season_report(now() + interval ''1 second'')', '39');
select expect.value('select count(*) from public.season_report(now() - interval ''1 year'')', '0');
select expect.value('select count(*) from public.season_files(now() + interval ''1 second'')', '3');

-- Files first.
select expect.refused('select public.delete_season(now() + interval ''1 second'', ''2026'')', 'P0001');
select expect.value('select count(*) from club.entries', '39');
select set_config('storage.allow_delete_query', 'true', true);
delete from storage.objects;

update public.young_artist_entries set school = 'A secret' where entrant_name = 'Gilly Ferrier';
select expect.value('select count(*) from public.audit_log where changes::text like ''%A secret%''', '1');
select expect.value('select public.delete_season(now() - interval ''20 days'', ''2026'') > 0', 'true');
select expect.value('select count(*) from public.audit_log where changes::text like ''%A secret%''', '0');
select expect.value('select count(*) from public.audit_log where table_name = ''young_artist_entries'' and action = ''delete'' and changes is not null', '0');
select expect.value('select public.delete_season(now() + interval ''1 second'', ''2026'') > 0', 'true');
select expect.value('select count(*) from club.entries', '0');
select expect.value('select sum(entries) from public.season_totals where season = ''2026''', '39');
select expect.value('select public.delete_season(now(), ''2026'')', '0');

-- The exception ends with the function.
select expect.refused('delete from public.audit_log', '42501');
select expect.refused('update public.season_totals set entries = 0', '42501');

-- Duplicates.
insert into public.young_artist_entries (entrant_name, age, parent_guardian_email, category, uploaded_files) values
  ('Ann O''Hara', 12, 'p@example.org', 'senior', '{artist/a/1760000000000-a.jpg}'),
  ('ann  ohara', 12, 'p@example.org', 'senior', '{artist/a/1760000000001-b.jpg}'),
  ('Other', 12, 'p@example.org', 'senior', '{artist/o/1760000000000-c.jpg}');
select expect.caller('owner');
insert into storage.objects (bucket_id, name, metadata) values
  ('youth-awards-submissions', 'artist/a/1760000000000-a.jpg', '{"eTag": "\"1\"", "size": 5}'),
  ('youth-awards-submissions', 'artist/a/1760000000001-b.jpg', '{"eTag": "\"2\"", "size": 5}'),
  ('youth-awards-submissions', 'artist/o/1760000000000-c.jpg', '{"eTag": "\"1\"", "size": 5}');
select expect.caller('admin');
select expect.value('select string_agg(award || '' '' || kind || '' '' || cardinality(entries), '', '' order by kind) from public.duplicate_hints()', 'artist file 2, artist name 2');
