-- Makes the tables of operators, who sign in to the dashboard: accounts, links, sessions, audit. Operators are not users of the
-- project, and tokens and roles of the project give no access to the dashboard. Secrets are stored as digests, or encrypted with a key
-- that is not in the database: a login that may read every table finds nothing that gives access to the dashboard.
create table if not exists cloch.operators (
  id            uuid primary key default gen_random_uuid(),
  email         text not null constraint operators_email_length check (length(email) between 3 and 254),
  name          text not null default '' constraint operators_name_length check (length(name) <= 100),
  role          text not null constraint operators_role_known check (role in ('owner', 'developer', 'viewer')),
  -- Argon2id hash of the password and a key of the server; null until the operator accepts the invitation.
  password_hash text,
  -- Encrypted secret of the authenticator app; null without one.
  totp_sealed   bytea,
  -- Encrypted secret of an authenticator app that is being set up.
  totp_draft    bytea,
  -- Time step (30 seconds) of the last accepted code, which is not accepted again.
  totp_step     bigint not null default 0,
  disabled      boolean not null default false,
  created_at    timestamptz not null default now(),
  last_seen_at  timestamptz
);

create unique index if not exists operators_email on cloch.operators (lower(email));

-- Single-use links for setting a password: for the first operator, for an invited operator, and for an operator who lost the password.
-- The token in a link is derived from the id and a key of the server; only its digest is stored. The row is deleted when the link is
-- used.
create table if not exists cloch.operator_links (
  id          uuid primary key,
  kind        text not null constraint operator_links_kind_known check (kind in ('first', 'invite', 'reset')),
  -- Null for the first operator, who has no account yet.
  operator_id uuid references cloch.operators on delete cascade,
  token_hash  bytea not null unique,
  created_at  timestamptz not null default clock_timestamp(),
  expires_at  timestamptz not null,
  constraint operator_links_operator check ((kind = 'first') = (operator_id is null))
);

create table if not exists cloch.operator_sessions (
  id          uuid primary key default gen_random_uuid(),
  operator_id uuid not null references cloch.operators on delete cascade,
  -- SHA-256 of the session cookie, which has 256 random bits.
  token_hash  bytea not null unique,
  created_at  timestamptz not null default now(),
  seen_at     timestamptz not null default now(),
  expires_at  timestamptz not null,
  network     text,
  user_agent  text not null default ''
);

create index if not exists operator_sessions_operator on cloch.operator_sessions (operator_id);

-- Audit of operators' actions. Entries are kept for 400 days. SQL statements and values of secrets are not stored.
create table if not exists cloch.operator_audit (
  id          bigint generated always as identity primary key,
  at          timestamptz not null default clock_timestamp(),
  -- No foreign key, because an entry outlives its operator.
  operator_id uuid,
  email       text,
  action      text not null,
  target      text,
  details     jsonb,
  -- HTTP status of the response. Null while the request runs, and if the server stopped before the request ended.
  status      smallint,
  network     text
);

create index if not exists operator_audit_at on cloch.operator_audit (at);
create index if not exists operator_audit_operator on cloch.operator_audit (operator_id, id desc);
revoke all on table cloch.operators, cloch.operator_links, cloch.operator_sessions, cloch.operator_audit from public;
