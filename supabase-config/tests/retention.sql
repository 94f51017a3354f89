-- Tests the deletion of a season's data. The data is listed before the deletion; the deletion is complete and affects only this season.
select expect.caller('stranger');
select expect.refused('select * from public.season_report(now())', '42501');
select expect.refused('select * from public.season_files(now())', '42501');
select expect.refused('select * from public.season_mail(now())', '42501');
select expect.refused('select * from club.season_mail(now())', '42501');
select expect.refused('select public.delete_season(now(), ''x'')', '42501');
select expect.refused('select * from public.duplicate_hints()', '42501');
select expect.value('select count(*) from club.entries', '0');

select expect.caller('admin');
select expect.value('select sum(entries) from public.season_report(now() + interval ''1 second'')', '39');
select expect.value('select count(*) from public.season_report(now() - interval ''1 year'')', '0');
select expect.value('select count(*) from public.season_files(now() + interval ''1 second'')', '3');
select expect.value('select string_agg(kind || '' '' || mails, '', '') from public.season_mail(now() + interval ''1 second'')', 'guest letters 1');

-- A season has a date by which its data must be deleted.
insert into public.seasons (name, event_on) values ('2025-26', '2025-11-13');
select expect.value('select ends_at = ''2025-11-14 00:00+00'' and due_on = ''2026-02-13'' from public.seasons where name = ''2025-26''', 'true');
select expect.refused('insert into public.seasons (name, event_on) values ('' '', now())', '23514', 'season_name_1_to_50_characters');
select expect.refused('insert into public.seasons (name, event_on) values (''2025-26'', now())', '23505', 'seasons_name_key');
select expect.refused('update public.seasons set deleted_at = now()', '42501');
select expect.refused('delete from public.seasons', '42501');
select expect.refused('select public.delete_season(now() + interval ''2 days'', ''2026'')', 'P0001');

-- All exports are listed, regardless of when they were created. Files of later entries are not listed.
reset role;
insert into storage.objects (bucket_id, name, created_at) values
  ('youth-awards-submissions', 'exports/submissions.csv', now()),
  ('youth-awards-submissions', 'exports/old.csv', now() - interval '8 days'),
  ('youth-awards-submissions', 'artist/early/1760000000000-early.jpg', now() - interval '2 years'),
  ('youth-awards-submissions', 'artist/kept/1760000000000-kept.jpg', now() - interval '2 years');
update public.young_artist_entries
   set uploaded_files = '{artist/kept/1760000000000-kept.jpg}', created_at = now() - interval '1 hour'
 where id = (select id from public.young_artist_entries where entrant_name <> 'Gilly Ferrier' limit 1);
insert into cloch.mail_outbox (kind, recipients, subject, html, body_text, requested_by, state, created_at) values
  ('send-email', '{a@example.org}', 'an entry', '', '', null, 'delivered', now() - interval '2 years'),
  ('invite', '{b@example.org}', 'an invitation', '', '', null, 'sent', now() - interval '2 years'),
  ('send-email', '{c@example.org}', 'an export', '', '', gen_random_uuid(), 'sent', now()),
  ('send-email', '{d@example.org}', 'next season', '', '', null, 'sent', now() + interval '1 minute');
select expect.caller('admin');
select expect.value('select string_agg(name, '' '') from public.season_files(now() - interval ''1 year'')', 'artist/early/1760000000000-early.jpg exports/old.csv exports/submissions.csv');
select expect.value('select string_agg(kind || '' '' || mails, '', '') from public.season_mail(now() - interval ''1 year'')', 'invite 1, send-email 2');
select expect.refused('select subject from cloch.mail_outbox', '42501');
select expect.refused('delete from cloch.mail_outbox', '42501');

-- Exports are deleted when the link to them has expired.
select expect.refused('select club.sweep_exports()', '42501');
select expect.caller('owner');
select expect.value('select club.sweep_exports()', '1');
select expect.value('select count(*) from storage.objects where name like ''exports/%''', '1');
select expect.caller('admin');

-- Files first.
select expect.refused('select public.delete_season(now() + interval ''1 second'', ''2026'')', 'P0001');
select expect.value('select count(*) from club.entries', '39');
select set_config('storage.allow_delete_query', 'true', true);
delete from storage.objects;

-- A withdrawn entry is deleted too. The totals do not include it.
update public.young_artist_entries set withdrawn_at = now() where entrant_name = 'Poppy McIver';
update public.young_artist_entries set school = 'A secret' where entrant_name = 'Gilly Ferrier';
select expect.value('select count(*) from public.audit_log where changes::text like ''%A secret%''', '1');
select expect.value('select public.delete_season(now() - interval ''20 days'', ''2026'') > 0', 'true');
select expect.value('select count(*) from public.audit_log where changes::text like ''%A secret%''', '0');
select expect.value('select count(*) from public.audit_log where table_name = ''young_artist_entries'' and action = ''delete'' and changes is not null', '0');
select expect.value('select public.delete_season(now() + interval ''1 second'', ''2026'') > 0', 'true');
select expect.value('select count(*) from club.entries', '0');
select expect.value('select sum(entries) from public.season_totals where season = ''2026'' and category <> ''on paper''', '38');
select expect.value('select count(*) from public.offline_submissions', '0');
select expect.value('select sum(entries) > 0 from public.season_totals where season = ''2026'' and category = ''on paper''', 'true');
select expect.value('select count(*) from public.guest_letters', '0');
select expect.value('select public.delete_season(now(), ''2026'')', '0');

select expect.value('select public.delete_season(now() - interval ''1 year'', ''2025-26'')', '0');
select expect.value('select deleted_at is not null from public.seasons where name = ''2025-26''', 'true');
reset role;
select expect.value('select string_agg(subject, '', '') from cloch.mail_outbox', 'next season');
select expect.caller('admin');

-- After the function that deletes the season has run, the audit log is protected again.
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
