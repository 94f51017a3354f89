-- A project may have to destroy the mail of a time that is over: its own SQL may
-- ask what each message was for and when, and delete it; attachments go with it.
do $$
begin
  execute format('grant usage on schema cloch to %I', cloch.project_owner());
  execute format(
    'grant select (id, kind, state, requested_by, created_at), delete on cloch.mail_outbox to %I',
    cloch.project_owner());
end;
$$;
