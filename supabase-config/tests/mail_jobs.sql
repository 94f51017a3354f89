-- Tests that every entry queues a mail in the transaction that creates the entry. No caller can read or change the queue.
select expect.caller('owner');
delete from club.mail_jobs;

select expect.caller('anon');
select expect.refused('select * from club.mail_jobs', '42501');
select expect.refused('insert into club.mail_jobs (kind, award, entry) values (''entry'', ''artist'', gen_random_uuid())', '42501');
select expect.refused('update club.mail_jobs set state = ''written''', '42501');
select expect.refused('delete from club.mail_jobs', '42501');
select expect.refused('select club.queue_mail(''entry'', ''artist'', gen_random_uuid())', '42501');
select expect.caller('stranger');
select expect.refused('select * from club.mail_jobs', '42501');
select expect.refused('select club.queue_mail(''entry'', ''artist'', gen_random_uuid())', '42501');
select expect.caller('judge');
select expect.refused('select * from club.mail_jobs', '42501');
select expect.caller('admin');
select expect.refused('select * from club.mail_jobs', '42501');
select expect.refused('delete from club.mail_jobs', '42501');
select expect.caller('service_role');
select expect.refused('select * from club.mail_jobs', '42501');

select expect.caller('anon');
insert into public.young_citizen_nominations (nomination_type, nominee_name, nominee_age, parent_guardian_email, nominator_name, nominator_email, key_achievement, why_deserving)
values ('individual', 'A Nominee', 12, 'parent@example.org', 'A Nominator', 'n@example.org', 'kind', 'true');
insert into public.young_musician_entries (entrant_name, age, parent_guardian_email, category) values ('A Player', 12, 'p@example.org', 'vocal');
insert into public.young_photographer_entries (entrant_name, age, parent_guardian_email, category) values ('A Looker', 12, 'p@example.org', 'senior');
insert into public.young_artist_entries (entrant_name, nominee_name, age, parent_guardian_email, category) values ('A Painter', 'A Nominee', 12, 'p@example.org', 'senior');

select expect.caller('owner');
select expect.value('select string_agg(kind || '' '' || award || '' '' || state, '', '' order by award) from club.mail_jobs where kind = ''entry''',
  'entry artist queued, entry citizen queued, entry musician queued, entry photographer queued');
select expect.value('select count(*) from club.mail_jobs as j join club.entries as e on e.id = j.entry and e.award = j.award where j.kind = ''entry''', '4');
-- Every entry also queues a receipt. No caller can read the receipt's recipient.
select expect.value('select string_agg(r.award || '' '' || r.address, '', '' order by r.award) from club.mail_jobs as j join club.receipts as r using (award, entry) where j.kind = ''receipt''',
  'artist p@example.org, citizen n@example.org, musician p@example.org, photographer p@example.org');
select expect.caller('anon');
select expect.refused('select * from club.receipts', '42501');
select expect.refused('select club.take_receipt(''p@example.org'')', '42501');
select expect.refused('select * from club.submissions', '42501');
select expect.caller('stranger');
select expect.refused('select * from club.submissions', '42501');
select expect.refused('select * from club.receipts', '42501');
select expect.refused('select club.take_receipt(''p@example.org'')', '42501');
select expect.caller('judge');
select expect.refused('select * from club.receipts', '42501');
select expect.refused('select * from club.submissions', '42501');
select expect.caller('admin');
select expect.refused('select * from club.receipts', '42501');
select expect.refused('select * from club.submissions', '42501');
select expect.caller('owner');
-- The mail of a record can be found by the record's submission key.
select expect.value('select count(*) from club.submissions as s join club.mail_jobs as j using (award, entry) join public.young_artist_entries as e on e.submission_key = s.submission_key where j.kind = ''entry''', '1');

-- Additional files and recordings queue a mail in the same way.
select expect.caller('anon');
select expect.refused('insert into public.extra_files (kind, entrant_name, uploaded_files) values (''film'', ''A'', ''{artist/a/1760000000000-a.png}'')', '23514', 'extra_files_kind_is_additional_or_music');
select expect.refused('insert into public.extra_files (kind, entrant_name, uploaded_files) values (''music'', ''A'', ''{}'')', '23514', 'uploaded_files_1_to_50');
select expect.refused('insert into public.extra_files (kind, entrant_name, uploaded_files) values (''music'', ''A'', ''{../a}'')', '23514', 'uploaded_files_are_paths');
select expect.refused('insert into public.extra_files (kind, entrant_name, uploaded_files, created_at) values (''music'', ''A'', ''{a/1760000000000-a.mp3}'', now())', '42501');
select expect.refused('select * from public.extra_files', '42501');
select expect.refused('select * from public.unlisted_recordings()', '42501');
select expect.affected('insert into public.extra_files (kind, entrant_name, uploaded_files) values (''music'', ''Skye Buchanan'', ''{skye-buchanan/1760000000000-air.mp3}'')', 1);
select expect.affected('insert into public.extra_files (kind, entrant_name, organisation, additional_info, uploaded_files) values (''additional'', ''A'', ''S'', ''I'', ''{additional-files/a/1760000000000-a.png}'')', 1);
select expect.caller('stranger');
select expect.value('select count(*) from public.extra_files', '0');
select expect.refused('select * from public.unlisted_recordings()', '42501');
select expect.caller('judge');
select expect.refused('select * from public.extra_files', '42501');
select expect.caller('owner');
select expect.value('select string_agg(award, '' '' order by award) from club.mail_jobs as j join public.extra_files as e on e.id = j.entry', 'additional music');
insert into storage.objects (bucket_id, name) values ('music-uploads', 'rory-sample/1760000000000-reel.mp3');
select expect.caller('admin');
select expect.value('select string_agg(name, '' '') from public.unlisted_recordings()', 'rory-sample/1760000000000-reel.mp3');

-- These rows are deleted together with the season.
insert into public.seasons (name, event_on) values ('next', current_date + 1);
select set_config('storage.allow_delete_query', 'true', true);
delete from storage.objects;
select public.delete_season(now() + interval '1 second', 'next');
select expect.value('select count(*) from public.extra_files', '0');
select expect.value('select count(*) from public.audit_log where table_name = ''extra_files'' and action <> ''delete''', '0');
