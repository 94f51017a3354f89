-- Tests the link with which the sender of an entry can see and correct the entry. The link is valid only for this entry, and only until the
-- deadline. Attacks are tested first.
create function expect.token(name text) returns text language sql as $$ select encode(sha256(convert_to(name, 'utf8')), 'hex') $$;
create function expect.day(days integer) returns date language sql as 'select timezone(''Europe/London'', now())::date + days';
create function expect.send_with(token text) returns void language sql as $$
  select set_config('request.headers', json_build_object('x-entry-link', token)::text, true)
$$;
-- Corrects an entry. The token is derived from a name. The second argument of correct_entry is the time at which the entry was read.
create function expect.correct(name text, answers jsonb, files text[] default '{}') returns text language sql as $$
  select public.correct_entry(expect.token(name), (public.entry_by_link(expect.token(name)) ->> 'readAt')::timestamptz, answers, files)
$$;

grant execute on all routines in schema expect to public;

select expect.caller('owner');
delete from public.seasons;
insert into public.seasons (name, event_on, deadline_on) values ('Now', expect.day(30), expect.day(10));
select expect.caller('anon');
select expect.send_with(expect.token('ada'));
insert into public.young_artist_entries (entrant_name, age, parent_guardian_email, category, artwork_title, submission_key)
values ('Ada Sample', 12, 'ada.parent@example.org', 'intermediate', 'Waves', '00000000-0000-4000-8000-0000000003a1');
select expect.send_with(expect.token('bob'));
insert into public.young_artist_entries (entrant_name, age, parent_guardian_email, category) values ('Bob Sample', 12, 'bob.parent@example.org', 'intermediate');
select expect.send_with(expect.token('cleo'));
insert into public.young_citizen_nominations (nomination_type, nominee_name, nominee_age, parent_guardian_email, nominator_name, nominator_email, key_achievement, why_deserving)
values ('individual', 'Cleo Sample', 12, 'c@example.org', 'N', 'n@example.org', 'kind', 'true');
select expect.send_with(expect.token('dan'));
insert into public.young_musician_entries (entrant_name, age, parent_guardian_email, category) values ('Dan Sample', 12, 'd@example.org', 'vocal');
select expect.send_with(expect.token('eve'));
insert into public.young_photographer_entries (entrant_name, age, parent_guardian_email, category) values ('Eve Sample', 12, 'e@example.org', 'senior');

-- Only admins can read the table of links. The table does not contain the tokens.
select expect.refused('select 1 from public.entry_links', '42501');
select expect.refused('insert into public.entry_links (award, entry, token_hash) values (''artist'', gen_random_uuid(), ''x'')', '42501');
select expect.refused('select * from club.linked_entry(''x'')', '42501');
select expect.refused('select club.form_columns(''artist'')', '42501');
select expect.refused('select public.revoke_entry_links(''artist'', gen_random_uuid())', '42501');
select expect.caller('judge');
select expect.refused('select 1 from public.entry_links', '42501');
select expect.refused('select public.entry_by_link(''x'')', '42501');
select expect.caller('stranger');
select expect.value('select count(id) from public.entry_links', '0');
select expect.refused('select token_hash from public.entry_links', '42501');
select expect.refused('select public.entry_by_link(''x'')', '42501');
select expect.refused('select public.revoke_entry_links(''artist'', gen_random_uuid())', '42501');
select expect.caller('admin');
select expect.refused('select token_hash from public.entry_links', '42501');
select expect.refused('update public.entry_links set revoked_at = null', '42501');
select expect.value('select count(id) from public.entry_links', '6');
select expect.caller('owner');
select expect.value('select count(*) from public.entry_links as l where l::text like ''%'' || expect.token(''ada'') || ''%''', '0');

-- With a guessed or empty token, with SQL in place of the token, or with the token's hash, nothing is returned and nothing is changed.
select expect.caller('anon');
select expect.value(format('select public.entry_by_link(%L)', guess), null)
  from unnest(array['', null, repeat('0', 64), ''' or true --', '%', upper(expect.token('ada')), expect.token('ada') || ' ', expect.token(expect.token('ada')), '\x' || expect.token(expect.token('ada'))]) as guess;
select expect.value(format('select public.correct_entry(%L, now(), ''{"artwork_title": "x"}'')', guess), 'ended')
  from unnest(array['', null, repeat('0', 64), ''' or true --', '%']) as guess;

-- The link returns only its own entry, with the columns that the form has.
select expect.value('select public.entry_by_link(expect.token(''ada'')) #>> ''{columns,entrant_name}''', 'Ada Sample');
select expect.value('select public.entry_by_link(expect.token(''bob'')) #>> ''{columns,entrant_name}''', 'Bob Sample');
select expect.value('select string_agg(public.entry_by_link(expect.token(name)) ->> ''award'', '' '') from unnest(array[''ada'', ''cleo'', ''dan'', ''eve'']) as name', 'artist citizen musician photographer');
select expect.value('select public.entry_by_link(expect.token(''ada'')) ->> ''until''', to_char(expect.day(10), 'FMDD FMMonth YYYY'));
select expect.value('select public.entry_by_link(expect.token(''ada'')) -> ''columns'' ?| array[''id'', ''school_id'', ''junior_ranking'', ''senior_ranking'', ''ranking_conflict'', ''submission_key'', ''withdrawn_at'', ''created_at'', ''uploaded_files'']', 'false');

-- A correction changes only columns of the form, in its own entry. The club's columns stay unchanged, whatever is sent.
select expect.value('select expect.correct(''ada'', ''{"artwork_title": "Tides", "junior_ranking": 1, "ranking_conflict": true, "school_id": null, "id": "00000000-0000-4000-8000-000000000000", "submission_key": "00000000-0000-4000-8000-000000000000", "withdrawn_at": "2020-01-01", "created_at": "2020-01-01", "uploaded_files": ["artist/gilly-ferrier/1760000000000-tide-pools.jpg"]}'')', 'saved');
select expect.caller('owner');
select expect.value('select concat_ws('' '', artwork_title, junior_ranking, ranking_conflict, submission_key, withdrawn_at, cardinality(uploaded_files), created_at = now()) from public.young_artist_entries where entrant_name = ''Ada Sample''', 'Tides f 00000000-0000-4000-8000-0000000003a1 0 t');
select expect.value('select artwork_title from public.young_artist_entries where entrant_name = ''Bob Sample''', null);
-- Values that the form does not allow are refused. The error message does not contain the row.
select expect.caller('anon');
select expect.refused('select expect.correct(''ada'', ''' || answers || ''')', '23514')
  from unnest(array['{"age": 3}', '{"age": "old"}', '{"category": "none"}', '{"entrant_name": " "}', '{"entrant_name": null}', '{"parent_guardian_email": "x"}']) as answers;
do $$
declare
  detail text;
begin
  perform expect.correct('ada', '{"age": 3}');
exception when check_violation then
  get stacked diagnostics detail = pg_exception_detail;
  if coalesce(detail, '') <> '' then raise exception 'the error shows %', detail; end if;
end;
$$;
-- If the entry has been changed since it was read, the correction does not overwrite it.
select expect.value('select public.correct_entry(expect.token(''ada''), now() - interval ''1 hour'', ''{"artwork_title": "Late"}'')', 'changed');
select expect.value('select public.correct_entry(expect.token(''ada''), null, ''{"artwork_title": "Late"}'')', 'changed');

-- Files can be added only if they are stored, belong to nobody else, and are in the folder of the form.
select expect.caller('owner');
insert into storage.objects (bucket_id, name) values ('youth-awards-submissions', 'artist/ada-sample/1760000000000-a.png'), ('youth-awards-submissions', 'musician/ada-sample/1760000000000-a.mp3'), ('music-uploads', 'artist/1760000000000-a.png');
select expect.caller('anon');
select expect.refused(format('select expect.correct(''ada'', ''{}'', array[%L])', path), '23514')
  from unnest(array['artist/gilly-ferrier/1760000000000-tide-pools.jpg', 'young-citizen/eilidh-baird/1760000000000-letter.pdf', 'artist/nobody/1760000000000-none.png',
                    'musician/ada-sample/1760000000000-a.mp3', 'artist/gilly-ferrier/1760000000001-more.jpg', 'artist/1760000000000-a.png', 'exports/submissions.csv', '../a', '']) as path;
select expect.refused('select expect.correct(''ada'', ''{}'', array[null]::text[])', '23514');
select expect.value('select expect.correct(''ada'', ''{}'', array[''artist/ada-sample/1760000000000-a.png''])', 'saved');
select expect.refused('select expect.correct(''bob'', ''{}'', array[''artist/ada-sample/1760000000000-a.png''])', '23514');
select expect.value('select public.entry_by_link(expect.token(''ada'')) ->> ''files''', '["a.png"]');

-- The audit log, which admins can read, contains who has changed what, and the previous values.
select expect.caller('admin');
select expect.value('select string_agg(actor_role || '' '' || (changes #>> ''{artwork_title,from}'') || '' '' || (changes #>> ''{artwork_title,to}''), '', '') from public.audit_log where table_name = ''young_artist_entries'' and action = ''update'' and changes ? ''artwork_title''', 'anon Waves Tides');
select expect.value('select count(id) from public.entry_links where corrected_at is not null', '1');

-- The link becomes invalid: if the entry is withdrawn or deleted, if an admin revokes it, after sixty days, at the deadline, and at the end of the
-- season.
update public.young_citizen_nominations set withdrawn_at = now() where nominee_name = 'Cleo Sample';
select expect.value('select public.revoke_entry_links(''musician'', id) from public.young_musician_entries where entrant_name = ''Dan Sample''', '1');
select expect.value('select public.revoke_entry_links(''musician'', id) from public.young_musician_entries where entrant_name = ''Dan Sample''', '0');
select expect.value('select public.delete_entry(''photographer'', id) from public.young_photographer_entries where entrant_name = ''Eve Sample''', '0');
select expect.value('select count(id) from public.entry_links', '5');
select expect.caller('anon');
select expect.value('select count(public.entry_by_link(expect.token(name))) from unnest(array[''cleo'', ''dan'', ''eve'']) as name', '0');
select expect.value('select string_agg(public.correct_entry(expect.token(name), now(), ''{}''), '' '') from unnest(array[''cleo'', ''dan'', ''eve'']) as name', 'ended ended ended');
select expect.value('select public.entry_by_link(expect.token(''ada'')) is not null', 'true');
select expect.caller('owner');
update public.entry_links set created_at = now() - interval '61 days' where token_hash = club.token_hash(expect.token('bob'));
update public.seasons set deadline_on = expect.day(-1);
select expect.caller('anon');
select expect.value('select public.entry_by_link(expect.token(''ada''))', null);
select expect.value('select public.correct_entry(expect.token(''ada''), now(), ''{"artwork_title": "Late"}'')', 'ended');
select expect.caller('owner');
update public.seasons set deadline_on = expect.day(0);
select expect.caller('anon');
select expect.value('select public.entry_by_link(expect.token(''ada'')) is not null', 'true');
select expect.value('select public.entry_by_link(expect.token(''bob''))', null);
select expect.caller('owner');
update public.entry_links set created_at = now() - interval '10 days' where token_hash = club.token_hash(expect.token('ada'));
insert into public.seasons (name, event_on) values ('Before', expect.day(-5));
select expect.caller('anon');
select expect.value('select public.entry_by_link(expect.token(''ada''))', null);

-- An invalid token is not stored. If two entries are inserted with the same token, the token is stored for only one of them.
select expect.caller('owner');
delete from public.seasons where name = 'Before';
delete from public.entry_links;
select expect.caller('anon');
select expect.send_with('short');
insert into public.young_musician_entries (entrant_name, age, parent_guardian_email, category) values ('No Link', 12, 'd@example.org', 'vocal');
select set_config('request.headers', 'no json', true);
insert into public.young_musician_entries (entrant_name, age, parent_guardian_email, category) values ('No Link', 12, 'd@example.org', 'vocal');
select expect.send_with(expect.token('two'));
insert into public.young_musician_entries (entrant_name, age, parent_guardian_email, category) values ('First', 12, 'd@example.org', 'vocal'), ('Second', 12, 'd@example.org', 'vocal');
select expect.value('select public.entry_by_link(expect.token(''two'')) #>> ''{columns,entrant_name}''', 'First');
select expect.caller('admin');
select expect.value('select count(id) from public.entry_links', '1');

-- If a caller tries many tokens, further requests are refused (rate limit).
select expect.caller('anon');
select set_config('cloch.network', '192.0.2.9', true);
select count(public.entry_by_link(n::text)) from generate_series(1, 300) as n;
select expect.refused('select public.entry_by_link(''x'')', 'PT429');
select expect.refused('select public.correct_entry(''x'', now(), ''{}'')', 'PT429');
