-- Makes the tables that auth uses to protect accounts, and grants supabase_auth_admin its rights in schema cloch. Columns are not added
-- to Supabase Auth's own tables, so that dumps can be restored into them.

-- Accounts that a client without a session has requested and that are not confirmed yet. Password, metadata and identities of such an
-- account come from the last request. A proof that was requested separately (a recovery link, an e-mail change) discards them. Accounts
-- created by an administrator have no row.
create table cloch.sign_ups (
  user_id   uuid not null,
  -- Network of the last request: an IPv4 address or an IPv6 /64.
  network   text not null,
  -- Whether requests for the account came from more than one network.
  contested boolean not null default false,
  constraint sign_ups_pkey primary key (user_id),
  constraint sign_ups_user_id_fkey foreign key (user_id) references auth.users (id) on delete cascade
);

-- Newest time step (30 seconds) of each authenticator app whose code was accepted. Codes of this step and of earlier steps are refused,
-- so that no code can be used twice (RFC 6238, section 5.2).
create table cloch.totp_steps (
  factor_id uuid not null,
  step      bigint not null,
  constraint totp_steps_pkey primary key (factor_id),
  constraint totp_steps_factor_id_fkey foreign key (factor_id) references auth.mfa_factors (id) on delete cascade
);

-- Networks from which a user has signed in. Failed attempts from other networks do not lock the user out on these networks.
create table cloch.sign_in_networks (
  user_id uuid not null,
  network text not null,
  seen_at timestamptz not null default now(),
  constraint sign_in_networks_pkey primary key (user_id, network),
  constraint sign_in_networks_user_id_fkey foreign key (user_id) references auth.users (id) on delete cascade
);

create index sign_in_networks_seen_at on cloch.sign_in_networks (seen_at);

grant select, insert, update, delete
  on cloch.sign_ups, cloch.totp_steps, cloch.sign_in_networks to supabase_auth_admin;

-- Auth works as supabase_auth_admin, so that triggers on auth.users and auth hooks never run with the rights of Cloch's own login.
-- Outside of its own schemas auth inserts mails into the outbox and counts calls.
grant usage on schema cloch to supabase_auth_admin;
grant insert on cloch.mail_outbox, cloch.mail_attachments to supabase_auth_admin;
grant select (id) on cloch.mail_outbox to supabase_auth_admin;
grant select, insert, update, delete on cloch.rate_limits to supabase_auth_admin;
