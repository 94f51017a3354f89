-- The sender of an entry who has lost the link asks for another one, which goes by mail to the address of the entry's receipt, and to no other. The
-- answer is the same whether there is such an entry or not: the request is only stored, and the worker looks for entries when it writes the mail.

-- A link that was mailed ends after a day: mails are forwarded, and stay in mailboxes for years.
alter table public.entry_links add column expires_at timestamptz;
grant select (expires_at) on public.entry_links to authenticated;

-- As before, and a link ends when it expires.
create or replace function club.linked_entry(token text) returns table (link uuid, award text, entry uuid)
language sql stable security definer set search_path = '' as $$
  select l.id, l.award, l.entry
    from public.entry_links as l
    join club.entries as e on e.id = l.entry and e.award = l.award
   where token ~ '^[0-9a-f]{64}$' and l.token_hash = club.token_hash(token)
     and l.revoked_at is null and e.withdrawn_at is null and (l.expires_at is null or l.expires_at > now())
     and l.created_at > now() - interval '60 days' and l.created_at >= club.season_begins_at()
     and not (select c.is_closed from club.closed_entries() as c)
$$;

-- Requests that the worker has not looked at yet. No caller of the API reads this table.
create table club.link_requests (
  id         uuid not null default gen_random_uuid(),
  address    text not null,
  created_at timestamptz not null default now(),
  constraint link_requests_pkey primary key (id),
  constraint link_request_address_at_most_255_characters check (char_length(address) <= 255)
);
alter table club.link_requests enable row level security;

-- Stores a request. A network has thirty in an hour. What no mail can be sent to is not stored; the answer does not tell.
create function public.ask_entry_link(address text) returns void
language plpgsql volatile security definer set search_path = '' as $$
declare
  network text := coalesce(nullif(current_setting('cloch.network', true), ''), 'unknown');
  request uuid := gen_random_uuid();
begin
  if cloch.take('club/link-requests/' || network, 30, interval '1 hour') > interval '0' then
    raise exception using errcode = 'PT429', message = 'Too many links were asked for from this network', hint = 'Try again in an hour.';
  end if;
  -- Requests of which the worker could make nothing.
  delete from club.link_requests as r where r.created_at < now() - interval '3 days';
  if club.can_be_mailed(address) and char_length(address) <= 255 then
    insert into club.link_requests (id, address) values (request, btrim(ask_entry_link.address));
    perform club.queue_mail('entry_link', 'link', request);
  end if;
end;
$$;
revoke execute on function public.ask_entry_link(text) from public;
grant execute on function public.ask_entry_link(text) to anon, service_role;

-- The entries to which an address may have a link now: those of the season, with exactly this address (capitals aside: some providers give two
-- mailboxes to what club.mailbox calls one), that are not withdrawn, and whose links no administrator has ended.
create function club.entries_of_address(address text)
returns table (stored_address text, award text, entry uuid, category text, files integer, publicity_consent text, created_at timestamptz)
language sql stable set search_path = '' as $$
  select btrim(r.address), r.award, r.entry, r.category, r.files, r.publicity_consent, r.created_at
    from club.receipts as r
    join club.entries as e on e.award = r.award and e.id = r.entry
   where lower(btrim(r.address)) = lower(btrim($1)) and e.withdrawn_at is null and r.created_at >= club.season_begins_at()
     and not (select c.is_closed from club.closed_entries() as c)
     and not exists (select from public.entry_links as l where l.entry = r.entry and l.revoked_at is not null)
   order by r.created_at desc, r.entry
   limit 50
$$;
revoke execute on function club.entries_of_address(text) from public;

-- Counts a mail with links to a mailbox, if it may have one now: one in five minutes and five in a day.
create function club.take_link_mail(address text) returns boolean
language plpgsql set search_path = '' as $$
declare
  subject text := 'club/link-mails/' || encode(sha256(convert_to(club.mailbox(btrim(address)), 'utf8')), 'hex');
begin
  if greatest(cloch.wait_for_amount(subject || '/minutes', 1, 1, interval '5 minutes'),
              cloch.wait_for_amount(subject || '/day', 1, 5, interval '1 day')) > interval '0' then
    return false;
  end if;
  return greatest(cloch.take(subject || '/minutes', 1, interval '5 minutes'), cloch.take(subject || '/day', 5, interval '1 day')) = interval '0';
end;
$$;
revoke execute on function club.take_link_mail(text) from public;

-- Makes a link of a day to an entry; returns its token, which nothing can show again.
create function club.make_entry_link(award text, entry uuid) returns text
language plpgsql set search_path = '' as $$
declare
  token text := replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', '');
begin
  delete from public.entry_links as l where l.entry = $2 and l.expires_at < now() and l.corrected_at is null;
  insert into public.entry_links (award, entry, token_hash, expires_at) values ($1, $2, club.token_hash(token), now() + interval '1 day');
  return token;
end;
$$;
revoke execute on function club.make_entry_link(text, uuid) from public;

-- As before. A request for a link is of no season.
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
     and not exists (select from club.reminder_mails as m where m.id = j.entry)
     and not exists (select from club.link_requests as l where l.id = j.entry);
  if to_regclass('cloch.mail_outbox') is not null then
    delete from cloch.mail_outbox as m using club.mail_jobs as j where j.id = any (gone) and m.id = j.message_id;
  end if;
  delete from club.mail_jobs as j where j.id = any (gone);
  return null;
end;
$$;
