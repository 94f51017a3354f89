-- Tests judges with a link: they see the entries of their categories, give places and scores of their own, and finish a category. They see nothing of
-- other judges, of other categories, and no contact data. Attacks are tested first.
create table expect.tokens (name text primary key, token text);
create function expect.token_of(name text) returns text language sql security definer as $$ select token from expect.tokens as t where t.name = $1 $$;
create function expect.link_of(judge_name text) returns uuid language sql security definer as $$
  select l.id from club.judge_links as l join public.judges as j on j.id = l.judge where j.name = $1
$$;
-- Runs the following statements with the token that open-judge-link returns for the link of this judge.
create function expect.judge_with_link(name text) returns void language plpgsql as $$
declare
  link uuid;
begin
  perform expect.caller('owner');
  link := expect.link_of(name);
  perform expect.with_claim(link::text);
end;
$$;
create function expect.with_claim(link text) returns void language sql as $$
  select set_config('request.jwt.claims', json_build_object('role', 'judge', 'judge_link', link)::text, true), set_config('role', 'judge', true)
$$;
create function expect.entry(name text) returns uuid language sql security definer as $$ select id from club.entries as e where e.name = $1 $$;
create function expect.save(name text, change jsonb) returns void language sql as $$ select public.save_mark(expect.entry(name), change) $$;
-- Creates a link for a judge. Returns nothing; the token of the link is stored in expect.tokens.
create function expect.give_link(judge_name text) returns void language plpgsql as $$
declare
  token text;
begin
  perform expect.caller('admin');
  token := public.make_judge_link((select id from public.judges where name = judge_name));
  perform expect.caller('owner');
  insert into expect.tokens values (judge_name, token) on conflict (name) do update set token = excluded.token;
end;
$$;
create table expect.seen (state text);
grant select, insert on expect.seen to public;
create function expect.state(category text) returns text language sql as $$ select public.joint_result('artist', category) ->> 'state' $$;
create function expect.settle(state text, places jsonb) returns text language sql as $$ select public.settle_places('artist', 'intermediate', state, places) $$;
grant execute on all routines in schema expect to public;

select expect.caller('owner');
insert into public.judges (name, email) values ('Ann Judge', 'ann@example.org'), ('Ben Judge', 'ben@example.org'), ('Mia Judge', 'mia@example.org'), ('No Judge', null);
insert into public.judge_categories (judge_id, category)
select j.id, c.category
  from (values ('Ann Judge', 'artist'), ('Ben Judge', 'artist'), ('Ben Judge', 'photography'), ('Mia Judge', 'music'), ('Mia Judge', 'citizen')) as c (name, category)
  join public.judges as j using (name);
insert into storage.objects (bucket_id, name) values
  ('youth-awards-submissions', 'photographer/freya-lamont/1760000000000-swell.jpg'),
  ('youth-awards-submissions', 'musician/skye-buchanan/1767225600000-skye-buchanan.wav'),
  ('youth-awards-submissions', 'musician/skye-buchanan/1767225600000-form.pdf');
update public.young_musician_entries set uploaded_files = uploaded_files || '{musician/skye-buchanan/1767225600000-form.pdf}' where entrant_name = 'Skye Buchanan';
update public.young_photographer_entries set uploaded_files = '{photographer/freya-lamont/1760000000000-swell.jpg}' where entrant_name = 'Freya Lamont';

-- Only administrators can create, list or revoke links. No other caller can read the tables.
do $$
declare
  who text;
  call text;
begin
  foreach who in array array['anon', 'stranger', 'judge', 'old judge'] loop
    foreach call in array array[
      'select public.make_judge_link(gen_random_uuid())', 'select public.revoke_judge_link(gen_random_uuid())', 'select * from public.judge_links()',
      'select public.joint_result(''artist'', ''senior'')', 'select public.settle_places(''artist'', ''senior'', '''', ''{}'')',
      'select * from club.open_judge_link(''x'')', 'select 1 from club.judge_links', 'select 1 from club.judge_marks',
      'select 1 from club.judge_finished', 'select 1 from club.judged_entries', 'select 1 from club.working_judge_links',
      'select public.own_judging()', 'select * from public.entries_to_judge(''artist'', ''senior'')',
      'select public.save_mark(gen_random_uuid(), ''{}'')', 'select public.finish_judging(''artist'', ''senior'', true)'] loop
      perform expect.caller(who);
      perform expect.refused(call, '42501');
    end loop;
  end loop;
  foreach call in array array[
    'select * from club.open_judge_link(''x'')', 'select 1 from club.judge_links', 'select 1 from club.judge_marks', 'select 1 from club.judge_finished',
    'select public.own_judging()', 'select public.save_mark(gen_random_uuid(), ''{}'')'] loop
    perform expect.caller('admin');
    perform expect.refused(call, '42501');
    perform expect.caller('service_role');
    perform expect.refused(call, '42501');
  end loop;
end;
$$;

-- The token opens the link of its judge. A guessed token, a hash or SQL text in place of the token opens no link.
select expect.give_link('Ann Judge'), expect.give_link('Ben Judge'), expect.give_link('Mia Judge'), expect.give_link('No Judge');
select expect.caller('owner');
select expect.value('select judge_name from club.open_judge_link(expect.token_of(''Ann Judge''))', 'Ann Judge');
select expect.value(format('select count(*) from club.open_judge_link(%L)', guess), '0')
  from unnest(array['', null, repeat('0', 64), ''' or true --', '%', upper(expect.token_of('Ann Judge')), expect.token_of('Ann Judge') || ' ', encode(club.token_hash(expect.token_of('Ann Judge')), 'hex')]) as guess;
select expect.value('select count(*) from club.judge_links as l join expect.tokens as t on l::text like ''%'' || t.token || ''%''', '0');
select expect.caller('admin');
select expect.refused('select public.make_judge_link(gen_random_uuid())', 'P0001');
select expect.value('select count(*) from public.judge_links() where works', '4');

-- A judge with a link cannot read any table. Claims without a judge, or with a password version, give no further access.
select expect.judge_with_link('Ann Judge');
select expect.value('select count(*) from public.young_artist_entries', '0');
select expect.value('select count(*) from public.young_photographer_entries', '0');
select expect.value('select count(*) from public.schools', '0');
select expect.affected('update public.young_artist_entries set junior_ranking = 1', 0);
select expect.refused('select entrant_name from public.young_musician_entries', '42501');
select expect.refused('select * from public.judges', '42501');
select expect.refused('select * from public.judging_criteria', '42501');
select expect.refused('select * from public.award_counts()', '42501');
select expect.refused('select * from public.judge_links()', '42501');
select expect.refused('select public.settle_places(''artist'', ''senior'', '''', ''{}'')', '42501');
select expect.value('select count(*) from storage.buckets', '0');
select expect.refused('delete from storage.objects', '42501');
select expect.with_claim(claim) from unnest(array['', 'x']) as claim;
select expect.refused('select public.own_judging()', '42501');

-- A judge sees the entries of the judge's own categories, without contact data, and no entry of another category.
select expect.judge_with_link('Ann Judge');
select expect.value('select public.own_judging() ->> ''judge''', 'Ann Judge');
select expect.value('select string_agg(s ->> ''award'' || '' '' || (s ->> ''category'') || '' '' || (s ->> ''entries''), '', '') from jsonb_array_elements(public.own_judging() -> ''sections'') as s',
  'artist intermediate 5, artist senior 6');
select expect.value('select count(*) from public.entries_to_judge(''artist'', ''intermediate'')', '5');
select expect.value('select count(*) from public.entries_to_judge(''artist'', ''junior'')', '0');
select expect.value('select count(*) from public.entries_to_judge(''photographer'', ''senior'')', '0');
select expect.value('select count(*) from public.entries_to_judge(''citizen'', ''individual'')', '0');
select expect.value('select string_agg(name, '','') from storage.objects', 'artist/gilly-ferrier/1760000000000-tide-pools.jpg');
select expect.judge_with_link('Ben Judge');
select expect.value('select string_agg(name, '','' order by name) from storage.objects', 'artist/gilly-ferrier/1760000000000-tide-pools.jpg,photographer/freya-lamont/1760000000000-swell.jpg');
select expect.judge_with_link('No Judge');
select expect.value('select jsonb_array_length(public.own_judging() -> ''sections'')', '0');
select expect.value('select count(*) from public.entries_to_judge(''artist'', ''senior'')', '0');
select expect.value('select count(*) from storage.objects', '0');
-- Judges hear the recordings of musicians, including those that were sent later under the same name. They cannot read other files of musicians or
-- the letters of nominations.
select expect.caller('owner');
insert into public.extra_files (kind, entrant_name, uploaded_files) values
  ('music', ' skye BUCHANAN', '{skye-buchanan/1760000000000-air.mp3}'), ('additional', 'Skye Buchanan', '{additional-files/skye-buchanan/1760000000000-x.mp3}');
select expect.judge_with_link('Mia Judge');
select expect.value('select string_agg(name, '','' order by name) from storage.objects', 'musician/skye-buchanan/1767225600000-skye-buchanan.wav,skye-buchanan/1760000000000-air.mp3');
select expect.value('select concat_ws('' '', files, recordings) from public.entries_to_judge(''musician'', ''instrumental'') where entrant = ''Skye Buchanan''',
  '{musician/skye-buchanan/1767225600000-skye-buchanan.wav} {skye-buchanan/1760000000000-air.mp3}');
select expect.value('select facts #>> ''{0,1}'' from public.entries_to_judge(''citizen'', ''individual'') where entrant = ''Eilidh Baird''',
  'Runs the lunchtime club where new pupils meet older ones.');
select expect.value('select count(*) from public.entries_to_judge(''musician'', ''vocal'')', '0');
-- The results of these functions contain no contact data.
select expect.value($$
  select count(*) from (
    select e::text as row from public.entries_to_judge('citizen', 'individual') as e
    union all select e::text from public.entries_to_judge('citizen', 'group') as e
    union all select e::text from public.entries_to_judge('musician', 'instrumental') as e) as t
   where row ~ '@|01475|Shona Petrie|Callum Drysdale|nuts'$$, '0');
-- If two musicians have the same name, it is not known to which of them a recording belongs.
select expect.caller('owner');
insert into public.young_musician_entries (entrant_name, age, parent_guardian_email, category) values ('Skye Buchanan', 12, 'd@example.org', 'vocal');
select expect.judge_with_link('Mia Judge');
select expect.value('select string_agg(name, '','') from storage.objects', 'musician/skye-buchanan/1767225600000-skye-buchanan.wav');

-- Each judge can see and change only the judge's own marks.
select expect.judge_with_link('Ann Judge');
select expect.save('Gilly Ferrier', '{"place": 1, "known": true}');
select expect.save('Gilly Ferrier', '{"place": 2}');
select expect.value('select concat_ws('' '', place, known) from public.entries_to_judge(''artist'', ''intermediate'') where entrant = ''Gilly Ferrier''', '2 t');
select expect.refused('select expect.save(''Gilly Ferrier'', ' || quote_nullable(change) || ')', '23514')
  from unnest(array['{"place": 4}', '{"place": 0}', '{"place": "1"}', '{"place": 1.5}', '{"place": [1]}', '{"known": null}', '{"known": "yes"}', '{"judge": "x"}', '[]', '1', null,
    '{"scores": [1]}', '{"scores": {"00000000-0000-4000-8000-000000000000": 1}}']) as change;
select expect.refused('select expect.save(''' || name || ''', ''{"place": 1}'')', '42501') from unnest(array['Freya Lamont', 'Skye Buchanan', 'Poppy McIver', 'Nobody']) as name;
select expect.judge_with_link('Ben Judge');
select expect.value('select concat_ws('' '', place, known) from public.entries_to_judge(''artist'', ''intermediate'') where entrant = ''Gilly Ferrier''', 'f');
select expect.save('Gilly Ferrier', '{"place": 1}');
select expect.save('Freya Lamont', '{"place": 3}');
select expect.judge_with_link('Ann Judge');
select expect.value('select count(*) from public.entries_to_judge(''artist'', ''intermediate'') where place is not null', '1');
-- The shared places do not change, and judges with the password cannot see the marks.
select expect.caller('judge');
select expect.value('select junior_ranking from public.young_artist_entries where entrant_name = ''Gilly Ferrier''', '1');

-- Scores belong to the criteria of the award, are at most the maximum, and can be set one by one.
select expect.caller('admin');
insert into public.judging_criteria (id, award, name, maximum) values
  ('00000000-0000-4000-8000-0000000000c1', 'artist', 'Idea', 10), ('00000000-0000-4000-8000-0000000000c2', 'artist', 'Skill', 5), ('00000000-0000-4000-8000-0000000000c3', 'photographer', 'Light', 10);
select expect.judge_with_link('Ann Judge');
select expect.value('select string_agg(c ->> ''name'', '','') from jsonb_array_elements(public.own_judging() -> ''criteria'') as c', 'Idea,Skill');
select expect.save('Gilly Ferrier', '{"scores": {"00000000-0000-4000-8000-0000000000c1": 0}}');
select expect.save('Gilly Ferrier', '{"scores": {"00000000-0000-4000-8000-0000000000c2": 5}}');
select expect.value('select scores from public.entries_to_judge(''artist'', ''intermediate'') where entrant = ''Gilly Ferrier''',
  '{"00000000-0000-4000-8000-0000000000c1": 0, "00000000-0000-4000-8000-0000000000c2": 5}');
select expect.save('Gilly Ferrier', '{"scores": {"00000000-0000-4000-8000-0000000000c1": null}}');
select expect.value('select scores from public.entries_to_judge(''artist'', ''intermediate'') where entrant = ''Gilly Ferrier''', '{"00000000-0000-4000-8000-0000000000c2": 5}');
select expect.refused('select expect.save(''Gilly Ferrier'', ''{"scores": {"00000000-0000-4000-8000-0000000000' || score || '}}'')', '23514')
  from unnest(array['c2": 6', 'c1": -1', 'c1": 1.5', 'c1": "1"', 'c1": 100', 'c3": 1']) as score;

-- A finished category is closed to changes until the judge opens it again.
select expect.value('select public.finish_judging(''artist'', ''intermediate'', true) is not null', 'true');
select expect.refused('select expect.save(''Gilly Ferrier'', ''{"place": 3}'')', 'CLB02');
select expect.refused('select public.finish_judging(''photographer'', ''senior'', true)', '42501');
select expect.caller('admin');
select expect.value('select concat_ws('' '', sections, finished) from public.judge_links() as l join public.judges as j on j.id = l.judge where j.name = ''Ann Judge''', '2 1');
select expect.value('select concat_ws('' '', sections, finished) from public.judge_links() as l join public.judges as j on j.id = l.judge where j.name = ''No Judge''', '0 0');
select expect.value('select string_agg(j ->> ''name'', '','') from jsonb_array_elements(public.joint_result(''artist'', ''intermediate'') -> ''judges'') as j where j ->> ''finishedAt'' is not null', 'Ann Judge');
select expect.judge_with_link('Ann Judge');
select expect.value('select public.finish_judging(''artist'', ''intermediate'', false)', null);
select expect.save('Gilly Ferrier', '{"place": 3}');

-- The joint result can be settled only in the state that the administrator has seen.
select expect.caller('admin');
select expect.value($$select string_agg(concat_ws(' ', j.name, m ->> 'place'), ', ' order by j.name)
  from jsonb_array_elements(public.joint_result('artist', 'intermediate') -> 'entries') as e
 cross join jsonb_array_elements(e -> 'marks') as m join public.judges as j on j.id = (m ->> 'judge')::uuid
 where e ->> 'entrant' = 'Gilly Ferrier'$$, 'Ann Judge 3, Ben Judge 1');
insert into expect.seen select expect.state('intermediate');
select expect.judge_with_link('Ben Judge');
select expect.save('Gilly Ferrier', '{"place": 2}');
select expect.caller('admin');
select expect.value('select expect.settle((select state from expect.seen), ''{}'')', 'changed');
select expect.value('select expect.settle(null, ''{}'')', 'changed');
select expect.value('select count(*) from public.young_artist_entries where junior_ranking is not null', '2');
select expect.refused('select expect.settle(expect.state(''intermediate''), ' || quote_nullable(places) || ')', '23514')
  from unnest(array['[]', null, '{"x": 1}', format('{"%s": 4}', expect.entry('Gilly Ferrier')), format('{"%s": "1"}', expect.entry('Gilly Ferrier')), format('{"%s": 1}', expect.entry('Freya Lamont'))]) as places;
select expect.value(format('select expect.settle(expect.state(''intermediate''), ''{"%s": 2}'')', expect.entry('Gilly Ferrier')), 'settled');
select expect.value('select string_agg(entrant_name || '' '' || junior_ranking, '','') from public.young_artist_entries where junior_ranking is not null', 'Gilly Ferrier 2');
select expect.value(format('select string_agg(concat_ws('' '', actor_email, changes #>> ''{junior_ranking,from}'', changes #>> ''{junior_ranking,to}''), '','' order by id desc) from public.audit_log where record_id = %L and changes ? ''junior_ranking'' and actor_email is not null', expect.entry('Gilly Ferrier')), 'admin@example.org 1 2');
-- Nominees and musicians can have places in the same way. The website shows these places as results.
select expect.value(format('select public.settle_places(''citizen'', ''individual'', public.joint_result(''citizen'', ''individual'') ->> ''state'', ''{"%s": 1}'')', expect.entry('Eilidh Baird')), 'settled');
select expect.value('select place from public.young_citizen_nominations where nominee_name = ''Eilidh Baird''', '1');
update public.young_citizen_nominations set publicity_consent = 'agree' where nominee_name = 'Eilidh Baird';
select public.take_results(null, null);
select expect.value('select place from public.listed_results() where name = ''Eilidh Baird''', '1');

-- When an entry is deleted, its marks are deleted too. When entries are merged, their marks move to the entry that is kept.
select expect.judge_with_link('Ann Judge');
select expect.save('Yusuf Rahman', '{"place": 1}');
select expect.caller('owner');
delete from club.judge_marks where entry = expect.entry('Gilly Ferrier') and place = 3;
select expect.judge_with_link('Ben Judge');
select expect.save('Yusuf Rahman', '{"place": 3}');
select expect.caller('admin');
select public.merge_entries('artist', expect.entry('Gilly Ferrier'), array[expect.entry('Yusuf Rahman')]);
select expect.caller('owner');
select expect.value('select string_agg(j.name || '' '' || m.place, '','' order by j.name) from club.judge_marks as m join public.judges as j on j.id = m.judge where m.award = ''artist''', 'Ann Judge 1,Ben Judge 2');
delete from public.young_artist_entries where entrant_name = 'Gilly Ferrier';
select expect.value('select count(*) from club.judge_marks where award = ''artist''', '0');

-- Judges cannot judge a withdrawn entry.
update public.young_photographer_entries set withdrawn_at = now() where entrant_name = 'Freya Lamont';
select expect.judge_with_link('Ben Judge');
select expect.refused('select expect.save(''Freya Lamont'', ''{"place": 1}'')', '42501');
select expect.value('select count(*) from storage.objects', '0');

-- A link ends at once when a new link is created, when it is revoked, when its judge is deleted, and at the end of the season. If a category is
-- removed from the judge, the link no longer shows it.
select expect.caller('owner');
create table expect.old_link as select expect.link_of('Ben Judge') as id;
grant select on expect.old_link to public;
select expect.give_link('Ben Judge');
select expect.with_claim((select id::text from expect.old_link));
select expect.refused('select public.own_judging()', '42501');
select expect.refused('select * from public.entries_to_judge(''artist'', ''senior'')', '42501');
select expect.value('select count(*) from storage.objects', '0');
select expect.judge_with_link('Ben Judge');
select expect.value('select count(*) from public.entries_to_judge(''artist'', ''senior'')', '6');
select expect.caller('admin');
select expect.value('select public.revoke_judge_link(id) from public.judges where name = ''Ben Judge''', 'true');
select expect.value('select public.revoke_judge_link(id) from public.judges where name = ''Ben Judge''', 'false');
select expect.judge_with_link('Ben Judge');
select expect.refused('select public.own_judging()', '42501');
select expect.caller('owner');
select expect.value('select count(*) from club.open_judge_link(expect.token_of(''Ben Judge''))', '0');
delete from public.judge_categories where category = 'music';
select expect.judge_with_link('Mia Judge');
select expect.value('select count(*) from public.entries_to_judge(''musician'', ''instrumental'')', '0');
select expect.value('select count(*) from storage.objects', '0');
select expect.caller('owner');
update club.judge_links set created_at = now() - interval '3 days';
insert into public.seasons (name, event_on) values ('Past', timezone('Europe/London', now())::date - 2);
select expect.judge_with_link('Mia Judge');
select expect.refused('select public.own_judging()', '42501');
select expect.caller('owner');
delete from public.seasons where name = 'Past';
select expect.judge_with_link('Mia Judge');
select expect.value('select public.own_judging() ->> ''judge''', 'Mia Judge');
select expect.caller('owner');
create table expect.mia as select id, expect.link_of('Mia Judge') as link from public.judges where name = 'Mia Judge';
grant select on expect.mia to public;
delete from public.judges where name = 'Mia Judge';
select expect.with_claim((select link::text from expect.mia));
select expect.refused('select public.own_judging()', '42501');
-- The deletion of a judge can be undone. The judge then has the link and the marks again.
select expect.caller('admin');
select public.save_judge(jsonb_build_object('id', id, 'name', 'Mia Judge', 'created_at', now()), array['citizen']) from expect.mia;
select expect.with_claim((select link::text from expect.mia));
select expect.value('select public.own_judging() ->> ''judge''', 'Mia Judge');

-- Each link has a realtime channel. The database sends the names of changed tables on this channel if the change concerns the judge. No judge gets
-- messages about another judge or award.
select expect.caller('owner');
create function expect.told() returns text language plpgsql security definer as $$
declare
  all_told text;
begin
  select string_agg(distinct coalesce(j.name, 'nobody') || ' ' || (m.payload ->> 'table'), ', ')
    into all_told
    from realtime.messages as m
    left join club.judge_links as l on 'judge:' || l.id = m.topic
    left join public.judges as j on j.id = l.judge
   where m.topic like 'judge:%' and m.private;
  delete from realtime.messages;
  return all_told;
end;
$$;
create function expect.hears(topic text) returns bigint language plpgsql as $$
begin
  perform set_config('realtime.topic', topic, true);
  return (select count(*) from realtime.messages);
end;
$$;
create function expect.channel_of(name text) returns text language sql security definer as $$ select 'judge:' || expect.link_of(name) $$;
grant execute on all routines in schema expect to public;
select expect.caller('owner');
select realtime.maintain_partitions();
delete from public.judges;
insert into public.young_artist_entries (entrant_name, age, parent_guardian_email, category) values ('Heard Painter', 15, 'p@example.org', 'Senior');
insert into public.judges (name) values ('Ann Judge'), ('Ben Judge'), ('Mia Judge');
insert into public.judge_categories (judge_id, category)
select j.id, c.category
  from (values ('Ann Judge', 'artist'), ('Ben Judge', 'photography'), ('Mia Judge', 'music')) as c (name, category)
  join public.judges as j using (name);
select expect.give_link('Ann Judge'), expect.give_link('Ben Judge'), expect.give_link('Mia Judge');
select expect.caller('owner');
delete from realtime.messages;
update public.young_artist_entries set artwork_description = 'changed' where id = expect.entry('Heard Painter');
select expect.value('select expect.told()', 'Ann Judge young_artist_entries');
insert into public.extra_files (kind, entrant_name, uploaded_files) values ('music', 'Skye Buchanan', '{skye-buchanan/1-a.mp3}');
select expect.value('select expect.told()', 'Mia Judge extra_files');
insert into public.judging_criteria (award, name) values ('photographer', 'Light and shade');
select expect.value('select expect.told()', 'Ben Judge judging_criteria');
insert into club.judge_marks (judge, award, entry, place) select j.id, 'artist', expect.entry('Heard Painter'), 1 from public.judges as j where j.name = 'Ann Judge';
insert into club.judge_finished (judge, award, category) select j.id, 'artist', 'senior' from public.judges as j where j.name = 'Ann Judge';
select expect.value('select expect.told()', 'Ann Judge judge_finished, Ann Judge judge_marks');

-- Other callers receive no messages on the judge's channel, and judges cannot send messages on it.
update public.young_artist_entries set artwork_description = 'again' where id = expect.entry('Heard Painter');
select expect.judge_with_link('Ann Judge');
select expect.value('select (public.own_judging() ->> ''channel'') = expect.channel_of(''Ann Judge'')', 'true');
select expect.value('select expect.hears(expect.channel_of(''Ann Judge'')) > 0', 'true');
select expect.value('select expect.hears(topic) from unnest(array[expect.channel_of(''Ben Judge'')]) as topic', '0');
select expect.value('select expect.hears(''judging'') + expect.hears(''desk'') + expect.hears(''judge:'')', '0');
select expect.refused('insert into realtime.messages (topic, extension, event, private) values (expect.channel_of(''Ann Judge''), ''broadcast'', ''changed'', true)', '42501');
select expect.judge_with_link('Ben Judge');
select expect.value('select expect.hears(expect.channel_of(''Ann Judge''))', '0');
select expect.caller('judge');
select expect.value('select expect.hears(expect.channel_of(''Ann Judge''))', '0');
select expect.caller('stranger');
select expect.value('select expect.hears(expect.channel_of(''Ann Judge''))', '0');
select expect.caller('anon');
select expect.value('select expect.hears(expect.channel_of(''Ann Judge''))', '0');

-- A link ends if it is revoked or replaced, or if its judge or season is deleted. The channel then gets a last message, and no further ones.
select expect.caller('owner');
delete from realtime.messages;
create temporary table ended as select expect.channel_of('Ann Judge') as topic;
grant select on ended to public;
select expect.caller('admin');
select public.revoke_judge_link((select id from public.judges where name = 'Ann Judge'));
select expect.caller('owner');
select expect.value('select expect.told()', 'Ann Judge judge_links');
update public.young_artist_entries set artwork_description = 'once more' where id = expect.entry('Heard Painter');
update public.judges set notes = 'revoked' where name = 'Ann Judge';
select expect.value('select expect.told()', null);
select expect.with_claim((select split_part(topic, ':', 2) from ended));
select expect.value('select expect.hears((select topic from ended))', '0');
select expect.caller('owner');
select set_config('expect.old', expect.channel_of('Mia Judge'), true);
select expect.give_link('Mia Judge');
select expect.caller('owner');
select expect.value('select count(*) from realtime.messages where topic = current_setting(''expect.old'') and payload ->> ''table'' = ''judge_links''', '1');
delete from realtime.messages;
delete from public.judges where name = 'Mia Judge';
select expect.value('select expect.told()', 'nobody judges');
update public.young_musician_entries set piece_title = 'changed' where entrant_name = 'Skye Buchanan';
select expect.value('select expect.told()', null);
insert into public.seasons (name, event_on) values ('Over', club.today() - 1);
select expect.value('select expect.told()', 'Ben Judge seasons');
