create or replace function cloch.mail_queued() returns trigger
language plpgsql set search_path = '' as $$
begin
  perform pg_notify('cloch_mail', '');
  return null;
end;
$$;
