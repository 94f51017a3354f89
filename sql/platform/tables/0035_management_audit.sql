-- Makes the audit of the Management API: who changed what, and when. SQL statements and values of secrets are not stored, because they
-- may contain personal data.
create table if not exists cloch.management_audit (
  id         bigint generated always as identity primary key,
  begun_at   timestamptz not null default clock_timestamp(),
  -- IP address of the client; null if unknown.
  client     text,
  -- User-Agent header of the request.
  user_agent text not null,
  method     text not null,
  path       text not null,
  -- HTTP status of the response. Null while the request runs, and if the server stopped before the request ended.
  status     smallint
);

create index if not exists management_audit_begun on cloch.management_audit (begun_at);
revoke all on table cloch.management_audit from public;
