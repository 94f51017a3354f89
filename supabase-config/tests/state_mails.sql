-- Tests that an administrator can send the mail of a state once for each entry, and cannot send it for a withdrawn entry.
select expect.caller('owner');
delete from public.entry_mails;
delete from club.mail_jobs;
delete from public.seasons;
insert into public.seasons (name, event_on, event_time) values ('2099', '2099-11-20', '7 PM');
insert into public.young_artist_entries (id, entrant_name, age, parent_guardian_email, category, senior_ranking) values
  ('00000000-0000-4000-8000-000000000101', 'Ann {reference}', 15, 'ann@example.org', 'Senior', 1),
  ('00000000-0000-4000-8000-000000000102', 'Bob', 15, 'bob@example.org', 'Senior', null);
insert into public.young_artist_entries (id, entrant_name, age, parent_guardian_email, category, withdrawn_at)
values ('00000000-0000-4000-8000-000000000103', 'Cat', 15, 'cat@example.org', 'senior', now());
delete from club.mail_jobs;

create temporary table call (statement text);
grant select on call to public;
insert into call values
  ('select * from public.send_state_mails(''artist'', ''{00000000-0000-4000-8000-000000000101}'', ''winner'')'),
  ('select * from public.preview_state_mail(''artist'', ''00000000-0000-4000-8000-000000000101'', ''winner'')'),
  ('select * from club.state_mail(''artist'', ''00000000-0000-4000-8000-000000000101'', ''winner'')');
select expect.caller('anon');
select expect.refused(statement, '42501') from call;
select expect.refused('select * from public.mail_templates', '42501');
select expect.caller('judge');
select expect.refused(statement, '42501') from call;
select expect.caller('stranger');
select expect.refused(statement, '42501') from call;
select expect.affected('update public.mail_templates set subject = ''x''', 0);
select expect.refused('insert into public.entry_mails (award, entry, state) values (''artist'', gen_random_uuid(), ''winner'')', '42501');
select expect.caller('admin');
select expect.refused('select * from club.state_mail(''artist'', ''00000000-0000-4000-8000-000000000101'', ''winner'')', '42501');
select expect.refused('insert into public.entry_mails (award, entry, state) values (''artist'', gen_random_uuid(), ''winner'')', '42501');
select expect.refused('delete from public.mail_templates', '42501');
select expect.refused('update public.mail_templates set state = ''thanked''', '42501');
select expect.refused('update public.mail_templates set body = '' ''', '23514', 'mail_body_1_to_5000_characters');
select expect.refused('select * from public.send_state_mails(''artist'', ''{00000000-0000-4000-8000-000000000101}'', ''received'')', '23514', 'entry_mail_state_is_known');

-- The preview contains the data of the entry. A placeholder in the entrant's name is not replaced.
select expect.affected('update public.mail_templates set subject = ''{name}: {result}, {category}, {award}'', body = ''{ceremony} {time} {reference}'' where state = ''winner''', 1);
select expect.value('select concat_ws('' | '', address, subject, body) from public.preview_state_mail(''artist'', ''00000000-0000-4000-8000-000000000101'', ''winner'')',
  'ann@example.org | Ann {reference}: 1st place, Senior, Young Artist | 20th November 7 PM 00000000');
select expect.value('select subject from public.preview_state_mail(''artist'', ''00000000-0000-4000-8000-000000000102'', ''winner'')', 'Bob: a winner, Senior, Young Artist');
select expect.value('select count(*) from public.preview_state_mail(''artist'', ''00000000-0000-4000-8000-000000000103'', ''winner'')', '0');
select expect.value('select count(*) from public.preview_state_mail(''citizen'', ''00000000-0000-4000-8000-000000000101'', ''winner'')', '0');

-- Only one mail is sent for each entry and state, even if the button is clicked several times.
select expect.value('select string_agg(right(entry::text, 3) || '' '' || outcome, '', '' order by entry) from public.send_state_mails(''artist'', ''{00000000-0000-4000-8000-000000000101,00000000-0000-4000-8000-000000000101,00000000-0000-4000-8000-000000000103,00000000-0000-4000-8000-000000000109}'', ''winner'')',
  '101 queued, 103 withdrawn, 109 missing');
select expect.value('select string_agg(right(entry::text, 3) || '' '' || outcome, '', '' order by entry) from public.send_state_mails(''artist'', ''{00000000-0000-4000-8000-000000000101,00000000-0000-4000-8000-000000000102}'', ''winner'')',
  '101 sent, 102 queued');
select expect.value('select outcome from public.send_state_mails(''artist'', ''{00000000-0000-4000-8000-000000000101}'', ''thanked'')', 'queued');
select expect.value('select string_agg(right(entry::text, 3) || '' '' || state || '' '' || sent_by, '', '' order by entry, state) from public.entry_mails',
  '101 thanked admin@example.org, 101 winner admin@example.org, 102 winner admin@example.org');
select expect.caller('owner');
select expect.value('select string_agg(right(entry::text, 3) || '' '' || kind || '' '' || award || '' '' || state, '', '' order by entry, kind) from club.mail_jobs',
  '101 thanked artist queued, 101 winner artist queued, 102 winner artist queued');
-- The server sends the same text as in the preview. If the entry has been withdrawn meanwhile, nothing is sent. When an entry is deleted, its mails
-- are deleted too.
select expect.value('select subject from club.state_mail(''artist'', ''00000000-0000-4000-8000-000000000102'', ''winner'')', 'Bob: a winner, Senior, Young Artist');
update public.young_artist_entries set withdrawn_at = now() where id = '00000000-0000-4000-8000-000000000102';
select expect.value('select count(*) from club.state_mail(''artist'', ''00000000-0000-4000-8000-000000000102'', ''winner'')', '0');
delete from public.young_artist_entries where id = '00000000-0000-4000-8000-000000000101';
select expect.value('select string_agg(right(entry::text, 3), '' '') from public.entry_mails', '102');

-- After a merge, the mails of the merged entries count as mails of the kept entry, so it gets none of them again. If several mails of the same state
-- are queued, only one is kept.
insert into public.young_artist_entries (id, entrant_name, age, parent_guardian_email, category) values
  ('00000000-0000-4000-8000-000000000104', 'Dan', 15, 'dan@example.org', 'senior'),
  ('00000000-0000-4000-8000-000000000105', 'Dan', 15, 'dan@example.org', 'senior'),
  ('00000000-0000-4000-8000-000000000106', 'Dan', 15, 'dan@example.org', 'senior');
delete from club.mail_jobs;
select expect.caller('admin');
select public.send_state_mails('artist', '{00000000-0000-4000-8000-000000000104,00000000-0000-4000-8000-000000000105}', 'shortlisted');
select public.send_state_mails('artist', '{00000000-0000-4000-8000-000000000104,00000000-0000-4000-8000-000000000106}', 'invited');
select public.send_state_mails('artist', '{00000000-0000-4000-8000-000000000105,00000000-0000-4000-8000-000000000106}', 'winner');
select expect.caller('owner');
update club.mail_jobs set state = 'written', message_id = gen_random_uuid() where kind = 'invited' and entry = '00000000-0000-4000-8000-000000000106';
update club.mail_jobs set attempts = 1 where kind = 'winner' and entry = '00000000-0000-4000-8000-000000000105';
select expect.caller('admin');
select expect.value('select public.merge_entries(''artist'', ''00000000-0000-4000-8000-000000000104'', ''{00000000-0000-4000-8000-000000000105,00000000-0000-4000-8000-000000000106}'')', '2');
select expect.value('select string_agg(right(entry::text, 3) || '' '' || state || '' '' || sent_by, '', '' order by state) from public.entry_mails where entry::text ~ ''10[456]$''',
  '104 invited admin@example.org, 104 shortlisted admin@example.org, 104 winner admin@example.org');
select expect.value('select string_agg(state || '' '' || outcome, '', '' order by state) from (values (''invited''), (''shortlisted''), (''thanked''), (''winner'')) as s (state), public.send_state_mails(''artist'', ''{00000000-0000-4000-8000-000000000104}'', s.state)',
  'invited sent, shortlisted sent, thanked queued, winner sent');
select expect.caller('owner');
select expect.value('select string_agg(right(entry::text, 3) || '' '' || kind || '' '' || state || '' '' || attempts, '', '' order by kind) from club.mail_jobs',
  '104 invited written 0, 104 shortlisted queued 0, 104 thanked queued 0, 104 winner queued 1');

-- Values that visitors have typed: control characters are removed from a name, and it is put on one line. An invalid address is reported at once, and
-- it can be corrected.
select expect.caller('owner');
update public.mail_templates set subject = '{name}', body = '{name}' where state = 'winner';
insert into public.young_artist_entries (id, entrant_name, age, parent_guardian_email, category) values
  ('00000000-0000-4000-8000-000000000111', E' Eve\r\nBcc: a@example.org\n\n\u0007\u001b[31m\u202Etxt\u2028 Zoë', 15, 'eve@example.org', 'senior'),
  ('00000000-0000-4000-8000-000000000112', 'Two', 15, 'a..b@example.org', 'senior');
select expect.caller('admin');
select expect.value('select subject || ''|'' || body from public.preview_state_mail(''artist'', ''00000000-0000-4000-8000-000000000111'', ''winner'')',
  'Eve Bcc: a@example.org [31m txt Zoë|Eve Bcc: a@example.org [31m txt Zoë');
select expect.value('select string_agg(right(entry::text, 3) || '' '' || outcome, '', '' order by entry) from public.send_state_mails(''artist'', ''{00000000-0000-4000-8000-000000000111,00000000-0000-4000-8000-000000000112}'', ''winner'')',
  '111 queued, 112 address');
select expect.affected('update public.young_artist_entries set parent_guardian_email = ''b@example.org'' where entrant_name = ''Two''', 1);
select expect.value('select outcome from public.send_state_mails(''artist'', ''{00000000-0000-4000-8000-000000000112}'', ''winner'')', 'queued');
select expect.caller('owner');
select expect.value('select char_length(club.name_in_mail(repeat(''é'', 300)))', '200');
select expect.value(format('select club.can_be_mailed(%L)', address), 'true')
  from unnest(array['someone@localhost', ' Jane.O''Neil+club@Example.org ', 'a@bücher.example', 'a@b-c.example']) as address;
select expect.value(format('select club.can_be_mailed(%L)', address), 'false')
  from unnest(array['', 'a', '@', 'a@', '@b.org', 'a@b@c.org', 'a@b.org,c@d.org', '<a@b.org>', '"a"@b.org', 'a..b@c.org', '.a@c.org', 'a.@c.org', 'a@b..org', 'a@b.org.',
                    'a@[127.0.0.1]', 'a@127.0.0.1', 'ä@b.org', E'a@b.org\nBcc: c@d.org', repeat('a', 65) || '@b.org', 'a@' || repeat('b.', 130) || 'org']) as address;
