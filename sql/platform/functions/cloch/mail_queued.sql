-- Trigger function of cloch.mail_outbox: after a queued mail was inserted, notifies the workers that deliver mails (channel cloch_mail).
create or replace function cloch.mail_queued() returns trigger
language plpgsql set search_path = 'pg_catalog', 'pg_temp' as $$
begin
  perform pg_notify('cloch_mail', '');
  return null;
end;
$$;
