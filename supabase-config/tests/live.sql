-- Tests that admins and current judges are notified of changes. Each of the two groups has its own channel. The message contains only the
-- name of the table.
select expect.caller('owner');
select realtime.maintain_partitions();
delete from realtime.messages;
select expect.caller('anon');
insert into public.young_artist_entries (entrant_name, age, parent_guardian_email, category) values ('A Painter', 12, 'p@example.org', 'senior');
insert into public.young_musician_entries (entrant_name, age, parent_guardian_email, category) values ('A Player', 12, 'p@example.org', 'vocal');
select expect.caller('owner');
select expect.value('select string_agg(topic || '' '' || (payload - ''id'')::text || '' '' || private, '', '' order by payload ->> ''table'', topic) from realtime.messages',
  'desk {"table": "young_artist_entries"} true, judging {"table": "young_artist_entries"} true, desk {"table": "young_musician_entries"} true');

-- Changes of administrators and of the website are reported to admins too.
delete from realtime.messages;
insert into club.invited_admins (email) values ('new@example.org');
update public.site_texts set value = value where id = (select id from public.site_texts limit 1);
update auth.users set updated_at = now();
select expect.value('select string_agg(topic || '' '' || (payload ->> ''table''), '', '' order by payload ->> ''table'') from realtime.messages',
  'desk invited_admins, desk site_texts');
update auth.users set email_confirmed_at = now() where email = 'stranger@example.org';
select expect.value('select count(*) from realtime.messages where topic = ''desk'' and payload ->> ''table'' = ''users''', '1');

-- Tests who may join which channel, and which messages are received there.
select set_config('realtime.topic', 'desk', true);
select expect.caller('anon');
select expect.value('select count(*) from realtime.messages', '0');
select expect.caller('stranger');
select expect.value('select count(*) from realtime.messages', '0');
select expect.caller('judge');
select expect.value('select count(*) from realtime.messages', '0');
select expect.caller('admin');
select expect.value('select count(*) > 0 from realtime.messages', 'true');
select set_config('realtime.topic', 'judging', true);
select expect.value('select count(*) from realtime.messages', '0');
select expect.caller('anon');
select expect.value('select count(*) from realtime.messages', '0');
select expect.caller('stranger');
select expect.value('select count(*) from realtime.messages', '0');
select expect.caller('old judge');
select expect.value('select count(*) from realtime.messages', '0');
select expect.caller('judge');
select expect.value('select count(*) > 0 from realtime.messages', 'true');

-- No caller can send messages on this channel.
select expect.refused('insert into realtime.messages (topic, extension, event, private) values (''judging'', ''broadcast'', ''changed'', true)', '42501');
select set_config('realtime.topic', 'desk', true);
select expect.caller('anon');
select expect.refused('insert into realtime.messages (topic, extension, event, private) values (''desk'', ''broadcast'', ''changed'', true)', '42501');
select expect.caller('admin');
select expect.refused('insert into realtime.messages (topic, extension, event, private) values (''desk'', ''broadcast'', ''changed'', true)', '42501');

-- If the notification cannot be sent, the change succeeds anyway.
select expect.caller('owner');
alter function realtime.send(jsonb, text, text, boolean) rename to sent_no_more;
select expect.caller('anon');
select expect.affected('insert into public.young_musician_entries (entrant_name, age, parent_guardian_email, category) values (''Another'', 12, ''p@example.org'', ''vocal'')', 1);
