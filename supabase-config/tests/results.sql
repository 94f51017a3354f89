-- Tests that the results page shows the names and pictures only of people who have consented, and only as long as the consent is valid.
select expect.caller('owner');
delete from public.site_results;
delete from public.young_artist_entries;
delete from public.young_photographer_entries;
delete from public.young_citizen_nominations;
delete from public.young_musician_entries;
insert into public.young_artist_entries (id, entrant_name, age, school, parent_guardian_email, category, artwork_title, senior_ranking, publicity_consent, uploaded_files) values
  ('00000000-0000-4000-8000-000000000201', 'Ann', 15, 'Shore Academy', 'ann@example.org', 'senior', 'Tide', 1, 'agree', '{artist/ann/1760000000000-ann.doc,artist/ann/1760000000001-ann.JPG,artist/ann/1760000000002-ann.png}'),
  ('00000000-0000-4000-8000-000000000202', 'Bob', 15, null, 'bob@example.org', 'senior', null, 2, 'disagree', '{artist/bob/1760000000000-bob.jpg}'),
  ('00000000-0000-4000-8000-000000000203', 'Cat', 15, null, 'cat@example.org', 'senior', null, 3, null, '{artist/cat/1760000000000-cat.jpg}'),
  ('00000000-0000-4000-8000-000000000204', 'Dan', 15, null, 'dan@example.org', 'senior', null, null, 'agree', '{artist/dan/1760000000000-dan.jpg}');
insert into public.young_citizen_nominations (id, nomination_type, nominee_name, nominee_age, parent_guardian_email, nominator_name, nominator_email, key_achievement, why_deserving)
values ('00000000-0000-4000-8000-000000000205', 'group', 'Helpers', 15, 'h@example.org', 'N', 'n@example.org', 'a', 'b');
insert into public.entry_mails (award, entry, state) values ('citizen', '00000000-0000-4000-8000-000000000205', 'winner');
insert into storage.objects (bucket_id, name) values
  ('youth-awards-submissions', 'artist/ann/1760000000000-ann.doc'), ('youth-awards-submissions', 'artist/ann/1760000000001-ann.JPG'),
  ('youth-awards-submissions', 'artist/ann/1760000000002-ann.png'), ('youth-awards-submissions', 'artist/bob/1760000000000-bob.jpg'),
  ('youth-awards-submissions', 'artist/dan/1760000000000-dan.jpg');

select expect.caller('anon');
select expect.refused('select public.take_results(null, null)', '42501');
select expect.refused('select * from public.listed_results()', '42501');
select expect.refused('select * from public.site_results', '42501');
select expect.refused('select * from club.public_entries', '42501');
select expect.caller('judge');
select expect.refused('select public.take_results(null, null)', '42501');
select expect.refused('select * from club.public_entries', '42501');
select expect.caller('stranger');
select expect.refused('select public.take_results(null, null)', '42501');
select expect.value('select count(*) from club.public_entries', '0');
select expect.caller('admin');
select expect.refused('insert into public.site_results (award, entry) values (''artist'', ''00000000-0000-4000-8000-000000000202'')', '23514');
select expect.refused('insert into public.site_results (award, entry) values (''citizen'', ''00000000-0000-4000-8000-000000000201'')', '23514');
-- Only administrators can see whether a consent is recorded for an entry.
select expect.caller('stranger');
select expect.refused(format('insert into public.site_results (award, entry) values (''artist'', %L)', entry), '42501')
  from unnest(array['00000000-0000-4000-8000-000000000201', '00000000-0000-4000-8000-000000000202']) as entry;
select expect.caller('admin');

-- Entries without a recorded consent are not added to the list. A nominee is added when the consent has been recorded.
select expect.value('select public.take_results(now() + interval ''1 day'', null)', '0');
select expect.value('select public.take_results(null, null)', '1');
update public.young_citizen_nominations set publicity_consent = 'agree' where nominee_name = 'Helpers';
select expect.value('select public.take_results(null, null)', '1');
select expect.value('select public.take_results(null, null, true)', '1');
select expect.value('select string_agg(concat_ws('' '', award, kind, name, place), '', '') from public.listed_results()', 'citizen result Helpers, artist result Ann 1, artist picture Dan');
select expect.value('select has_changes from public.site_status()', 'true');
select expect.value('select jsonb_array_length(public.draft_content() -> ''results'')', '2');
select expect.caller('anon');
select expect.value('select (public.published_content() ->> ''results'') || (public.published_content() ->> ''gallery'')', '[][]');
select expect.value('select count(*) from storage.objects', '0');

select expect.caller('admin');
select public.publish_site();
select expect.value('select has_changes from public.site_status()', 'false');
select expect.caller('anon');
select expect.value('select public.published_content() ->> ''results''',
  '[{"rows": [{"name": "Helpers", "title": "", "result": "Winner", "category": "Group"}], "award": "Young Citizen Award"}, {"rows": [{"name": "Ann", "title": "Tide", "result": "1st place", "category": "Senior"}], "award": "Young Artist Award"}]');
select expect.value('select string_agg(g ->> ''alt'', ''; '') from jsonb_array_elements(public.published_content() -> ''gallery'') as g', 'Tide, by Ann; Picture by Dan');
-- Visitors can download the pictures. They cannot create signed URLs, because these would still work after a withdrawal. Nobody can read copies and
-- old versions.
select expect.value(format('with o as (select set_config(''storage.operation'', %L, true)) select count(name) from o left join storage.objects on true', operation), '0')
  from unnest(array['', 'storage.object.sign', 'storage.object.sign_many', 'storage.object.copy', 'storage.object.list', 'storage.object.list_v2', 'storage.s3.object.get']) as operation;
select set_config('storage.operation', 'storage.render.image_authenticated', true);
select expect.value('select count(*) from storage.objects', '2');
select set_config('storage.operation', 'storage.object.get_authenticated', true);
select expect.value('select string_agg(name, '' '' order by name) from storage.objects', 'artist/ann/1760000000001-ann.JPG artist/dan/1760000000000-dan.jpg');
select expect.caller('owner');
update storage.objects set archived_at = now() where name = 'artist/dan/1760000000000-dan.jpg';
select expect.caller('anon');
select expect.value('select string_agg(name, '' '') from storage.objects', 'artist/ann/1760000000001-ann.JPG');
select expect.caller('owner');
update storage.objects set archived_at = null where name = 'artist/dan/1760000000000-dan.jpg';
select expect.caller('anon');
-- The page contains no other entrants, and no other data of an entry.
select expect.value('select public.published_content()::text ~ ''Bob|Cat|Shore Academy|example.org|00000000-0000-4000''', 'false');

-- The page changes at once when a consent is withdrawn, or when an entry is withdrawn or deleted.
select expect.caller('admin');
update public.young_artist_entries set publicity_consent = 'disagree' where entrant_name = 'Ann';
update public.young_artist_entries set withdrawn_at = now() where entrant_name = 'Dan';
select expect.caller('anon');
select expect.value('select string_agg(r ->> ''award'', '' '') from jsonb_array_elements(public.published_content() -> ''results'') as r', 'Young Citizen Award');
select expect.value('select public.published_content() ->> ''gallery''', '[]');
select expect.value('select count(*) from storage.objects', '0');
select expect.caller('admin');
select expect.value('select string_agg(concat_ws('' '', award, coalesce(name, ''-'')), '', '') from public.listed_results()', 'citizen Helpers, artist -, artist -');
select expect.caller('owner');
delete from public.young_citizen_nominations;
select expect.value('select count(*) from public.site_results where award = ''citizen''', '0');
select expect.caller('anon');
select expect.value('select public.published_content() ->> ''results''', '[]');
