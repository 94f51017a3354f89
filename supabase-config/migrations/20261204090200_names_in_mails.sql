-- Whoever enters types a name and an address, and nobody has shown that the address is theirs. A mail of a state has one line of the name, and an
-- address that no mail can be sent to is named before anything is sent.

-- A name for a mail: without control characters, line breaks and characters that change the direction of what follows, and not long.
create function club.name_in_mail(name text) returns text
language sql immutable set search_path = '' as $$
  select btrim(left(btrim(regexp_replace(name, '[\s\u0001-\u001F\u007F-\u009F\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069\uFEFF]+', ' ', 'g')), 200))
$$;
revoke execute on function club.name_in_mail(text) from public;

-- Whether the server sends mails to an address: one mailbox without quotes at a named host. The form's rule allows more. What only the server can
-- tell of a domain in other letters it tells when it writes the mail.
create function club.can_be_mailed(address text) returns boolean
language sql immutable set search_path = '' as $$
  select coalesce(
    btrim(address, ' ') ~ '^[A-Za-z0-9!#$%&''*+/=?^_`{|}~-]+(\.[A-Za-z0-9!#$%&''*+/=?^_`{|}~-]+)*@[^\u0001-\u002C\u002F\u003A-\u0040\u005B-\u0060\u007B-\u009F.]+(\.[^\u0001-\u002C\u002F\u003A-\u0040\u005B-\u0060\u007B-\u009F.]+)*$'
    and split_part(address, '@', 2) !~* '(^|\.)([0-9]+|0x[0-9a-f]*) *$'
    and octet_length(split_part(btrim(address, ' '), '@', 1)) <= 64
    and octet_length(btrim(address, ' ')) <= 254, false)
$$;
revoke execute on function club.can_be_mailed(text) from public;

-- As before, with the name in one line.
create or replace function club.state_mail(award text, entry uuid, state text) returns table (address text, subject text, body text)
language sql stable security definer set search_path = '' as $$
  select r.address, club.filled_text(t.subject, f.facts, f.name), club.filled_text(t.body, f.facts, f.name)
    from club.entries as e
    join club.receipts as r on r.award = e.award and r.entry = e.id
    join public.mail_templates as t on t.state = $3
   cross join lateral (
         select club.name_in_mail(e.name) as name,
                jsonb_build_object(
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

-- As before, and 'address' for an entry whose address no mail can be sent to. It can be sent when the address is corrected.
create or replace function public.send_state_mails(award text, entries uuid[], state text) returns table (entry uuid, outcome text)
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
      select w.id, e.id is not null as is_there, e.withdrawn_at, club.can_be_mailed(r.address) as can_be_mailed
        from wanted as w
        left join club.entries as e on e.id = w.id and e.award = $1
        left join club.receipts as r on r.entry = w.id and r.award = $1
    ), queued as (
      insert into public.entry_mails (award, entry, state, sent_by)
      select $1, f.id, $3, auth.email() from found as f where f.is_there and f.withdrawn_at is null and f.can_be_mailed
      on conflict on constraint entry_mails_award_entry_state_key do nothing
      returning entry
    ), jobs as (
      insert into club.mail_jobs (kind, award, entry) select $3, $1, q.entry from queued as q
    )
    select f.id,
           case when not f.is_there then 'missing' when f.withdrawn_at is not null then 'withdrawn'
                when not f.can_be_mailed then 'address' when q.entry is null then 'sent' else 'queued' end
      from found as f
      left join queued as q on q.entry = f.id;
  perform pg_catalog.pg_notify('club_mail_jobs', '');
end;
$$;
