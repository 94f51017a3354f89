-- Makes table cloch.mail_drafts: for each operator's session the mail that was rendered last from an unsaved template, so that the dashboard can
-- show it in a frame with a policy of its own, on every node. Only sessions of the server may write the table, as the tables of operators
-- (0040_audit_guards.sql).
create table if not exists cloch.mail_drafts (
  session_id uuid primary key references cloch.operator_sessions on delete cascade,
  html       text not null,
  made_at    timestamptz not null default now()
);
revoke all on table cloch.mail_drafts from public;

create or replace trigger guard before insert or update or delete on cloch.mail_drafts
  for each row execute function cloch.guard_operators();
alter table cloch.mail_drafts enable always trigger guard;
create or replace trigger guard_truncate before truncate on cloch.mail_drafts
  for each statement execute function cloch.guard_no_truncate();
alter table cloch.mail_drafts enable always trigger guard_truncate;

do $$
begin
  if exists (select from pg_catalog.pg_roles where rolname = 'cloch_server') then
    revoke truncate, references, trigger on cloch.mail_drafts from cloch_server;
  end if;
end;
$$;
