-- Mail: the outbox, which is the built-in inbox as well, and what hangs on it.
--
-- A message is a row, written in the transaction of whatever caused it. With a
-- mail server configured the row starts as 'queued' and a worker delivers it;
-- without one it is 'delivered' at once, readable at /_/inbox.

\ir ../functions/cloch/mail_queued.sql

create table if not exists cloch.mail_outbox (
  id           uuid primary key default gen_random_uuid(),
  -- What the mail is for, such as 'invite' or 'send-email'.
  kind         text not null,
  recipients   text[] not null constraint mail_outbox_has_recipients
    check (cardinality(recipients) between 1 and 50),
  -- Recipients that no server has taken yet, and those that one refused for good.
  pending      text[] not null default '{}',
  refused      text[] not null default '{}',
  reply_to     text,
  subject      text not null,
  html         text not null,
  body_text    text not null,
  -- The user on whose behalf it is sent, where there is one.
  requested_by uuid,
  state        text not null constraint mail_outbox_state_known
    check (state in ('queued', 'sent', 'failed', 'delivered')),
  attempts     int not null default 0,
  -- When a worker may take it; while one holds it, when another may.
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

-- Photographs and PDFs do not compress.
alter table cloch.mail_attachments alter column content set storage external;

create or replace trigger mail_queued
  after insert on cloch.mail_outbox
  for each row when (new.state = 'queued')
  execute function cloch.mail_queued();

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
