-- Tests the withdrawal, the merge and the deletion of entries. Only an admin can do these, and the data must be removed completely.
create temporary table pick as
select (select id from public.young_artist_entries where entrant_name = 'Gilly Ferrier') as gilly,
       (select id from public.young_citizen_nominations order by created_at limit 1) as citizen;
grant select on pick to public;

-- Visitors, judges and signed-in users without the role are refused.
create temporary table call (statement text);
grant select on call to public;
insert into call values
  ('select * from public.entry_files(''artist'', (select gilly from pick))'),
  ('select * from public.entry_mail(''artist'', (select gilly from pick))'),
  ('select public.delete_entry(''artist'', (select gilly from pick))'),
  ('select public.merge_entries(''artist'', (select gilly from pick), array[gen_random_uuid()])');
select expect.caller('anon');
select expect.refused(statement, '42501') from call;
select expect.refused('insert into public.young_artist_entries (entrant_name, age, parent_guardian_email, category, withdrawn_at) values (''A'', 12, ''p@example.org'', ''senior'', null)', '42501');
select expect.caller('judge');
select expect.refused(statement, '42501') from call;
select expect.refused('select withdrawn_at from public.young_artist_entries', '42501');
select expect.refused('update public.young_artist_entries set withdrawn_at = now()', '42501');
select expect.caller('stranger');
select expect.refused(statement, '42501') from call;
select expect.refused('select * from club.entry_mail(''artist'', (select gilly from pick))', '42501');
select expect.refused('select * from cloch.mails_about(array[''a''])', '42501');
select expect.affected('update public.young_artist_entries set withdrawn_at = now()', 0);
-- A plain DELETE would leave personal data in the audit log. Therefore it is refused even for an admin.
select expect.caller('admin');
select expect.refused('delete from public.young_artist_entries', '42501');
select expect.refused('delete from public.young_citizen_nominations', '42501');
select expect.refused('select * from cloch.mails_about(array[''a''])', '42501');

-- After a withdrawal, judges can no longer read the entry or its files, nor give it a place, and the totals do not include it. When an admin undoes
-- the withdrawal, all of this is possible again.
select expect.caller('judge');
select expect.value('select count(*) from public.young_artist_entries join pick on id = gilly', '1');
select expect.value('select count(*) from storage.objects where name like ''artist/gilly%''', '1');
create temporary table seen as select sum(entries) as entries from public.award_counts();
grant select on seen to public;
select expect.caller('admin');
select expect.affected('update public.young_artist_entries set withdrawn_at = ''now'' from pick where id = gilly', 1);
select expect.caller('judge');
select expect.value('select count(*) from public.young_artist_entries join pick on id = gilly', '0');
select expect.value('select count(*) from storage.objects where name like ''artist/gilly%''', '0');
select expect.affected('update public.young_artist_entries set senior_ranking = null from pick where id = gilly', 0);
select expect.value('select sum(c.entries) - max(s.entries) from public.award_counts() as c, seen as s', '-1');
select expect.caller('admin');
select expect.value('select changes ? ''withdrawn_at'' from public.audit_log join pick on record_id = gilly order by changed_at desc limit 1', 'true');
select expect.affected('update public.young_artist_entries set withdrawn_at = null from pick where id = gilly', 1);
select expect.caller('judge');
select expect.value('select count(*) from public.young_artist_entries join pick on id = gilly', '1');

-- A merge: the kept entry receives the files of the other entries, and those values that it lacks. If a value differs, the history of the
-- kept entry contains the value of the other entry.
select expect.caller('admin');
insert into public.young_artist_entries
  (id, entrant_name, age, school, parent_guardian_email, parent_guardian_name, category, artwork_title, senior_ranking, uploaded_files, created_at) values
  ('00000000-0000-4000-8000-000000000101', 'Ann O''Hara', 14, 'Ashton', 'p@example.org', '', 'senior', 'Kept', null, '{artist/ann-o-hara/1760000000000-a.jpg}', now() - interval '3 hours'),
  ('00000000-0000-4000-8000-000000000102', 'Ann O''Hara', 14, null, 'p@example.org', 'Older', 'senior', 'Other', null, '{artist/ann-o-hara/1760000000000-a.jpg,artist/ann-o-hara/1760000000001-b.jpg}', now() - interval '2 hours'),
  ('00000000-0000-4000-8000-000000000103', 'Ann O''Hara', 14, null, 'p@example.org', 'Newest', 'senior', '', 2, null, now() - interval '1 hour');
update public.young_artist_entries set inspiration = 'the shore' where id = '00000000-0000-4000-8000-000000000102';
select expect.refused('select public.merge_entries(''artist'', ''00000000-0000-4000-8000-000000000101'', ''{}'')', 'P0001');
select expect.refused('select public.merge_entries(''artist'', ''00000000-0000-4000-8000-000000000101'', array[gilly, gen_random_uuid()]) from pick', 'P0001');
select expect.refused('select public.merge_entries(''none'', ''00000000-0000-4000-8000-000000000101'', array[gilly]) from pick', 'P0001');
select expect.value('select public.merge_entries(''artist'', ''00000000-0000-4000-8000-000000000101'', ''{00000000-0000-4000-8000-000000000102,00000000-0000-4000-8000-000000000103}'')', '2');
select expect.value('select count(*) from public.young_artist_entries where entrant_name = ''Ann O''''Hara''', '1');
select expect.value('select concat_ws('' '', artwork_title, parent_guardian_name, inspiration, senior_ranking, array_to_string(uploaded_files, '','')) from public.young_artist_entries where entrant_name = ''Ann O''''Hara''',
  'Kept Newest the shore 2 artist/ann-o-hara/1760000000000-a.jpg,artist/ann-o-hara/1760000000001-b.jpg');
select expect.value('select count(*) from public.audit_log where record_id = ''00000000-0000-4000-8000-000000000101'' and action = ''merge'' and changes -> ''artwork_title'' ->> ''from'' = ''Other''', '1');
select expect.value('select count(*) from public.audit_log where record_id = ''00000000-0000-4000-8000-000000000101'' and changes -> ''inspiration'' ->> ''to'' = ''the shore'' and action = ''update''', '2');
-- The audit log records that the other entries were deleted, but not their values.
select expect.value('select string_agg(distinct action || coalesce(changes::text, ''''), '' '') from public.audit_log where record_id in (''00000000-0000-4000-8000-000000000102'', ''00000000-0000-4000-8000-000000000103'')', 'delete');

-- Deletion on request. The files must be deleted first.
select expect.caller('owner');
insert into storage.objects (bucket_id, name) values
  ('youth-awards-submissions', 'artist/ann-o-hara/1760000000000-a.jpg'),
  ('youth-awards-submissions', 'artist/ann-o-hara/1760000000009-forgotten.jpg'),
  ('youth-awards-submissions', 'additional-files/ann-o-hara/1760000000001-more.pdf'),
  ('youth-awards-submissions', 'artist/entrant/1760000000001-shared.jpg'),
  ('youth-awards-submissions', 'exports/submissions.csv'),
  ('music-uploads', 'ann-o-hara/1760000000001-air.mp3'),
  ('youth-awards-submissions', 'additional-files/other-name/1760000000002-late.pdf');
insert into public.extra_files (id, kind, entrant_name, additional_info, uploaded_files) values
  ('00000000-0000-4000-8000-000000000111', 'additional', 'ann o’hara', 'A secret of hers', '{additional-files/other-name/1760000000002-late.pdf}'),
  ('00000000-0000-4000-8000-000000000112', 'additional', 'Annie Hara', null, '{additional-files/annie-hara/1760000000003-a.pdf}');
insert into cloch.mail_outbox (kind, recipients, subject, html, body_text, requested_by, state) values
  ('send-email', '{a@example.org}', 'Young Artist Entry - Ann O''Hara', '', '', null, 'queued'),
  ('send-email', '{b@example.org}', 'Additional files', '', E'from Ann\nO''Hara', null, 'sent'),
  ('send-email', '{c@example.org}', 'an export', '', '', gen_random_uuid(), 'sent'),
  ('send-email', '{d@example.org}', 'about somebody else', '', 'Annie', null, 'sent');
select expect.caller('admin');
update public.young_artist_entries set school = 'A secret' where id = '00000000-0000-4000-8000-000000000101';
select expect.value('select string_agg(name, '' '') from public.entry_files(''artist'', ''00000000-0000-4000-8000-000000000101'')',
  'ann-o-hara/1760000000001-air.mp3 additional-files/ann-o-hara/1760000000001-more.pdf additional-files/other-name/1760000000002-late.pdf artist/ann-o-hara/1760000000000-a.jpg artist/ann-o-hara/1760000000009-forgotten.jpg exports/submissions.csv');
select expect.value('select string_agg(kind || '' '' || mails, '', '') from public.entry_mail(''artist'', ''00000000-0000-4000-8000-000000000101'')', 'send-email 3');
-- If another entry has the same name, the list contains only files that certainly belong to this entry.
insert into public.young_musician_entries (id, entrant_name, age, parent_guardian_email, category) values
  ('00000000-0000-4000-8000-000000000104', 'Ann O’Hara', 14, 'q@example.org', 'vocal');
select expect.value('select string_agg(name, '' '') from public.entry_files(''artist'', ''00000000-0000-4000-8000-000000000101'')',
  'artist/ann-o-hara/1760000000000-a.jpg artist/ann-o-hara/1760000000009-forgotten.jpg exports/submissions.csv');
select expect.value('select string_agg(kind || '' '' || mails, '', '') from public.entry_mail(''artist'', ''00000000-0000-4000-8000-000000000101'')', 'send-email 1');
select expect.value('select count(*) from public.entry_files(''artist'', gen_random_uuid())', '0');
select expect.value('select count(*) from public.entry_mail(''artist'', gen_random_uuid())', '0');
select expect.refused('select public.delete_entry(''musician'', ''00000000-0000-4000-8000-000000000104'')', 'P0001');
select set_config('storage.allow_delete_query', 'true', true);
select expect.affected('delete from storage.objects where name like ''exports/%''', 1);
select expect.value('select public.delete_entry(''musician'', ''00000000-0000-4000-8000-000000000104'')', '1');
select expect.refused('select public.delete_entry(''artist'', ''00000000-0000-4000-8000-000000000101'')', 'P0001');
delete from storage.objects using public.entry_files('artist', '00000000-0000-4000-8000-000000000101') as f
 where objects.bucket_id = f.bucket_id and objects.name = f.name;
select expect.value('select public.delete_entry(''artist'', ''00000000-0000-4000-8000-000000000101'')', '2');
select expect.refused('select public.delete_entry(''artist'', ''00000000-0000-4000-8000-000000000101'')', 'P0001');
select expect.value('select count(*) from public.young_artist_entries where entrant_name = ''Ann O''''Hara''', '0');
select expect.value('select string_agg(action || '' '' || actor_email || coalesce(changes::text, ''''), '','') from public.audit_log where record_id = ''00000000-0000-4000-8000-000000000101''', 'delete admin@example.org');
select expect.value('select count(*) from public.audit_log where changes::text like ''%A secret%''', '0');
select expect.value('select string_agg(entrant_name, '','') from public.extra_files where id::text like ''%0011_''', 'Annie Hara');
select expect.value('select string_agg(action || coalesce(changes::text, ''''), '','') from public.audit_log where record_id = ''00000000-0000-4000-8000-000000000111''', 'delete');
select expect.caller('owner');
select expect.value('select string_agg(name, '' '') from storage.objects where name like ''%ann-o-hara%'' or name like ''%other-name%''', null);
reset role;
select expect.value('select string_agg(subject, '', '') from cloch.mail_outbox', 'about somebody else');
-- The function that deletes entries has to change the audit log. Afterwards, the log is protected again.
select expect.caller('admin');
select expect.refused('delete from public.audit_log', '42501');
