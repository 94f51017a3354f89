-- Tests the record of a season, which determines the dates on every page, when entries are accepted, and which data of an earlier season is hidden
-- from judges and not counted.
create temporary table row_of (form text, statement text);
grant select on row_of to public;
insert into row_of values
  ('citizen', $$insert into public.young_citizen_nominations (nomination_type, nominee_name, nominee_age, parent_guardian_email, nominator_name, nominator_email, key_achievement, why_deserving, submission_key)
     values ('individual', 'A Late One', 12, 'p@example.org', 'N', 'n@example.org', 'kind', 'true', '00000000-0000-4000-8000-0000000001c1')$$),
  ('musician', $$insert into public.young_musician_entries (entrant_name, age, parent_guardian_email, category, submission_key)
     values ('A Late One', 12, 'p@example.org', 'vocal', '00000000-0000-4000-8000-0000000001c2')$$),
  ('photographer', $$insert into public.young_photographer_entries (entrant_name, age, parent_guardian_email, category, submission_key)
     values ('A Late One', 12, 'p@example.org', 'senior', '00000000-0000-4000-8000-0000000001c3')$$),
  ('artist', $$insert into public.young_artist_entries (entrant_name, age, parent_guardian_email, category, submission_key)
     values ('A Late One', 12, 'p@example.org', 'senior', '00000000-0000-4000-8000-0000000001c4')$$),
  ('additional', $$insert into public.extra_files (kind, entrant_name, uploaded_files, submission_key)
     values ('additional', 'A Late One', '{additional-files/a-late-one/1760000000000-a.pdf}', '00000000-0000-4000-8000-0000000001c5')$$),
  ('music', $$insert into public.extra_files (kind, entrant_name, uploaded_files, submission_key)
     values ('music', 'A Late One', '{a-late-one/1760000000000-a.mp3}', '00000000-0000-4000-8000-0000000001c6')$$);
create temporary table upload (statement text);
grant select on upload to public;
insert into upload values
  ($$insert into storage.objects (bucket_id, name) values ('youth-awards-submissions', 'artist/a-late-one/1760000000000-a.png')$$),
  ($$insert into storage.objects (bucket_id, name) values ('music-uploads', 'a-late-one/1760000000000-a.mp3')$$);

-- Checks whether a visitor may insert a row of a form, or a file. Then rolls the insert back.
create function expect.admitted(statement text, may boolean) returns void
language plpgsql as $$
begin
  begin
    execute statement;
    raise exception using errcode = 'TAKEN', message = 'taken';
  exception
    when sqlstate 'TAKEN' then
      if not may then raise exception 'expected a refusal of: %', statement; end if;
    when sqlstate 'CLB01' or insufficient_privilege then
      if may then raise exception 'expected to be taken: %; got %', statement, sqlerrm; end if;
  end;
end;
$$;
create function expect.message(statement text, wanted text) returns void
language plpgsql as $$
begin
  execute statement;
  raise exception 'expected a refusal of: %', statement;
exception when sqlstate 'CLB01' then
  if sqlerrm <> wanted then raise exception 'expected "%"; got "%"', wanted, sqlerrm; end if;
end;
$$;
-- The date in the club's time zone that is the given number of days from now.
create function expect.day(days integer) returns date language sql as 'select timezone(''Europe/London'', now())::date + days';
-- Sets the token of a late link for the following requests.
create function expect.send_with(token text) returns void language sql as $$
  select set_config('request.headers', json_build_object('x-late-link', token)::text, true)
$$;
grant execute on all routines in schema expect to public;
create temporary table link (name text, token text);
grant select, insert on link to public;

-- Without a season, the pages show the default dates, and entries are accepted.
select expect.caller('owner');
delete from public.seasons;
select expect.caller('anon');
select expect.value('select public.published_content() -> ''entries''', '{"opensOn": null, "closedOn": null, "isClosed": false}');
select expect.value('select concat_ws('', '', c ->> ''opens'', c ->> ''opensWhen'', c ->> ''deadline'', c ->> ''ceremony'', c ->> ''ceremonyTime'', c ->> ''ageDate'', c ->> ''ageDateOrdinal'') from (select public.published_content() -> ''texts'') as t (c)',
  'August, in August, 31st October, 13th November, 6:30 PM, 31 August 2025, 31st August 2025');
select expect.admitted(statement, true) from row_of;
select expect.admitted(statement, true) from upload;

-- If a season has only the date of its event, entries are accepted before and after the event.
select expect.caller('admin');
select expect.refused('insert into public.seasons (name, event_on, opens_on, deadline_on) values (''x'', ''2031-11-14'', ''2031-08-02'', ''2031-08-01'')', '23514', 'season_deadline_is_not_before_opening');
select expect.refused('insert into public.seasons (name, event_on, deadline_on) values (''x'', ''2031-11-14'', ''2031-11-15'')', '23514', 'season_event_is_not_before_deadline');
select expect.refused('insert into public.seasons (name, event_on, opens_on) values (''x'', ''2031-11-14'', ''2031-11-15'')', '23514', 'season_event_is_not_before_opening');
select expect.refused('insert into public.seasons (name, event_on, closes_at) values (''x'', ''2031-11-14'', now())', '428C9');
insert into public.seasons (name, event_on) values ('2030', '2030-11-14');
select expect.caller('anon');
select expect.admitted(statement, true) from row_of;
select expect.value('select public.published_content() #>> ''{texts,ceremony}'' || '', '' || (public.published_content() #>> ''{texts,deadline}'')', '14th November, 31st October');

-- If a season has all dates, every page shows them at once, without publishing. The event that is the ceremony gets the season's date too.
select expect.caller('admin');
select public.publish_site();
select expect.affected('update public.seasons set event_on = ''2031-11-12'', opens_on = expect.day(-3), deadline_on = ''2031-10-29'', event_time = ''7 PM'', ages_on = ''2031-09-01'' where name = ''2030''', 1);
select expect.value('select has_changes from public.site_status()', 'false');
select expect.caller('anon');
select expect.value('select concat_ws('', '', c ->> ''opensWhen'' = ''on '' || (c ->> ''opens''), c ->> ''deadline'', c ->> ''ceremony'', c ->> ''ceremonyTime'', c ->> ''ageDate'', c ->> ''ageDateOrdinal'') from (select public.published_content() -> ''texts'') as t (c)',
  't, 29th October, 12th November, 7 PM, 1 September 2031, 1st September 2031');
select expect.value('select concat_ws('', '', e ->> ''date'', e ->> ''boardLarge'', e ->> ''boardSmall'', e ->> ''time'') from jsonb_array_elements(public.published_content() -> ''events'') as e where e ->> ''slug'' = ''youth-awards''', '12th November, 12, November, 7 PM');
select expect.caller('owner');
select expect.value('select (club.letter_events())[1]', 'Youth Awards: 12th November, 7 PM, The arts centre');
select expect.value('select closes_at = ''2031-10-30 00:00+00'' from public.seasons where name = ''2030''', 'true');
select expect.caller('anon');
select expect.refused('select club.letter_events()', '42501');

-- Entries are accepted until the last day has ended.
select expect.caller('owner');
update public.seasons set deadline_on = expect.day(0), opens_on = expect.day(0);
select expect.caller('anon');
select expect.admitted(statement, true) from row_of;
select expect.admitted(statement, true) from upload;
select expect.caller('owner');
update public.seasons set deadline_on = expect.day(-1), opens_on = null;
-- Without this, the late link of setup.sql would allow the upload of files.
delete from public.late_links;
select expect.caller('anon');
select expect.admitted(statement, false) from row_of;
select expect.admitted(statement, false) from upload;
select expect.message(statement, 'Entries closed at the end of ' || to_char(expect.day(-1), 'FMDD FMMonth YYYY')) from row_of;
select expect.value('select public.published_content() #>> ''{entries,closedOn}''', to_char(expect.day(-1), 'FMDD FMMonth YYYY'));
-- An administrator may insert entries at any time; visitors who use a form may not.
select expect.caller('admin');
select expect.admitted(statement, true) from row_of;
-- The entry was accepted in time. When the form sends it again, the error says that it already exists.
select expect.caller('owner');
update public.seasons set deadline_on = expect.day(0);
select expect.caller('anon');
do $$ begin execute (select statement from row_of where form = 'artist'); end $$;
select expect.caller('owner');
update public.seasons set deadline_on = expect.day(-1);
select expect.caller('anon');
select expect.refused(statement, '23505', 'young_artist_entries_submission_key_key') from row_of where form = 'artist';
select expect.caller('owner');
delete from public.young_artist_entries where entrant_name = 'A Late One';

-- Entries are not accepted before the first day. After the event, they are not accepted if there is no next season.
update public.seasons set deadline_on = '2031-10-29', opens_on = expect.day(1);
select expect.caller('anon');
select expect.admitted(statement, false) from row_of;
select expect.message(statement, 'Entries are closed. They open on ' || to_char(expect.day(1), 'FMDD FMMonth YYYY')) from row_of;
select expect.caller('owner');
update public.seasons set opens_on = null, deadline_on = expect.day(-30), event_on = expect.day(-10);
select expect.caller('anon');
select expect.admitted(statement, false) from row_of;
-- The record of the next season determines when entries are accepted again.
select expect.caller('admin');
insert into public.seasons (name, event_on, opens_on) values ('2031', expect.day(300), expect.day(200));
select expect.caller('anon');
select expect.message(statement, 'Entries closed at the end of ' || to_char(expect.day(-30), 'FMDD FMMonth YYYY') || '. They open on ' || to_char(expect.day(200), 'FMDD FMMonth YYYY')) from row_of;

-- Late links. Only admins can create, list and revoke them, and nobody can read their tokens.
select expect.refused('select public.create_late_link(''artist'', ''x'', expect.day(1))', '42501');
select expect.refused('select public.revoke_late_link(gen_random_uuid())', '42501');
select expect.refused('select 1 from public.late_links', '42501');
select expect.refused('select club.takes_files() from public.late_links', '42501');
select expect.refused('select club.token_hash(''x'')', '42501');
select expect.refused('select * from club.closed_entries()', '42501');
select expect.caller('judge');
select expect.refused('select * from public.late_link(''x'')', '42501');
select expect.refused('select 1 from public.late_links', '42501');
select expect.caller('stranger');
select expect.refused('select public.create_late_link(''artist'', ''x'', expect.day(1))', '42501');
select expect.refused('select public.revoke_late_link(gen_random_uuid())', '42501');
select expect.value('select count(id) from public.late_links', '0');
select expect.refused('select token_hash from public.late_links', '42501');
select expect.caller('admin');
select expect.refused('select token_hash from public.late_links', '42501');
select expect.refused('insert into public.late_links (award, entrant) values (''artist'', ''x'')', '42501');
select expect.refused('update public.late_links set used_at = null', '42501');
select expect.refused('delete from public.late_links', '42501');
select expect.refused('select public.create_late_link(''juggler'', ''x'', expect.day(1))', '23514', 'late_link_award_is_known');
select expect.refused('select public.create_late_link(''artist'', '' '', expect.day(1))', '23514', 'late_link_entrant_1_to_200_characters');
select expect.refused('select public.create_late_link(''artist'', ''x'', ' || day || ')', 'P0001')
  from unnest(array['expect.day(-1)', 'expect.day(301)', 'null']) as day;

insert into link select form, public.create_late_link(form, 'Someone', expect.day(2)) from row_of;
insert into link select 'revoked', public.create_late_link('artist', 'Someone', expect.day(2));
insert into link select 'past', public.create_late_link('artist', 'Someone', expect.day(2));
select expect.value('select bool_and(token ~ ''^[0-9a-f]{64}$'') and count(distinct token) = 8 from link', 'true');
select expect.value('select public.revoke_late_link((select min(id::text)::uuid from public.late_links where award = ''artist''))', 'true');
select expect.caller('owner');
-- All rows of this transaction have the same time, so the order of creation cannot be seen. Therefore each link is named after what was done to it.
update link set name = case when l.revoked_at is not null then 'revoked' else 'artist' end
  from public.late_links as l where l.token_hash = club.token_hash(link.token) and l.award = 'artist';
update link set name = 'past' where token = (select min(token) from link where name = 'artist');
update public.late_links set expires_at = now() where token_hash = club.token_hash((select token from link where name = 'past'));

-- Neither the table of links nor the audit log contains the token.
select expect.value('select count(*) from public.late_links as l join link on l::text like ''%'' || token || ''%''', '0');
select expect.value('select count(*) from public.audit_log where table_name = ''late_links''', '0');

select expect.caller('anon');
-- No entry is accepted without a link, with a link for another form, with a link that has ended, or with a guessed or malformed token.
select expect.admitted(statement, false) from row_of;
select expect.send_with((select token from link where name = 'revoked'));
select expect.admitted(statement, false) from row_of;
select expect.send_with((select token from link where name = 'past'));
select expect.admitted(statement, false) from row_of;
select expect.send_with((select token from link where name = 'musician'));
select expect.admitted(statement, form = 'musician') from row_of;
do $$
declare
  guess text;
  one record;
begin
  foreach guess in array array[repeat('0', 64), ''' or true --', '%', '', null] loop
    perform expect.send_with(guess);
    for one in select statement from row_of loop
      perform expect.admitted(one.statement, false);
    end loop;
  end loop;
end;
$$;
select set_config('request.headers', 'no json', true);
select expect.admitted(statement, false) from row_of;
-- With the token, the form and the end of the link can be read.
select expect.value('select count(*) from public.late_link(''' || token || ''')', case when name in ('past', 'revoked') then '0' else '1' end) from link;
select expect.value(format('select count(*) from public.late_link(%L)', guess), '0') from unnest(array[repeat('0', 64), ''' or true --', '%', '']) as guess;
select expect.value('select award from public.late_link(''' || token || ''')', name) from link where name not in ('past', 'revoked');

-- As long as a link is valid, files are accepted.
select expect.admitted(statement, true) from upload;

-- A link can be used once, for one row.
do $$
declare
  one record;
begin
  for one in select form, statement, token from row_of join link on name = form loop
    perform set_config('request.headers', json_build_object('x-late-link', one.token)::text, true);
    perform expect.refused(regexp_replace(one.statement, 'values (.*)$', 'values \1, \1'), '23505');
    execute one.statement;
    perform expect.admitted(replace(one.statement, '0000000001c', '0000000002c'), false);
    perform expect.value(format('select count(*) from public.late_link(%L)', one.token), '0');
  end loop;
end;
$$;
select expect.admitted(statement, false) from upload;
select expect.caller('admin');
select expect.value('select count(*) from public.late_links as l where used_at is not null and entry is not null', '6');
select expect.value('select public.revoke_late_link(id) from public.late_links where used_at is not null limit 1', 'false');
-- One statement with two rows is refused, because a link is valid for one entry.
insert into link select 'two', public.create_late_link('musician', 'Someone', expect.day(2));
select expect.caller('anon');
select expect.send_with((select token from link where name = 'two'));
select expect.admitted($$insert into public.young_musician_entries (entrant_name, age, parent_guardian_email, category)
  values ('A Late One', 12, 'p@example.org', 'vocal'), ('Another', 12, 'p@example.org', 'vocal')$$, false);
select expect.value('select count(*) from public.late_link(''' || token || ''')', '1') from link where name = 'two';

-- When the entry is deleted, its link is deleted too.
select expect.caller('admin');
select public.delete_entry('artist', id) from public.young_artist_entries where entrant_name = 'A Late One';
select expect.value('select count(*) from public.late_links where award = ''artist'' and used_at is not null', '0');

-- If many links are tried from one network, further requests from there are refused (rate limit).
select expect.caller('anon');
select set_config('cloch.network', '192.0.2.7', true);
select count(*) from generate_series(1, 300) as n, lateral public.late_link(n::text);
select expect.refused('select * from public.late_link(''x'')', 'PT429');
select set_config('cloch.network', '192.0.2.8', true);
select expect.value('select count(*) from public.late_link(''x'')', '0');

-- The data of each season is separate. An event ten days ago has ended its season, so newer rows of the seed belong to the current season.
select expect.caller('owner');
delete from public.young_citizen_nominations where nominee_name = 'A Late One';
delete from public.young_musician_entries where entrant_name = 'A Late One';
delete from public.young_photographer_entries where entrant_name = 'A Late One';
create temporary table counted as
select count(*) filter (where created_at < (expect.day(-9))::timestamp at time zone 'Europe/London') as before,
       count(*) filter (where created_at >= (expect.day(-9))::timestamp at time zone 'Europe/London') as since
  from club.entries where award in ('artist', 'photographer') and category in ('intermediate', 'senior');
grant select on counted to public;
select expect.value('select before > 0 and since > 0 from counted', 'true');
select expect.caller('judge');
select expect.value('select (select count(id) from public.young_artist_entries) + (select count(id) from public.young_photographer_entries) = since from counted', 'true');
select expect.value('select (select sum(entries) from public.award_counts()) = since from counted', 'true');
-- Judges cannot see entries of the earlier season, nor the files and places of these entries.
select expect.value('select count(id) from public.young_artist_entries where entrant_name = ''Gilly Ferrier''', '0');
select expect.affected('update public.young_artist_entries set junior_ranking = 1 where entrant_name = ''Gilly Ferrier''', 0);
select expect.value('select count(*) from storage.objects', '0');
select expect.caller('admin');
select expect.value('select count(id) from public.young_artist_entries where entrant_name = ''Gilly Ferrier''', '1');

-- A changed count of entries on paper belongs to the new season. The totals of the old season keep the old count.
select expect.caller('owner');
update public.offline_submissions set created_at = now() - interval '40 days';
create temporary table paper as select category, sum(count)::integer as count from public.offline_submissions group by category;
create temporary table changed as select id, category, count from public.offline_submissions where count > 0 order by count, id limit 1;
grant select on paper, changed to public;
select expect.caller('admin');
select expect.value('select sum(offline) from public.award_counts()', '0');
update public.offline_submissions set count = 2 where id = (select id from changed);
select expect.value('select t.entries = c.count from public.season_totals as t, changed as c where t.season = ''2030'' and t.award = c.category and t.category = ''on paper''', 'true');
select expect.value('select max(offline) from public.award_counts()', '2');
-- If the same count is changed again, the totals stay the same.
update public.offline_submissions set count = 3 where id = (select id from changed);
select expect.value('select sum(t.entries) = c.count from public.season_totals as t, changed as c where t.season = ''2030'' group by c.count', 'true');

-- Data of an earlier season may still be assigned to a season that is deleted. This data is added to the totals of the earlier season.
select expect.caller('owner');
insert into public.seasons (name, event_on) values ('2029', expect.day(-25));
select set_config('storage.allow_delete_query', 'true', true);
delete from storage.objects;
create temporary table expected as
select case when created_at < (expect.day(-24))::timestamp at time zone 'Europe/London' then '2029' else '2030' end as season, count(*) as entries
  from club.entries where created_at < (expect.day(-9))::timestamp at time zone 'Europe/London' group by 1;
grant select on expected to public;
select expect.value('select count(*) from expected', '2');
select expect.caller('admin');
select expect.value('select public.delete_season(ends_at, name) = (select sum(entries) from expected) from public.seasons where name = ''2030''', 'true');
select expect.value('select count(*) from expected as e join (select season, sum(entries) as entries from public.season_totals where category <> ''on paper'' group by season) as t using (season, entries)', '2');
select expect.value('select count(*) from public.seasons where deleted_at is not null', '2');
select expect.value('select sum(t.entries) = (select sum(count) from paper) from public.season_totals as t where t.category = ''on paper'' and t.season in (''2029'', ''2030'')', 'true');
