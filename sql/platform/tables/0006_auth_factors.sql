-- Makes schema auth, part 2 of 4: second factors (TOTP, WebAuthn, phone) with their challenges, and passkeys.

set local role supabase_auth_admin;

create table auth.mfa_factors (
  id                           uuid not null,
  user_id                      uuid not null,
  friendly_name                text,
  factor_type                  auth.factor_type not null,
  status                       auth.factor_status not null,
  created_at                   timestamptz not null,
  updated_at                   timestamptz not null,
  secret                       text,
  phone                        text,
  last_challenged_at           timestamptz,
  web_authn_credential         jsonb,
  web_authn_aaguid             uuid,
  last_webauthn_challenge_data jsonb,
  constraint mfa_factors_pkey primary key (id),
  constraint mfa_factors_last_challenged_at_key unique (last_challenged_at),
  constraint mfa_factors_user_id_fkey
    foreign key (user_id) references auth.users (id) on delete cascade
);

create unique index mfa_factors_user_friendly_name_unique
  on auth.mfa_factors (friendly_name, user_id) where trim(both from friendly_name) <> ''::text;

create unique index unique_phone_factor_per_user on auth.mfa_factors (user_id, phone);
create index mfa_factors_user_id_idx on auth.mfa_factors (user_id);
create index factor_id_created_at_idx on auth.mfa_factors (user_id, created_at);

create table auth.mfa_challenges (
  id                     uuid not null,
  factor_id              uuid not null,
  created_at             timestamptz not null,
  verified_at            timestamptz,
  ip_address             inet not null,
  otp_code               text,
  web_authn_session_data jsonb,
  constraint mfa_challenges_pkey primary key (id),
  constraint mfa_challenges_auth_factor_id_fkey
    foreign key (factor_id) references auth.mfa_factors (id) on delete cascade
);

create index mfa_challenge_created_at_idx on auth.mfa_challenges (created_at desc);

-- Authentication methods of each session, for the claim `amr` of its tokens. The server's upsert names the unique constraint: its name
-- is fixed.
create table auth.mfa_amr_claims (
  session_id            uuid not null,
  created_at            timestamptz not null,
  updated_at            timestamptz not null,
  authentication_method text not null,
  id                    uuid not null,
  constraint amr_id_pk primary key (id),
  constraint mfa_amr_claims_session_id_authentication_method_pkey
    unique (session_id, authentication_method),
  constraint mfa_amr_claims_session_id_fkey
    foreign key (session_id) references auth.sessions (id) on delete cascade
);

create table auth.webauthn_credentials (
  id               uuid not null default gen_random_uuid(),
  user_id          uuid not null,
  credential_id    bytea not null,
  public_key       bytea not null,
  attestation_type text not null default '',
  aaguid           uuid,
  sign_count       bigint not null default 0,
  transports       jsonb not null default '[]',
  backup_eligible  boolean not null default false,
  backed_up        boolean not null default false,
  friendly_name    text not null default '',
  created_at       timestamptz not null default now(),
  updated_at       timestamptz not null default now(),
  last_used_at     timestamptz,
  constraint webauthn_credentials_pkey primary key (id),
  constraint webauthn_credentials_user_id_fkey
    foreign key (user_id) references auth.users (id) on delete cascade
);

create unique index webauthn_credentials_credential_id_key on auth.webauthn_credentials (credential_id);
create index webauthn_credentials_user_id_idx on auth.webauthn_credentials (user_id);

create table auth.webauthn_challenges (
  id             uuid not null default gen_random_uuid(),
  user_id        uuid,
  challenge_type text not null,
  session_data   jsonb not null,
  created_at     timestamptz not null default now(),
  expires_at     timestamptz not null,
  constraint webauthn_challenges_pkey primary key (id),
  constraint webauthn_challenges_challenge_type_check
    check (challenge_type in ('signup', 'registration', 'authentication')),
  constraint webauthn_challenges_user_id_fkey
    foreign key (user_id) references auth.users (id) on delete cascade
);

create index webauthn_challenges_user_id_idx on auth.webauthn_challenges (user_id);
create index webauthn_challenges_expires_at_idx on auth.webauthn_challenges (expires_at);

reset role;
