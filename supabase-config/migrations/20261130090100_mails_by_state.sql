-- An entry is received, and may be shortlisted, invited, a winner, and thanked. It comes into one of the last four states when an administrator
-- sends the mail of that state. The mail of a received entry is its receipt, which the database sends by itself.

-- The mail of each state. {name}, {award}, {category}, {result}, {ceremony}, {time}, {location} and {reference} are filled in.
create table public.mail_templates (
  id         uuid not null default gen_random_uuid(),
  state      text not null,
  subject    text not null,
  body       text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint mail_templates_pkey primary key (id),
  constraint mail_templates_state_key unique (state),
  constraint mail_state_is_known check (state in ('shortlisted', 'invited', 'winner', 'thanked')),
  constraint mail_subject_1_to_200_characters check (char_length(subject) <= 200 and subject ~ '\S'),
  constraint mail_body_1_to_5000_characters check (char_length(body) <= 5000 and body ~ '\S')
);
select club.register_table('public.mail_templates');
revoke insert, update, delete on public.mail_templates from authenticated;
grant update (subject, body) on public.mail_templates to authenticated;

insert into public.mail_templates (state, subject, body) values
  ('shortlisted', '{award}: {name} is on the shortlist',
   E'Hello,\n\n{name} is on the shortlist of the {award} award ({category}). The judges were impressed, and we wanted you to be the first to know.\n\nThe results are announced at the ceremony on {ceremony} at {time}, {location}. An invitation follows.\n\nReference: {reference}'),
  ('invited', 'Invitation to the youth awards ceremony on {ceremony}',
   E'Hello,\n\nwe invite {name} and family to the ceremony of the youth awards on {ceremony} at {time}, {location}.\n\nPlease answer this mail and tell us how many of you will come, and whether anybody needs special access or food.\n\nReference: {reference}'),
  ('winner', '{award}: the result of {name}',
   E'Hello,\n\nwe are delighted to tell you the result of {name} in the {award} award ({category}): {result}. Congratulations!\n\nIf you have not agreed yet that we publish the name and the picture, and would like us to, please answer this mail.\n\nReference: {reference}'),
  ('thanked', '{award}: thank you',
   E'Hello,\n\nthank you for the entry of {name} to the {award} award. Every entry was read, looked at or listened to with care.\n\nWe hope to see you again next season.\n\nReference: {reference}');

-- Which mails an entry has: one of a state. It names no person and goes with its entry.
create table public.entry_mails (
  id         uuid not null default gen_random_uuid(),
  award      text not null,
  entry      uuid not null,
  state      text not null,
  sent_by    text,
  created_at timestamptz not null default now(),
  constraint entry_mails_pkey primary key (id),
  constraint entry_mails_award_entry_state_key unique (award, entry, state),
  constraint entry_mail_award_is_known check (award in ('citizen', 'musician', 'photographer', 'artist')),
  constraint entry_mail_state_is_known check (state in ('shortlisted', 'invited', 'winner', 'thanked'))
);
select club.register_table('public.entry_mails', read_only_policy => 'Admins read which mails entries have');
create index entry_mails_entry_idx on public.entry_mails (entry);
create trigger tell_of_change after insert or update or delete on public.entry_mails
  for each statement execute function club.tell_of_change('desk');
create trigger tell_of_change after update on public.mail_templates
  for each statement execute function club.tell_of_change('desk');

create function club.forget_entry_mails() returns trigger
language plpgsql security definer set search_path = '' as $$
begin
  delete from public.entry_mails where entry = old.id;
  return null;
end;
$$;
revoke execute on function club.forget_entry_mails() from public;
create trigger forget_entry_mails after delete on public.young_citizen_nominations
  for each row execute function club.forget_entry_mails();
create trigger forget_entry_mails after delete on public.young_musician_entries
  for each row execute function club.forget_entry_mails();
create trigger forget_entry_mails after delete on public.young_photographer_entries
  for each row execute function club.forget_entry_mails();
create trigger forget_entry_mails after delete on public.young_artist_entries
  for each row execute function club.forget_entry_mails();

-- A text of a template with what it names filled in. The name comes last: it may contain anything, and is not read as a template.
create function club.filled_text(template text, facts jsonb, name text) returns text
language plpgsql immutable set search_path = '' as $$
declare
  filled text := template;
  fact record;
begin
  for fact in select key, value from jsonb_each_text(facts) loop
    filled := replace(filled, '{' || fact.key || '}', coalesce(fact.value, ''));
  end loop;
  return replace(filled, '{name}', name);
end;
$$;
revoke execute on function club.filled_text(text, jsonb, text) from public;

-- The mail of a state to whoever answers for an entry, as for a receipt. No row for an entry that is withdrawn or deleted.
create function club.state_mail(award text, entry uuid, state text) returns table (address text, subject text, body text)
language sql stable security definer set search_path = '' as $$
  select r.address, club.filled_text(t.subject, f.facts, e.name), club.filled_text(t.body, f.facts, e.name)
    from club.entries as e
    join club.receipts as r on r.award = e.award and r.entry = e.id
    join public.mail_templates as t on t.state = $3
   cross join lateral (
         select jsonb_build_object(
                  'award', case e.award when 'citizen' then 'Young Citizen' when 'musician' then 'Young Musician'
                                        when 'photographer' then 'Young Photographer' else 'Young Artist' end,
                  'category', initcap(e.category),
                  'result', case e.place when 1 then '1st place' when 2 then '2nd place' when 3 then '3rd place' else 'a winner' end,
                  'ceremony', c.texts ->> 'ceremony', 'time', c.texts ->> 'ceremonyTime',
                  'location', coalesce((select s.location from public.site_events as s where s.is_ceremony order by s.position limit 1), ''),
                  'reference', upper(left(replace(e.id::text, '-', ''), 8))) as facts
           from (select public.published_content() -> 'texts' as texts) as c) as f
   where e.award = $1 and e.id = $2 and e.withdrawn_at is null
$$;
revoke execute on function club.state_mail(text, uuid, text) from public;
grant execute on function club.state_mail(text, uuid, text) to service_role;

-- The same for administrators, before they send it.
create function public.preview_state_mail(award text, entry uuid, state text) returns table (address text, subject text, body text)
language plpgsql stable security definer set search_path = '' as $$
begin
  perform club.require_admin();
  return query select m.address, m.subject, m.body from club.state_mail($1, $2, $3) as m;
end;
$$;

-- Queues the mail of a state for entries of an award, all in one transaction. Says of each entry: 'queued'; 'sent' if it has this mail
-- already; 'withdrawn'; 'missing'. Of two calls at the same time one queues, and the other one says 'sent'.
create function public.send_state_mails(award text, entries uuid[], state text) returns table (entry uuid, outcome text)
language plpgsql security definer set search_path = '' as $$
#variable_conflict use_column
begin
  perform club.require_admin();
  if cardinality(entries) > 1000 then
    raise exception 'At most 1000 entries at once';
  end if;
  return query
    with wanted as (
      select distinct w.id from unnest($2) as w (id) where w.id is not null
    ), found as (
      select w.id, e.id is not null as is_there, e.withdrawn_at
        from wanted as w
        left join club.entries as e on e.id = w.id and e.award = $1
    ), queued as (
      insert into public.entry_mails (award, entry, state, sent_by)
      select $1, f.id, $3, auth.email() from found as f where f.is_there and f.withdrawn_at is null
      on conflict on constraint entry_mails_award_entry_state_key do nothing
      returning entry
    ), jobs as (
      insert into club.mail_jobs (kind, award, entry) select $3, $1, q.entry from queued as q
    )
    select f.id,
           case when not f.is_there then 'missing' when f.withdrawn_at is not null then 'withdrawn'
                when q.entry is null then 'sent' else 'queued' end
      from found as f
      left join queued as q on q.entry = f.id;
  perform pg_catalog.pg_notify('club_mail_jobs', '');
end;
$$;
revoke execute on function
  public.preview_state_mail(text, uuid, text), public.send_state_mails(text, uuid[], text) from public;
grant execute on function
  public.preview_state_mail(text, uuid, text), public.send_state_mails(text, uuid[], text) to authenticated, service_role;
