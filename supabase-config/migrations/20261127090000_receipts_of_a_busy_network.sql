-- A network that has had its hundred receipts stores its further entries at the same time. Each of them locked the network's count until it
-- was committed, although there was nothing to count.

create or replace function club.queue_receipt() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  network text := coalesce(nullif(current_setting('cloch.network', true), ''), 'unknown');
  subject text := 'club/receipts/network/' || network;
  is_over boolean;
begin
  -- This question locks nothing.
  is_over := cloch.wait_for_amount(subject, 1, 100, interval '1 hour') > interval '0';
  if not is_over then
    is_over := cloch.take(subject, 100, interval '1 hour') > interval '0';
  end if;
  if is_over then
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
