-- Makes the tables of operators' passkeys, with which operators sign in to the dashboard without a password and one-time code. The
-- tables contain no secrets: a public key gives no access.
create table if not exists cloch.operator_passkeys (
  id              uuid primary key default gen_random_uuid(),
  operator_id     uuid not null references cloch.operators on delete cascade,
  name            text not null constraint operator_passkeys_name_length check (length(name) between 1 and 100),
  -- Credential id that the authenticator chose.
  credential_id   bytea not null unique,
  -- Public key in COSE form.
  public_key      bytea not null,
  -- Signature counter of the authenticator; 0 if it has no counter.
  sign_count      bigint not null,
  aaguid          uuid,
  transports      text[] not null default '{}',
  backup_eligible boolean not null,
  backed_up       boolean not null,
  created_at      timestamptz not null default now(),
  last_used_at    timestamptz
);

create index if not exists operator_passkeys_operator on cloch.operator_passkeys (operator_id);

-- WebAuthn challenges for authenticators to sign. A challenge is deleted with the first response to it, valid or not.
create table if not exists cloch.operator_challenges (
  id          uuid primary key default gen_random_uuid(),
  purpose     text not null constraint operator_challenges_purpose_known check (purpose in ('sign_in', 'add', 'confirm')),
  -- Null for a sign-in, where the operator is not known yet.
  operator_id uuid references cloch.operators on delete cascade,
  challenge   text not null,
  expires_at  timestamptz not null,
  constraint operator_challenges_operator check ((purpose = 'sign_in') = (operator_id is null))
);

create index if not exists operator_challenges_expires_at on cloch.operator_challenges (expires_at);
create index if not exists operator_challenges_operator_id on cloch.operator_challenges (operator_id);
revoke all on table cloch.operator_passkeys, cloch.operator_challenges from public;
