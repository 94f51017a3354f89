-- Operators: who signs in to the dashboard. They are no users of the project, and no token
-- or role of the project is of any use there. Secrets are kept as digests only, or sealed
-- with a key that is not in the database: a login that may read every table learns nothing
-- that opens the dashboard.
create table if not exists cloch.operators (
  id            uuid primary key default gen_random_uuid(),
  email         text not null constraint operators_email_length check (length(email) between 3 and 254),
  name          text not null default '' constraint operators_name_length check (length(name) <= 100),
  role          text not null constraint operators_role_known check (role in ('owner', 'developer', 'viewer')),
  -- Argon2id over the password and a key of the server; null until the invitation is accepted.
  password_hash text,
  -- The sealed secret of one-time codes: in force, and while it is being set up.
  totp_sealed   bytea,
  totp_draft    bytea,
  -- The time step of the last code, which is not accepted again.
  totp_step     bigint not null default 0,
  disabled      boolean not null default false,
  created_at    timestamptz not null default now(),
  last_seen_at  timestamptz
);

create unique index if not exists operators_email on cloch.operators (lower(email));

-- Links that make a password: for the first operator, for an invited one, for one who lost it.
-- The token is made of the id and a key of the server; only its digest is kept. A link is
-- deleted when it is used.
create table if not exists cloch.operator_links (
  id          uuid primary key,
  kind        text not null constraint operator_links_kind_known check (kind in ('first', 'invite', 'reset')),
  -- Null for the first operator.
  operator_id uuid references cloch.operators on delete cascade,
  token_hash  bytea not null unique,
  created_at  timestamptz not null default clock_timestamp(),
  expires_at  timestamptz not null,
  constraint operator_links_operator check ((kind = 'first') = (operator_id is null))
);

create table if not exists cloch.operator_sessions (
  id          uuid primary key default gen_random_uuid(),
  operator_id uuid not null references cloch.operators on delete cascade,
  -- SHA-256 of the cookie's 256 random bits.
  token_hash  bytea not null unique,
  created_at  timestamptz not null default now(),
  seen_at     timestamptz not null default now(),
  expires_at  timestamptz not null,
  network     text,
  user_agent  text not null default ''
);

create index if not exists operator_sessions_operator on cloch.operator_sessions (operator_id);

-- What operators did, kept for 400 days. Statements and values of secrets are not kept.
create table if not exists cloch.operator_audit (
  id          bigint generated always as identity primary key,
  at          timestamptz not null default clock_timestamp(),
  -- No reference: an entry outlives its operator.
  operator_id uuid,
  email       text,
  action      text not null,
  target      text,
  details     jsonb,
  -- Of the response; null while the request runs, and where the server ended before it did.
  status      smallint,
  network     text
);

create index if not exists operator_audit_at on cloch.operator_audit (at);
create index if not exists operator_audit_operator on cloch.operator_audit (operator_id, id desc);
revoke all on table cloch.operators, cloch.operator_links, cloch.operator_sessions, cloch.operator_audit from public;
