-- Recovery codes: what gets a user to aal2 who lost the other second factor. They are a factor of their own to
-- clients, but no row of auth.mfa_factors, whose type has no name for them.
create table cloch.recovery_code_sets (
  -- The factor's id.
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
  -- SHA-256 of the set's id and the code, which has 80 random bits.
  hash    bytea not null,
  used_at timestamptz,
  constraint recovery_codes_pkey primary key (set_id, hash),
  constraint recovery_codes_set_id_fkey
    foreign key (set_id) references cloch.recovery_code_sets (id) on delete cascade
);

grant select, insert, update, delete on cloch.recovery_code_sets, cloch.recovery_codes to supabase_auth_admin;
