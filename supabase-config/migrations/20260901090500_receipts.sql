-- Receipts: whoever answers for an entry is told by mail what was received and how to
-- have it corrected, withdrawn or deleted. A nomination's goes to the nominator, any
-- other entry's to the parent or guardian.
--
-- The forms are open to strangers, and nobody has shown that an address is theirs. So a
-- receipt holds no word that was typed and names nobody; one mailbox has one in an hour
-- and three in a day, of which each lists all that came in meanwhile; and one network
-- causes a hundred in an hour. What a bound refuses never refuses the entry.

-- What a receipt says of an entry, and the address it goes to.
create view club.receipts with (security_invoker = true) as
  select 'citizen' as award, id as entry, nominator_email as address, lower(nomination_type) as category,
         coalesce(cardinality(uploaded_files), 0) as files, null::text as publicity_consent, created_at
    from public.young_citizen_nominations
  union all
  select 'musician', id, parent_guardian_email, case when category ilike '%vocal%' then 'vocal' else 'instrumental' end,
         coalesce(cardinality(uploaded_files), 0), publicity_consent, created_at
    from public.young_musician_entries
  union all
  select 'photographer', id, parent_guardian_email, lower(category),
         coalesce(cardinality(uploaded_files), 0), publicity_consent, created_at
    from public.young_photographer_entries
  union all
  select 'artist', id, parent_guardian_email, lower(category),
         coalesce(cardinality(uploaded_files), 0), publicity_consent, created_at
    from public.young_artist_entries;

-- The mailbox behind an address, which many providers let be written in many ways: with
-- capitals, with dots, with something after a plus.
create function club.mailbox(address text) returns text
language sql immutable set search_path = '' as $$
  select replace(split_part(split_part(lower(address), '@', 1), '+', 1), '.', '') || '@' || split_part(lower(address), '@', 2)
$$;

-- Counts a receipt to a mailbox if it may have one now: zero, or how long to wait. The
-- address is counted as its hash, so that none is left behind when an entry is deleted.
create function club.take_receipt(mailbox text) returns interval
language plpgsql set search_path = '' as $$
declare
  subject text := 'club/receipts/' || encode(sha256(convert_to(mailbox, 'utf8')), 'hex');
  wait interval := greatest(
    cloch.wait_for_amount(subject || '/hour', 1, 1, interval '1 hour'),
    cloch.wait_for_amount(subject || '/day', 1, 3, interval '1 day'));
begin
  if wait > interval '0' then
    return wait;
  end if;
  return greatest(
    cloch.take(subject || '/hour', 1, interval '1 hour'), cloch.take(subject || '/day', 3, interval '1 day'));
end;
$$;

-- After a visitor's entry; its argument is the award. The server names the network that
-- a request comes from (cloch.network). A network that has had its receipts has its row
-- all the same, so that it can be seen who got none.
create function club.queue_receipt() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  network text := coalesce(nullif(current_setting('cloch.network', true), ''), 'unknown');
begin
  if cloch.take('club/receipts/network/' || network, 100, interval '1 hour') > interval '0' then
    insert into club.mail_jobs (kind, award, entry, state, last_error, finished_at)
    values ('receipt', tg_argv[0], new.id, 'failed', 'A hundred receipts in an hour for one network', now());
  else
    perform club.queue_mail('receipt', tg_argv[0], new.id);
  end if;
  return null;
exception when others then
  -- The entry is what counts.
  raise warning 'No receipt is queued for an entry: %', sqlerrm;
  return null;
end;
$$;

create trigger queue_receipt after insert on public.young_citizen_nominations
  for each row when (current_user = 'anon') execute function club.queue_receipt('citizen');
create trigger queue_receipt after insert on public.young_musician_entries
  for each row when (current_user = 'anon') execute function club.queue_receipt('musician');
create trigger queue_receipt after insert on public.young_photographer_entries
  for each row when (current_user = 'anon') execute function club.queue_receipt('photographer');
create trigger queue_receipt after insert on public.young_artist_entries
  for each row when (current_user = 'anon') execute function club.queue_receipt('artist');
