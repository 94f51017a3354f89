-- Tests that an administrator can remind each address of a group once a day, while entries are open. Nobody else can read or send reminders.
create function expect.day(days integer) returns date language sql as 'select club.today() + days';
grant execute on all routines in schema expect to public;

select expect.caller('owner');
delete from public.reminders;
delete from club.mail_jobs;
delete from public.seasons;
delete from public.offline_submissions;
delete from public.contact_departments;
delete from public.contacts;
delete from public.young_artist_entries;
delete from public.young_photographer_entries;
delete from public.young_musician_entries;
delete from public.young_citizen_nominations;
insert into public.seasons (name, event_on, deadline_on, opens_on, event_time) values ('Now', expect.day(30), expect.day(10), expect.day(-5), '7 PM');
update public.schools set email = null;
insert into public.schools (id, name, email) values
  ('00000000-0000-4000-8000-000000000201', 'Silent High', 'office@silent.example.org'),
  ('00000000-0000-4000-8000-000000000202', 'Busy High', 'office@busy.example.org'),
  ('00000000-0000-4000-8000-000000000203', 'Paper High', 'office@paper.example.org'),
  ('00000000-0000-4000-8000-000000000204', 'St. Typed''s', 'office@typed.example.org'),
  ('00000000-0000-4000-8000-000000000205', 'No Contact High', 'office@none.example.org'),
  ('00000000-0000-4000-8000-000000000206', 'Declined High', 'office@declined.example.org'),
  ('00000000-0000-4000-8000-000000000207', 'Second Silent', null);
insert into public.departments (id, school_id, name)
select ('00000000-0000-4000-8000-0000000003' || right(id::text, 2))::uuid, id, 'Art' from public.schools where id::text like '00000000-0000-4000-8000-0000000002__';
insert into public.contacts (id, name, email, status, department_id) values
  ('00000000-0000-4000-8000-000000000211', 'Mr Silent', 'head@silent.example.org', 'initial_contact', '00000000-0000-4000-8000-000000000301'),
  ('00000000-0000-4000-8000-000000000212', 'Ms Busy', 'head@busy.example.org', 'initial_contact', '00000000-0000-4000-8000-000000000302'),
  ('00000000-0000-4000-8000-000000000213', 'Mr Paper', 'head@paper.example.org', 'initial_contact', '00000000-0000-4000-8000-000000000303'),
  ('00000000-0000-4000-8000-000000000214', 'Ms Typed', 'head@typed.example.org', 'initial_contact', '00000000-0000-4000-8000-000000000304'),
  ('00000000-0000-4000-8000-000000000215', 'Mr Declined', 'head@declined.example.org', 'declined', '00000000-0000-4000-8000-000000000306'),
  ('00000000-0000-4000-8000-000000000216', 'Ms No Address', '', 'initial_contact', '00000000-0000-4000-8000-000000000305'),
  ('00000000-0000-4000-8000-000000000217', 'Mr Silent again', 'HEAD@silent.example.org', 'no_response', '00000000-0000-4000-8000-000000000307');
insert into public.contact_departments (contact_id, department_id) values ('00000000-0000-4000-8000-000000000217', '00000000-0000-4000-8000-000000000307');
insert into public.offline_submissions (school_id, category, count) values ('00000000-0000-4000-8000-000000000203', 'artist', 3), ('00000000-0000-4000-8000-000000000201', 'artist', 0);
insert into public.young_photographer_entries (id, entrant_name, age, parent_guardian_email, category, publicity_consent, school_id, uploaded_files) values
  ('00000000-0000-4000-8000-000000000221', 'Ann', 15, 'ann@example.org', 'senior', 'agree', '00000000-0000-4000-8000-000000000202', '{photographer/a/1-a.png}'),
  ('00000000-0000-4000-8000-000000000222', 'Bob', 15, 'bob@example.org', 'senior', 'agree', null, null);
insert into public.young_artist_entries (id, entrant_name, age, parent_guardian_email, category, publicity_consent, school) values
  ('00000000-0000-4000-8000-000000000223', 'Cat', 15, 'BOB@example.org', 'senior', null, 'st typeds'),
  ('00000000-0000-4000-8000-000000000224', 'Dan', 15, 'dan@example.org', 'senior', 'disagree', null),
  ('00000000-0000-4000-8000-000000000225', 'Eve', 15, 'a..b@example.org', 'senior', 'agree', null);
insert into public.young_artist_entries (id, entrant_name, age, parent_guardian_email, category, withdrawn_at) values ('00000000-0000-4000-8000-000000000226', 'Fay', 15, 'fay@example.org', 'senior', now());
insert into public.young_artist_entries (id, entrant_name, age, parent_guardian_email, category, created_at) values ('00000000-0000-4000-8000-000000000227', 'Gus', 15, 'gus@example.org', 'senior', now() - interval '300 days');
insert into public.seasons (name, event_on) values ('Before', expect.day(-200));
insert into public.extra_files (kind, entrant_name, uploaded_files) values ('additional', ' dán ', '{artist/dan/1-a.png}');
insert into public.young_musician_entries (id, entrant_name, age, parent_guardian_email, category) values ('00000000-0000-4000-8000-000000000228', 'Hal', 15, 'hal@example.org', 'vocal');
insert into public.young_citizen_nominations (nomination_type, nominee_name, nominee_age, parent_guardian_email, nominator_name, nominator_email, key_achievement, why_deserving)
values ('individual', 'Ida', 12, 'ida@example.org', 'N', 'n@example.org', 'kind', 'true');
delete from club.mail_jobs;

create temporary table call (statement text);
grant select on call to public;
insert into call values
  ('select * from public.list_reminders(''files'')'),
  ('select * from public.preview_reminder(''files'', ''00000000-0000-4000-8000-000000000222'')'),
  ('select * from public.send_reminders(''files'', ''{00000000-0000-4000-8000-000000000222}'')'),
  ('select * from club.reminder_recipients(''files'')'),
  ('select * from club.reminder_targets(''files'')'),
  ('select * from club.reminder_mail(gen_random_uuid())'),
  ('select * from club.silent_schools()'),
  ('select * from club.reminder_mails'),
  ('insert into public.reminders (audience, mails) values (''files'', 1)');
select expect.caller('anon');
select expect.refused(statement, '42501') from call;
select expect.refused('select * from public.reminders', '42501');
select expect.caller('judge');
select expect.refused(statement, '42501') from call;
select expect.refused('select * from public.reminders', '42501');
select expect.caller('stranger');
select expect.refused(statement, '42501') from call;
select expect.caller('admin');
select expect.refused(statement, '42501') from call where statement like '%club.%' or statement like 'insert%';

-- The groups of recipients. A school counts as silent only if it has sent nothing: no entry, no entry with the school's name as typed text, and no
-- entry on paper.
select expect.value('select string_agg(lower(address) || '' '' || name || '': '' || replace(detail, E''\n'', '' + ''), ''; '' order by address) from public.list_reminders(''schools'')',
  'head@silent.example.org Mr Silent, Mr Silent again: Second Silent + Silent High; office@none.example.org No Contact High: No Contact High');
select expect.value('select string_agg(lower(address) || '' '' || name || '' '' || can_be_mailed, ''; '' order by lower(address)) from public.list_reminders(''files'')',
  'a..b@example.org Eve false; bob@example.org Bob, Cat true');
select expect.value('select string_agg(lower(address) || '' '' || name, ''; '' order by lower(address)) from public.list_reminders(''consent'')',
  'bob@example.org Cat; hal@example.org Hal');
select expect.value('select count(*) from public.list_reminders(''everybody'')', '0');
-- Addresses that some providers give to different people count as two addresses.
select expect.caller('owner');
update public.young_artist_entries set parent_guardian_email = 'b.ob+art@example.org' where id = '00000000-0000-4000-8000-000000000223';
select expect.caller('admin');
select expect.value('select string_agg(address || '' '' || name, ''; '' order by address) from public.list_reminders(''files'') where name in (''Bob'', ''Cat'')', 'b.ob+art@example.org Cat; bob@example.org Bob');
select expect.caller('owner');
update public.young_artist_entries set parent_guardian_email = 'BOB@example.org' where id = '00000000-0000-4000-8000-000000000223';
select expect.caller('admin');

-- The preview contains the dates of the season.
select expect.affected('update public.mail_templates set subject = ''{deadline}, {left}'', body = ''{name}|{list}|{time}'' where state = ''reminder_consent''', 1);
select expect.value('select concat_ws('' '', address, subject, body) from public.preview_reminder(''consent'', ''00000000-0000-4000-8000-000000000228'')',
  'hal@example.org ' || to_char(expect.day(10), 'FMDD FMMonth YYYY') || ', in 10 days Hal|Young Musician, Vocal, reference 00000000|7 PM');
select expect.value('select count(*) from public.preview_reminder(''consent'', ''00000000-0000-4000-8000-000000000222'')', '0');

-- Each address gets one mail, even if it belongs to several entries. On the same day, an address gets another mail only if the administrator
-- confirms this.
select expect.value('select string_agg(right(recipient::text, 3) || '' '' || outcome, '', '' order by recipient) from public.send_reminders(''files'', ''{00000000-0000-4000-8000-000000000222,00000000-0000-4000-8000-000000000223,00000000-0000-4000-8000-000000000225,00000000-0000-4000-8000-000000000224,00000000-0000-4000-8000-000000000222}'')',
  '222 queued, 223 queued, 224 gone, 225 address');
select expect.value('select string_agg(audience || '' '' || mails || '' '' || sent_by, '', '') from public.reminders', 'files 1 admin@example.org');
select expect.value('select string_agg(lower(address) || '' '' || (reminded_at = now()), '', '' order by lower(address)) from public.list_reminders(''files'') where reminded_at is not null', 'bob@example.org true');
select expect.value('select outcome from public.send_reminders(''files'', ''{00000000-0000-4000-8000-000000000222}'')', 'recent');
-- This also applies to a mail to another group.
select expect.value('select string_agg(outcome, '' '' order by recipient) from public.send_reminders(''consent'', ''{00000000-0000-4000-8000-000000000223,00000000-0000-4000-8000-000000000228}'')', 'recent queued');
select expect.value('select outcome from public.send_reminders(''files'', ''{00000000-0000-4000-8000-000000000222}'', null)', 'recent');
select expect.value('select outcome from public.send_reminders(''files'', ''{00000000-0000-4000-8000-000000000222}'', true)', 'queued');
select expect.caller('owner');
select expect.value('select string_agg(kind || '' '' || award || '' '' || state, '', '' order by award) from club.mail_jobs', 'reminder consent queued, reminder files queued, reminder files queued');
update club.reminder_mails set created_at = now() - interval '25 hours';
select expect.caller('admin');
select expect.value('select outcome from public.send_reminders(''files'', ''{00000000-0000-4000-8000-000000000222}'')', 'queued');
select expect.refused('select public.send_reminders(''files'', (select array_agg(gen_random_uuid()) from generate_series(1, 1001)))', 'P0001');
-- A call that sends no mail leaves no record.
select expect.value('select count(*) from public.reminders', '4');
select expect.value('select outcome from public.send_reminders(''files'', ''{00000000-0000-4000-8000-000000000224}'')', 'gone');
select expect.value('select count(*) from public.reminders', '4');

-- The worker writes the same text as in the preview. If the missing items have arrived meanwhile, it writes no mail.
select expect.caller('owner');
select expect.value('select count(*) from club.mail_jobs as j, club.reminder_mail(j.entry) as m', '4');
select expect.value('select subject from club.mail_jobs as j, club.reminder_mail(j.entry) as m where j.award = ''consent''', to_char(expect.day(10), 'FMDD FMMonth YYYY') || ', in 10 days');
update public.young_musician_entries set publicity_consent = 'agree' where entrant_name = 'Hal';
select expect.value('select count(*) from club.mail_jobs as j, club.reminder_mail(j.entry) as m where j.award = ''consent''', '0');

-- A written reminder is recorded as a mail of each of its entries. If entries are merged, the kept entry keeps this record. If an entry is deleted,
-- its record is deleted too.
update club.mail_jobs set state = 'written', message_id = gen_random_uuid() where id = (select id from club.mail_jobs where award = 'files' limit 1);
select expect.value('select string_agg(right(entry::text, 3) || '' '' || award || '' '' || state, '', '' order by entry) from club.mail_jobs where entry::text like ''%000000000222'' or entry::text like ''%000000000223''', '222 photographer written, 223 artist written');
insert into public.young_artist_entries (id, entrant_name, age, parent_guardian_email, category) values ('00000000-0000-4000-8000-000000000229', 'Cat', 15, 'new@example.org', 'senior');
select expect.caller('admin');
select expect.value('select public.merge_entries(''artist'', ''00000000-0000-4000-8000-000000000229'', ''{00000000-0000-4000-8000-000000000223}'')', '1');
select expect.caller('owner');
select expect.value('select distinct (select string_agg(right(t::text, 3), '' '' order by t) from unnest(targets) as t) from club.reminder_mails where audience = ''files''', '222 229');
-- The worker has composed the waiting mails and then marks their jobs as done. If an entry was deleted in between, its job no longer exists. The
-- mails that name this entry are composed again for the other entry, and the previous text is deleted.
create temporary table composed as select id, entry from club.mail_jobs where kind = 'reminder' and award = 'files' and state = 'queued';
create temporary table written as select message_id as id from club.mail_jobs where kind = 'reminder' and award = 'files' and state = 'written' limit 1;
insert into cloch.mail_outbox (id, kind, recipients, subject, html, body_text, state)
select id, 'reminder', '{bob@example.org}', 'Reminder', 'Bob', 'Bob', 'queued' from written;
select expect.value('select count(*) from composed', '2');
delete from public.young_photographer_entries where id = '00000000-0000-4000-8000-000000000222';
select expect.affected('update club.mail_jobs set state = ''written'' where id in (select id from composed) and state = ''queued''', 0);
select expect.value('select count(*) from club.mail_jobs where state = ''queued'' and entry in (select entry from composed)', '2');
select expect.value('select count(*) from cloch.mail_outbox where id in (select id from written)', '0');
select expect.value('select count(*) from club.mail_jobs where entry = ''00000000-0000-4000-8000-000000000222''', '0');
select expect.value('select count(*) from club.reminder_mails where audience = ''files'' and targets = ''{00000000-0000-4000-8000-000000000229}''', '3');
delete from public.young_artist_entries where id = '00000000-0000-4000-8000-000000000229';
select expect.value('select count(*) from club.reminder_mails where audience = ''files''', '0');
select expect.value('select count(*) from club.mail_jobs where kind = ''reminder'' and award = ''files''', '0');

-- No reminder is sent or written before the first day, after the last day, for a season without a last day, or without a season.
create temporary table day (name text, opens integer, deadline integer, event integer);
insert into day values ('not yet open', 2, 10, 30), ('over', -5, -1, 30), ('no last day', -5, null, 30), ('nothing', null, null, -100);
grant select on day to public;
delete from public.seasons;
insert into public.seasons (name, event_on, deadline_on) values ('Now', expect.day(30), expect.day(0));
select expect.caller('admin');
select expect.value('select count(*) from public.list_reminders(''schools'')', '3');
select expect.value('select outcome from public.send_reminders(''schools'', ''{00000000-0000-4000-8000-000000000211}'', true)', 'queued');
select expect.caller('owner');
do $$
declare
  one record;
begin
  for one in select * from day loop
    perform expect.caller('owner');
    delete from public.seasons;
    insert into public.seasons (name, event_on, deadline_on, opens_on) values (one.name, expect.day(one.event), expect.day(one.deadline), expect.day(one.opens));
    perform expect.value('select count(*) from club.mail_jobs as j, club.reminder_mail(j.entry) as m', '0');
    perform expect.caller('admin');
    perform expect.value('select count(*) from public.list_reminders(''schools'')', '0');
    perform expect.value('select count(*) from public.preview_reminder(''schools'', ''00000000-0000-4000-8000-000000000211'')', '0');
    perform expect.refused('select public.send_reminders(''schools'', ''{00000000-0000-4000-8000-000000000211}'', true)', 'P0001');
  end loop;
end;
$$;

-- The reminders of a season are deleted together with the season. Reminders and mail jobs of a later season are kept.
select expect.caller('owner');
delete from public.seasons;
update public.reminders set created_at = now() - interval '300 days' where audience <> 'schools';
insert into public.seasons (name, event_on) values ('Before', expect.day(-200));
update public.seasons set deleted_at = now();
select expect.value('select string_agg(audience, '' '') from public.reminders', 'schools');
select expect.value('select string_agg(award, '' '') from club.mail_jobs where kind = ''reminder''', 'schools');
