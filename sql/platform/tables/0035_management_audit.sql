-- Who changed what over the Management API, and when. Statements and values of secrets
-- are not kept: both may hold what belongs to people.
create table if not exists cloch.management_audit (
  id         bigint generated always as identity primary key,
  begun_at   timestamptz not null default clock_timestamp(),
  -- The address it came from, and what the client says it is.
  client     text,
  user_agent text not null,
  method     text not null,
  path       text not null,
  -- Null while it runs, and where the server ended before it did.
  status     smallint
);

create index if not exists management_audit_begun on cloch.management_audit (begun_at);
revoke all on table cloch.management_audit from public;
