-- Tests that a visitor who asks for the link to an entry learns nothing, and that only the address of an entry gets a link, for a day.
create function expect.day(days integer) returns date language sql as 'select club.today() + days';
grant execute on all routines in schema expect to public;
select expect.caller('owner');
delete from public.seasons;
delete from public.entry_links;
delete from club.mail_jobs;
insert into public.seasons (name, event_on, deadline_on) values ('Now', expect.day(30), expect.day(10));
insert into public.young_artist_entries (id, entrant_name, age, parent_guardian_email, category) values
  ('00000000-0000-4000-8000-000000000301', 'Ann', 12, 'Pa.Rent@example.org', 'senior'),
  ('00000000-0000-4000-8000-000000000302', 'Bob', 12, 'pa.rent@example.org', 'senior'),
  ('00000000-0000-4000-8000-000000000303', 'Cat', 12, 'parent@example.org', 'senior'),
  ('00000000-0000-4000-8000-000000000304', 'Dan', 12, 'pa.rent@example.org', 'senior');
insert into public.young_citizen_nominations (nomination_type, nominee_name, nominee_age, parent_guardian_email, nominator_name, nominator_email, key_achievement, why_deserving)
values ('individual', 'Eve', 12, 'pa.rent@example.org', 'N', 'nominator@example.org', 'kind', 'true');
insert into public.entry_links (award, entry, token_hash, revoked_at) values ('artist', '00000000-0000-4000-8000-000000000304', 'ended', now());
delete from club.mail_jobs;

-- All statements that callers other than the worker may try. A visitor may only request a mail.
create temporary table call (statement text);
grant select on call to public;
insert into call values
  ('select * from club.link_requests'),
  ('insert into club.link_requests (address) values (''a@example.org'')'),
  ('select * from club.entries_of_address(''pa.rent@example.org'')'),
  ('select club.take_link_mail(''pa.rent@example.org'')'),
  ('select club.make_entry_link(''artist'', ''00000000-0000-4000-8000-000000000301'')');
select expect.caller('anon');
select expect.refused(statement, '42501') from call;
select expect.caller('judge');
select expect.refused(statement, '42501') from call;
select expect.refused('select public.ask_entry_link(''pa.rent@example.org'')', '42501');
select expect.caller('stranger');
select expect.refused(statement, '42501') from call;
select expect.refused('select public.ask_entry_link(''pa.rent@example.org'')', '42501');
select expect.caller('admin');
select expect.refused(statement, '42501') from call;

-- The response is the same for an address with entries, for an address without entries, and for an invalid address. Each address is stored before
-- any entry is searched.
select expect.caller('anon');
select expect.value(format('select public.ask_entry_link(%L)', address), '')
  from unnest(array['pa.rent@example.org', 'nobody@example.org', 'no address', '', null, repeat('a', 300) || '@example.org', '''; drop table club.link_requests --']) as address;
select expect.caller('owner');
select expect.value('select string_agg(address, '' '' order by address) from club.link_requests', 'nobody@example.org pa.rent@example.org');
select expect.value('select count(*) from club.mail_jobs where kind = ''entry_link'' and award = ''link'' and entry in (select id from club.link_requests)', '2');
select expect.value('select count(*) from public.entry_links', '1');

-- Determines the entries of an address, regardless of upper and lower case. Entries that are not found: those of another address that some
-- providers treat as the same mailbox; withdrawn entries; entries whose link an administrator has revoked; entries in which the address is that of
-- a parent, if the nominator is another person.
select expect.value('select string_agg(right(entry::text, 3), '' '' order by entry) from club.entries_of_address(''PA.rent@example.org '')', '301 302');
select expect.value('select string_agg(stored_address, '' '') from club.entries_of_address(''parent@example.org'')', 'parent@example.org');
select expect.value('select count(*) from club.entries_of_address(''pa.rent+1@example.org'')', '0');
select expect.value('select string_agg(award, '' '') from club.entries_of_address(''nominator@example.org'')', 'citizen');
select expect.value(format('select count(*) from club.entries_of_address(%L)', address), '0') from unnest(array['', '%', 'pa_rent@example.org', null]) as address;
update public.young_artist_entries set withdrawn_at = now() where entrant_name = 'Bob';
select expect.value('select string_agg(right(entry::text, 3), '' '') from club.entries_of_address(''pa.rent@example.org'')', '301');

-- A link from a mail opens its entry, and ends after a day. It has no effect on the link that the sender got before.
create temporary table made as select club.make_entry_link('artist', '00000000-0000-4000-8000-000000000301') as token;
grant select on made to public;
select expect.value('select token ~ ''^[0-9a-f]{64}$'' and token not in (select l::text from public.entry_links as l) from made', 'true');
select expect.caller('anon');
select expect.value('select public.entry_by_link(token) #>> ''{columns,entrant_name}'' from made', 'Ann');
select expect.value('select public.correct_entry(token, (public.entry_by_link(token) ->> ''readAt'')::timestamptz, ''{"artwork_title": "Tides"}'') from made', 'saved');
select expect.caller('owner');
select expect.value('select expires_at - created_at from public.entry_links where expires_at is not null', '1 day');
update public.entry_links set expires_at = now() - interval '1 second' where expires_at is not null;
select expect.caller('anon');
select expect.value('select public.entry_by_link(token) from made', null);
select expect.value('select public.correct_entry(token, now(), ''{}'') from made', 'ended');
select expect.caller('admin');
select expect.value('select count(expires_at) from public.entry_links', '1');

-- Limits for mails to one mailbox, regardless of how the address is written: one mail in five minutes, and five in a day.
select expect.caller('owner');
select expect.value('select club.take_link_mail(''pa.rent@example.org'')', 'true');
select expect.value('select club.take_link_mail(''Parent+1@example.org'')', 'false');
do $$
begin
  for round in 1..5 loop
    delete from cloch.rate_limits where subject like 'club/link-mails/%/minutes';
    perform expect.value('select club.take_link_mail(''pa.rent@example.org'')', case when round < 5 then 'true' else 'false' end);
  end loop;
end;
$$;

-- After the last day for entries there are no links. One network can request at most thirty mails in an hour.
update public.seasons set deadline_on = expect.day(-1);
select expect.value('select count(*) from club.entries_of_address(''pa.rent@example.org'')', '0');
select expect.caller('anon');
select set_config('cloch.network', '192.0.2.7', true);
select public.ask_entry_link('a@example.org') from generate_series(1, 30);
select expect.refused('select public.ask_entry_link(''a@example.org'')', 'PT429');
select expect.refused('select public.ask_entry_link(''pa.rent@example.org'')', 'PT429');

-- Requests for which no mail was sent are deleted. The end of a season does not delete requests of the same day.
select expect.caller('owner');
update club.link_requests set created_at = now() - interval '4 days' where address = 'nobody@example.org';
select set_config('cloch.network', '192.0.2.8', true);
select expect.caller('anon');
select public.ask_entry_link('b@example.org');
select expect.caller('owner');
select expect.value('select count(*) from club.link_requests where address = ''nobody@example.org''', '0');
update public.seasons set deleted_at = now();
select expect.value('select count(*) from club.mail_jobs as j join club.link_requests as l on l.id = j.entry where l.address = ''b@example.org''', '1');
