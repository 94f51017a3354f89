-- Reminders: before the last day for entries, an administrator reminds schools that have sent nothing, and whoever answers for an entry that lacks
-- its files or an answer about publicity. They use the templates and the queue of the mails by state. Nothing is sent before entries open or after
-- the last day. A late link has no address, so nobody is reminded of one.

alter table public.mail_templates
  drop constraint mail_state_is_known,
  add constraint mail_state_is_known check (
    state in ('shortlisted', 'invited', 'winner', 'thanked', 'reminder_schools', 'reminder_files', 'reminder_consent'));

insert into public.mail_templates (state, subject, body) values
  ('reminder_schools', 'Youth awards: entries are open until {deadline}',
   E'Hello {name},\n\nwe have no entry to this year''s youth awards from you yet:\n\n{list}\n\nEntries are open until the end of {deadline} ({left}). They can be sent on our website. If you have entries on paper, answer this mail, and we collect them.\n\nThe ceremony is on {ceremony} at {time}, {location}.\n\nIf you have sent something already, or do not want to take part this year, please tell us in an answer to this mail.'),
  ('reminder_files', 'Youth awards: the picture is missing, and the last day is {deadline}',
   E'Hello,\n\nwe have received the entry of {name}, but no picture with it:\n\n{list}\n\nWithout a picture, the judges cannot look at the entry. Please send it until the end of {deadline} ({left}): on our website, on the page "Your entry", type this mail address, and you get a link with which you can add files. Or answer this mail and attach the picture.'),
  ('reminder_consent', 'Youth awards: may we publish name and picture?',
   E'Hello,\n\nthe entry of {name} does not say whether we may publish the name and the picture:\n\n{list}\n\nPlease tell us until {deadline} ({left}): answer this mail with "agree" or "disagree". Without an answer, we publish neither. The answer makes no difference for the judges.');

-- Who sent reminders when, to which group, and how many. It names nobody.
create table public.reminders (
  id         uuid not null default gen_random_uuid(),
  audience   text not null,
  mails      integer not null,
  sent_by    text,
  created_at timestamptz not null default now(),
  constraint reminders_pkey primary key (id),
  constraint reminder_audience_is_known check (audience in ('schools', 'files', 'consent')),
  constraint reminder_mails_is_positive check (mails > 0)
);
select club.register_table('public.reminders', read_only_policy => 'Admins read which reminders were sent');
create index reminders_created_at_idx on public.reminders (created_at desc);
create trigger tell_of_change after insert or update or delete on public.reminders
  for each statement execute function club.tell_of_change('desk');

-- The mails of a reminder, one for each mailbox. The address is kept as its hash; `targets` are the contacts, schools or entries. No caller of the
-- API reads this table.
create table club.reminder_mails (
  id           uuid not null default gen_random_uuid(),
  reminder     uuid not null,
  audience     text not null,
  mailbox_hash bytea not null,
  targets      uuid[] not null,
  created_at   timestamptz not null default now(),
  constraint reminder_mails_pkey primary key (id),
  constraint reminder_mails_reminder_fkey foreign key (reminder) references public.reminders (id) on delete cascade
);
alter table club.reminder_mails enable row level security;
create index reminder_mails_reminder_idx on club.reminder_mails (reminder);
create index reminder_mails_mailbox_hash_idx on club.reminder_mails (mailbox_hash, created_at desc);
create index reminder_mails_targets_idx on club.reminder_mails using gin (targets);

-- The season of which reminders are sent now: entries are open and have a last day. No row at any other time.
create function club.reminded_season() returns setof public.seasons
language sql stable set search_path = '' as $$
  select s.*
    from (select * from public.seasons where ends_at > now() order by ends_at, id limit 1) as s
   where s.closes_at > now() and not (select c.is_closed from club.closed_entries() as c)
$$;
revoke execute on function club.reminded_season() from public;

-- Schools of which nothing has arrived in this season: no entry that counts, assigned or with the school's name typed, and nothing on paper.
create function club.silent_schools() returns setof public.schools
language sql stable set search_path = '' as $$
  with entered as (
    select school_id, null::text as school from public.young_citizen_nominations
     where withdrawn_at is null and created_at >= club.season_begins_at()
    union all
    select school_id, school from public.young_musician_entries
     where withdrawn_at is null and created_at >= club.season_begins_at()
    union all
    select school_id, school from public.young_photographer_entries
     where withdrawn_at is null and created_at >= club.season_begins_at()
    union all
    select school_id, school from public.young_artist_entries
     where withdrawn_at is null and created_at >= club.season_begins_at()
    union all
    select school_id, null from public.offline_submissions where count > 0 and created_at >= club.season_begins_at()
  )
  select s.*
    from public.schools as s
   where not exists (select from entered as e where e.school_id = s.id)
     and club.comparable_name(s.name) not in (
           select club.comparable_name(e.school) from entered as e where e.school_id is null and e.school is not null)
$$;
revoke execute on function club.silent_schools() from public;

-- Whom a group reminds, one row for each reason. 'schools': the contacts of such schools, except those who have declined or whose work waits to be
-- collected; the address of the school itself if no contact has one. 'files': entries of photographers and artists without any file, also none
-- sent after the entry under the same name. 'consent': entries whose form asked for an answer about publicity and got none. A nomination is not
-- among them: its form does not ask, and the nominator cannot answer for the nominee.
create function club.reminder_targets(audience text) returns table (target uuid, address text, name text, detail text)
language sql stable set search_path = '' as $$
  with people as (
    select distinct c.id, c.name, nullif(btrim(c.email), '') as email, c.status in ('declined', 'ready_for_collection') as is_settled, d.school_id
      from public.contacts as c
      left join public.contact_departments as l on l.contact_id = c.id
      join public.departments as d on d.id in (l.department_id, c.department_id)
  ), silent as (
    select s.* from club.silent_schools() as s where $1 = 'schools'
  ), entries as (
    select e.*, r.address, r.publicity_consent
      from club.entries as e
      join club.receipts as r on r.award = e.award and r.entry = e.id
     where e.withdrawn_at is null and e.created_at >= club.season_begins_at() and e.award <> 'citizen'
  )
  select p.id, p.email, p.name, s.name
    from people as p
    join silent as s on s.id = p.school_id
   where not p.is_settled and p.email is not null
  union all
  select s.id, btrim(s.email), s.name, s.name
    from silent as s
   where btrim(s.email) <> ''
     and not exists (select from people as p where p.school_id = s.id and (p.is_settled or p.email is not null))
  union all
  select e.id, btrim(e.address), e.name,
         concat_ws(', ',
           case e.award when 'musician' then 'Young Musician' when 'photographer' then 'Young Photographer' else 'Young Artist' end,
           initcap(e.category), 'reference ' || upper(left(replace(e.id::text, '-', ''), 8)))
    from entries as e
   where btrim(e.address) <> ''
     and (($1 = 'files' and e.award <> 'musician' and coalesce(cardinality(e.uploaded_files), 0) = 0
           and not exists (
                 select from public.extra_files as x
                  where x.created_at >= club.season_begins_at() and club.path_name(x.entrant_name) = club.path_name(e.name)))
       or ($1 = 'consent' and coalesce(btrim(e.publicity_consent), '') = ''))
$$;
revoke execute on function club.reminder_targets(text) from public;

-- The same by address: each gets one mail, which lists all its reasons. Capitals aside, but not by club.mailbox: some providers give two mailboxes to
-- what that calls one, and a mail must not name the child of another family.
create function club.reminder_recipients(audience text)
returns table (mailbox text, address text, name text, detail text, targets uuid[])
language sql stable set search_path = '' as $$
  select lower(btrim(t.address)), min(t.address),
         -- Many names of one address are not all read out.
         case when count(distinct t.name) <= 3 then string_agg(distinct club.name_in_mail(t.name), ', ')
              else min(club.name_in_mail(t.name)) || ' and ' || count(distinct t.name) - 1 || ' others' end,
         string_agg(distinct t.detail, E'\n'), array_agg(distinct t.target)
    from club.reminder_targets($1) as t
   group by lower(btrim(t.address))
$$;
revoke execute on function club.reminder_recipients(text) from public;

-- The mail of a group with the season's dates filled in. No row when nothing may be sent.
create function club.reminder_text(audience text, name text, detail text) returns table (subject text, body text)
language sql stable set search_path = '' as $$
  select club.filled_text(t.subject, f.facts, $2), club.filled_text(t.body, f.facts, $2)
    from club.reminded_season() as s
    join public.mail_templates as t on t.state = 'reminder_' || $1
   cross join lateral (
         select jsonb_build_object(
                  'deadline', to_char(s.deadline_on, 'FMDD FMMonth YYYY'),
                  'left', case s.deadline_on - club.today() when 0 then 'today' when 1 then 'tomorrow'
                               else 'in ' || s.deadline_on - club.today() || ' days' end,
                  'ceremony', c.texts ->> 'ceremony', 'time', c.texts ->> 'ceremonyTime',
                  'location', coalesce((select e.location from public.site_events as e where e.is_ceremony order by e.position limit 1), ''),
                  'list', $3) as facts
           from (select public.published_content() -> 'texts' as texts) as c) as f
$$;
revoke execute on function club.reminder_text(text, text, text) from public;

-- The mail that the worker writes. No row if entries have closed, or if nobody at this mailbox has to be reminded any more.
create function club.reminder_mail(mail uuid) returns table (address text, subject text, body text)
language sql stable security definer set search_path = '' as $$
  select r.address, t.subject, t.body
    from club.reminder_mails as m
   cross join lateral club.reminder_recipients(m.audience) as r
   cross join lateral club.reminder_text(m.audience, r.name, r.detail) as t
   where m.id = $1 and club.token_hash(r.mailbox) = m.mailbox_hash and r.targets && m.targets
$$;
revoke execute on function club.reminder_mail(uuid) from public;
grant execute on function club.reminder_mail(uuid) to service_role;

-- For administrators: whom a group would remind, and when the mailbox last got a reminder of any group. `recipient` stands for the mailbox.
create function public.list_reminders(audience text)
returns table (recipient uuid, address text, name text, detail text, can_be_mailed boolean, reminded_at timestamptz)
language plpgsql stable security definer set search_path = '' as $$
begin
  perform club.require_admin();
  return query
    select r.targets[1], r.address, r.name, r.detail, club.can_be_mailed(r.address),
           (select max(m.created_at) from club.reminder_mails as m where m.mailbox_hash = club.token_hash(r.mailbox))
      from club.reminder_recipients($1) as r
     where exists (select from club.reminded_season())
     order by lower(r.name), r.address;
end;
$$;

-- The mail before it is sent, by the code that sends it.
create function public.preview_reminder(audience text, recipient uuid) returns table (address text, subject text, body text)
language plpgsql stable security definer set search_path = '' as $$
begin
  perform club.require_admin();
  return query
    select r.address, t.subject, t.body
      from club.reminder_recipients($1) as r
     cross join lateral club.reminder_text($1, r.name, r.detail) as t
     where $2 = any (r.targets);
end;
$$;

-- Queues a reminder for recipients of a group, all in one transaction. Says of each: 'queued'; 'recent' if the mailbox got a reminder in the last
-- 24 hours, unless `again`; 'address' if no mail can be sent to the address; 'gone' if there is nothing to remind of any more.
create function public.send_reminders(audience text, recipients uuid[], again boolean default false)
returns table (recipient uuid, outcome text)
language plpgsql security definer set search_path = '' as $$
#variable_conflict use_column
declare
  reminder uuid := gen_random_uuid();
begin
  perform club.require_admin();
  if cardinality(recipients) > 1000 then
    raise exception 'At most 1000 recipients at once';
  end if;
  if not exists (select from club.reminded_season()) then
    raise exception 'Reminders are sent while entries are open and the season has a last day for entries';
  end if;
  -- Of two calls at the same time, the second one sees the mails of the first.
  lock table club.reminder_mails in share row exclusive mode;
  return query
    with wanted as (
      select distinct w.id from unnest($2) as w (id) where w.id is not null
    ), found as (
      select w.id, r.mailbox, r.targets,
             case when r.mailbox is null then 'gone' when not club.can_be_mailed(r.address) then 'address'
                  when not coalesce($3, false) and exists (
                         select from club.reminder_mails as m
                          where m.mailbox_hash = club.token_hash(r.mailbox) and m.created_at > now() - interval '24 hours') then 'recent'
                  else 'queued' end as outcome
        from wanted as w
        left join club.reminder_recipients($1) as r on w.id = any (r.targets)
    ), due as (
      select distinct on (f.mailbox) gen_random_uuid() as id, f.mailbox, f.targets from found as f where f.outcome = 'queued'
    ), sending as (
      insert into public.reminders (id, audience, mails, sent_by)
      select reminder, $1, count(*), auth.email() from due having count(*) > 0
    ), mails as (
      insert into club.reminder_mails (id, reminder, audience, mailbox_hash, targets)
      select d.id, reminder, $1, club.token_hash(d.mailbox), d.targets from due as d
    ), jobs as (
      insert into club.mail_jobs (kind, award, entry) select 'reminder', $1, d.id from due as d
    )
    select f.id, f.outcome from found as f;
  perform pg_catalog.pg_notify('club_mail_jobs', '');
end;
$$;
revoke execute on function
  public.list_reminders(text), public.preview_reminder(text, uuid), public.send_reminders(text, uuid[], boolean) from public;
grant execute on function
  public.list_reminders(text), public.preview_reminder(text, uuid), public.send_reminders(text, uuid[], boolean)
  to authenticated, service_role;

-- A written reminder names its entries, as a mail of a state does: it is shown and deleted with each of them.
create function club.list_entries_of_reminder() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  insert into club.mail_jobs (kind, award, entry, state, message_id, finished_at)
  select 'reminder', e.award, e.id, 'written', new.message_id, now()
    from club.reminder_mails as m
    join club.entries as e on e.id = any (m.targets)
   where m.id = new.entry;
  return null;
end;
$$;
revoke execute on function club.list_entries_of_reminder() from public;
create trigger list_entries_of_reminder after update of state on club.mail_jobs
  for each row when (new.kind = 'reminder' and new.state = 'written' and old.state = 'queued' and new.message_id is not null)
  execute function club.list_entries_of_reminder();

-- A deleted entry leaves the reminders; its address leaves with it, unless other entries have it.
create function club.forget_reminders() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  delete from club.reminder_mails as m where m.targets = array[old.id];
  update club.reminder_mails as m set targets = array_remove(m.targets, old.id) where m.targets @> array[old.id];
  return null;
end;
$$;
revoke execute on function club.forget_reminders() from public;
create trigger forget_reminders after delete on public.young_citizen_nominations
  for each row execute function club.forget_reminders();
create trigger forget_reminders after delete on public.young_musician_entries
  for each row execute function club.forget_reminders();
create trigger forget_reminders after delete on public.young_photographer_entries
  for each row execute function club.forget_reminders();
create trigger forget_reminders after delete on public.young_artist_entries
  for each row execute function club.forget_reminders();

-- As before, and the kept entry takes over the reminders of the merged ones: nobody gets another one on the same day.
create or replace function club.take_over_mails(award text, keep uuid, merged uuid[]) returns void
language plpgsql set search_path = '' as $$
#variable_conflict use_column
begin
  -- A mail that is requested for a merged entry at the same time is recorded before the merge, or not at all.
  lock table public.entry_mails in share row exclusive mode;
  insert into public.entry_mails (award, entry, state, sent_by, created_at)
  select distinct on (m.state) m.award, $2, m.state, m.sent_by, m.created_at
    from public.entry_mails as m
   where m.award = $1 and m.entry = any ($3)
   order by m.state, m.created_at
  on conflict on constraint entry_mails_award_entry_state_key do nothing;
  update club.reminder_mails as m
     set targets = (select array_agg(distinct case when t = any ($3) then $2 else t end) from unnest(m.targets) as t)
   where m.targets && $3;

  update club.mail_jobs as j set entry = $2 where j.entry = any ($3);
  -- Of the mails of one state that both had, one is written: the one in the outbox, otherwise the one that was tried most often.
  delete from club.mail_jobs as j
   where j.award = $1 and j.entry = $2 and j.state = 'queued' and j.kind in ('shortlisted', 'invited', 'winner', 'thanked')
     and exists (select from club.mail_jobs as o
                  where o.award = j.award and o.entry = j.entry and o.kind = j.kind
                    and (o.message_id is not null or o.state = 'queued')
                    and (o.message_id is not null, o.attempts, o.id) > (false, j.attempts, j.id));
end;
$$;

-- As before, with the reminders of the season. Those of a later one stay, and so do their jobs.
create or replace function club.delete_mails_of_season() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  gone uuid[];
begin
  delete from public.reminders as r where r.created_at < new.ends_at;
  select array_agg(j.id) into gone
    from club.mail_jobs as j
   where not exists (select from club.entries as e where e.id = j.entry)
     and not exists (select from public.extra_files as x where x.id = j.entry)
     and not exists (select from club.reminder_mails as m where m.id = j.entry);
  if to_regclass('cloch.mail_outbox') is not null then
    delete from cloch.mail_outbox as m using club.mail_jobs as j where j.id = any (gone) and m.id = j.message_id;
  end if;
  delete from club.mail_jobs as j where j.id = any (gone);
  return null;
end;
$$;
