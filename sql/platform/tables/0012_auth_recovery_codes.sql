-- Makes the tables of recovery codes, with which a user who has lost the second factor reaches aal2. The API shows the set of codes of
-- a user as a factor. It is no row of auth.mfa_factors, because the enum auth.factor_type has no value for recovery codes.
create table cloch.recovery_code_sets (
  -- Id of the factor in the API.
  id            uuid not null,
  user_id       uuid not null,
  friendly_name text not null,
  created_at    timestamptz not null default now(),
  updated_at    timestamptz not null default now(),
  constraint recovery_code_sets_pkey primary key (id),
  constraint recovery_code_sets_user_id_key unique (user_id),
  constraint recovery_code_sets_user_id_fkey foreign key (user_id) references auth.users (id) on delete cascade
);

create table cloch.recovery_codes (
  set_id  uuid not null,
  -- SHA-256 of the set's id and the code. A code has 80 random bits.
  hash    bytea not null,
  used_at timestamptz,
  constraint recovery_codes_pkey primary key (set_id, hash),
  constraint recovery_codes_set_id_fkey
    foreign key (set_id) references cloch.recovery_code_sets (id) on delete cascade
);

grant select, insert, update, delete on cloch.recovery_code_sets, cloch.recovery_codes to supabase_auth_admin;
