-- Makes the mail outbox with its attachments, and the trigger that wakes the delivery worker. The built-in inbox (/_/inbox) reads the
-- same table.
--
-- A mail is a row, inserted in the transaction of its cause. If a mail server is configured, the row's state is 'queued' and a worker
-- delivers the mail. Otherwise the state is 'delivered' at once, and the mail can be read in the inbox.

\ir ../functions/cloch/mail_queued.sql

create table if not exists cloch.mail_outbox (
  id           uuid primary key default gen_random_uuid(),
  -- Purpose of the mail, for example 'invite' or 'send-email'.
  kind         text not null,
  recipients   text[] not null constraint mail_outbox_has_recipients
    check (cardinality(recipients) between 1 and 50),
  -- Recipients that no mail server has accepted yet.
  pending      text[] not null default '{}',
  -- Recipients that a mail server has rejected permanently.
  refused      text[] not null default '{}',
  reply_to     text,
  subject      text not null,
  html         text not null,
  body_text    text not null,
  -- User on whose behalf the mail is sent; null if there is no such user.
  requested_by uuid,
  state        text not null constraint mail_outbox_state_known
    check (state in ('queued', 'sent', 'failed', 'delivered')),
  attempts     int not null default 0,
  -- Earliest time of the next delivery attempt. While a worker delivers the mail: time after which another worker may retry.
  due_at       timestamptz not null default now(),
  last_error   text,
  created_at   timestamptz not null default now(),
  finished_at  timestamptz
);

create index if not exists mail_outbox_due on cloch.mail_outbox (due_at) where state = 'queued';
create index if not exists mail_outbox_newest on cloch.mail_outbox (created_at desc, id);
create index if not exists mail_outbox_recipients on cloch.mail_outbox using gin (recipients);

create table if not exists cloch.mail_attachments (
  message_id   uuid not null references cloch.mail_outbox on delete cascade,
  position     int not null,
  filename     text not null,
  content_type text not null,
  content      bytea not null,
  primary key (message_id, position)
);

-- Attachments are stored without compression: photographs and PDFs are compressed already.
alter table cloch.mail_attachments alter column content set storage external;

create or replace trigger mail_queued
  after insert on cloch.mail_outbox
  for each row when (new.state = 'queued')
  execute function cloch.mail_queued();

-- Lets SQL of the project delete mails, for example after a retention period. The project may read purpose, state, user and time of a
-- mail, but not its content or recipients. Attachments are deleted with their mail.
do $$
begin
  execute format('grant usage on schema cloch to %I', cloch.project_owner());
  execute format(
    'grant select (id, kind, state, requested_by, created_at), delete on cloch.mail_outbox to %I',
    cloch.project_owner());
end;
$$;
