-- Tests that the website shows only those parts of an entry that an admin has reviewed. A correction or a merge removes the entry from the
-- website. Also tests the size limit of the published content.
create function expect.results() returns text language sql as $$
  select string_agg(row ->> 'name', ' ' order by row ->> 'name')
    from jsonb_array_elements(public.published_content() -> 'results') as award cross join jsonb_array_elements(award -> 'rows') as row
$$;
grant execute on all routines in schema expect to public;
select expect.caller('owner');
delete from public.seasons;
delete from public.site_results;
delete from public.young_artist_entries;
delete from public.young_photographer_entries;
delete from public.young_musician_entries;
delete from public.young_citizen_nominations;
insert into public.young_artist_entries (id, entrant_name, age, parent_guardian_email, category, artwork_title, senior_ranking, publicity_consent, uploaded_files) values
  ('00000000-0000-4000-8000-000000000301', 'Ann', 15, 'ann@example.org', 'senior', 'Tide', 1, 'agree', null),
  ('00000000-0000-4000-8000-000000000302', 'Bob', 15, 'bob@example.org', 'senior', null, 2, 'agree', '{artist/bob/1760000000000-bob.jpg}'),
  ('00000000-0000-4000-8000-000000000303', 'Cat', 15, 'cat@example.org', 'senior', null, 3, 'agree', null),
  ('00000000-0000-4000-8000-000000000304', 'Cat', 15, 'cat@example.org', 'senior', null, null, 'disagree', '{artist/cat/1760000000000-cat.jpg}'),
  ('00000000-0000-4000-8000-000000000305', 'Bob', 15, 'bob@example.org', 'senior', 'Shore', null, 'agree', '{artist/bob/1760000000001-b.jpg}');
insert into storage.objects (bucket_id, name) values ('youth-awards-submissions', 'artist/ann/1760000000000-a.jpg');
insert into public.entry_links (award, entry, token_hash) values ('artist', '00000000-0000-4000-8000-000000000301', club.token_hash(repeat('a', 64)));
create function expect.correct(answers jsonb, files text[] default '{}') returns text language sql as $$
  select public.correct_entry(repeat('a', 64), (public.entry_by_link(repeat('a', 64)) ->> 'readAt')::timestamptz, answers, files)
$$;
grant execute on all routines in schema expect to public;
select expect.caller('admin');
select expect.value('select public.take_results(null, null)', '3');
select expect.value('select string_agg(name || '' '' || is_published, '', '') from public.listed_results()', 'Ann false, Bob false, Cat false');
select public.publish_site();

-- Values that visitors do not see can be corrected. The entry then stays on the page.
select expect.caller('anon');
select expect.value('select expect.correct(''{"parent_guardian_name": "Ann''''s father"}'')', 'saved');
select expect.value('select expect.results()', 'Ann Bob Cat');
-- If a name or a picture is corrected, the entry disappears from the page at once. It appears again when an administrator has reviewed it.
select expect.value('select expect.correct(''{"entrant_name": "Buy at evil.example"}'')', 'saved');
select expect.value('select expect.results()', 'Bob Cat');
select expect.caller('admin');
select expect.value('select string_agg(name || '' '' || is_published || '' '' || (corrected_at is not null), '', '') from public.listed_results()',
  'Buy at evil.example false true, Bob true false, Cat true false');
select expect.value('select has_changes from public.site_status()', 'true');
select public.publish_site();
select expect.caller('anon');
select expect.value('select expect.results()', 'Bob Buy at evil.example Cat');
select expect.value('select expect.correct(''{}'', ''{artist/ann/1760000000000-a.jpg}'')', 'saved');
select expect.value('select expect.results()', 'Bob Cat');
select expect.refused('select club.unpublish_entry(''00000000-0000-4000-8000-000000000302'')', '42501');

-- A merged entry gets the strictest consent: if one of the entries may not be shown, the merged entry may not be shown either.
select expect.caller('admin');
select expect.value('select public.merge_entries(''artist'', ''00000000-0000-4000-8000-000000000303'', ''{00000000-0000-4000-8000-000000000304}'')', '1');
select expect.value('select publicity_consent || '' '' || cardinality(uploaded_files) from public.young_artist_entries where entrant_name = ''Cat''', 'disagree 1');
select expect.value('select changes #>> ''{publicity_consent,to}'' from public.audit_log where record_id = ''00000000-0000-4000-8000-000000000303'' and action = ''update'' order by changed_at desc limit 1', 'disagree');
-- After a merge, the entry is no longer published. An administrator has to add it to the list and publish it again.
select expect.value('select public.merge_entries(''artist'', ''00000000-0000-4000-8000-000000000302'', ''{00000000-0000-4000-8000-000000000305}'')', '1');
select expect.value('select string_agg(name, '' '') from public.listed_results()', 'Buy at evil.example');
select expect.value('select jsonb_array_length(content -> ''results'') from public.site_publications order by created_at desc limit 1', '0');
select expect.value('select public.take_results(null, null)', '1');
-- A withdrawn entry and an active entry cannot be merged. Two withdrawn entries can.
insert into public.young_artist_entries (id, entrant_name, age, parent_guardian_email, category, withdrawn_at) values
  ('00000000-0000-4000-8000-000000000306', 'Bob', 15, 'bob@example.org', 'senior', now()),
  ('00000000-0000-4000-8000-000000000307', 'Bob', 15, 'bob@example.org', 'senior', now());
select expect.refused('select public.merge_entries(''artist'', ''00000000-0000-4000-8000-000000000302'', ''{00000000-0000-4000-8000-000000000306}'')', 'P0001');
select expect.refused('select public.merge_entries(''artist'', ''00000000-0000-4000-8000-000000000306'', ''{00000000-0000-4000-8000-000000000302,00000000-0000-4000-8000-000000000307}'')', 'P0001');
select expect.value('select public.merge_entries(''artist'', ''00000000-0000-4000-8000-000000000306'', ''{00000000-0000-4000-8000-000000000307}'')', '1');

-- At most 500 pictures are added: those of the oldest entries. A list with more pictures cannot be published.
select expect.caller('owner');
insert into public.young_photographer_entries (entrant_name, age, parent_guardian_email, category, publicity_consent, uploaded_files, created_at)
select 'N' || n, 15, 'n@example.org', 'senior', 'agree', array['photographer/n/1760000000000-' || n || '.jpg'], '2020-01-01'::timestamptz + n * interval '1 minute'
  from generate_series(1, 520) as n;
select expect.caller('admin');
select expect.value('select public.take_results(null, ''2021-01-01'', true)', '500');
select expect.value('select public.take_results(null, ''2021-01-01'', true)', '0');
select expect.value('select max(substr(name, 2)::integer) from public.listed_results() where kind = ''picture''', '500');
select public.publish_site();
insert into public.site_results (award, entry, kind) select 'photographer', id, 'picture' from public.young_photographer_entries where entrant_name = 'N501';
select expect.refused('select public.publish_site()', '23514');
-- Content that is too large for the server to show cannot be published. Otherwise a later withdrawal would not reach the pages.
delete from public.site_results where kind = 'picture' and entry in (select id from public.young_photographer_entries where substr(entrant_name, 2)::integer > 150);
select expect.caller('owner');
update public.young_photographer_entries set entrant_name = left(entrant_name || repeat('😀', 200), 200), photo_title = repeat('😀', 200) where entrant_name like 'N%';
select expect.caller('admin');
select expect.value('select octet_length(public.draft_content()::text) > 400 * 1024', 'true');
create temporary table publications as select count(*) as before from public.site_publications;
select expect.refused('select public.publish_site()', '23514');
select expect.value('select count(*) - max(before) from public.site_publications, publications', '0');
