-- Passkeys of operators: they sign in to the dashboard in place of a password and a one-time
-- code. A public key opens nothing: who reads these tables learns nothing that is of use.
create table if not exists cloch.operator_passkeys (
  id              uuid primary key default gen_random_uuid(),
  operator_id     uuid not null references cloch.operators on delete cascade,
  name            text not null constraint operator_passkeys_name_length check (length(name) between 1 and 100),
  -- What the authenticator calls it, and its COSE key.
  credential_id   bytea not null unique,
  public_key      bytea not null,
  -- Uses that the authenticator counts; 0 where it does not.
  sign_count      bigint not null,
  aaguid          uuid,
  transports      text[] not null default '{}',
  backup_eligible boolean not null,
  backed_up       boolean not null,
  created_at      timestamptz not null default now(),
  last_used_at    timestamptz
);

create index if not exists operator_passkeys_operator on cloch.operator_passkeys (operator_id);

-- Challenges that an authenticator is to sign. Each is deleted when it is answered, whatever the
-- answer.
create table if not exists cloch.operator_challenges (
  id          uuid primary key default gen_random_uuid(),
  purpose     text not null constraint operator_challenges_purpose_known check (purpose in ('sign_in', 'add', 'confirm')),
  -- Null where whoever comes may answer.
  operator_id uuid references cloch.operators on delete cascade,
  challenge   text not null,
  expires_at  timestamptz not null,
  constraint operator_challenges_operator check ((purpose = 'sign_in') = (operator_id is null))
);

create index if not exists operator_challenges_expires_at on cloch.operator_challenges (expires_at);
create index if not exists operator_challenges_operator_id on cloch.operator_challenges (operator_id);
revoke all on table cloch.operator_passkeys, cloch.operator_challenges from public;
