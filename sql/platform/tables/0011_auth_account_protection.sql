-- What auth keeps beyond GoTrue's own tables, which keep their form: a dump
-- restores into them.

-- Accounts that somebody asked for without being signed in, and that nobody has
-- proved yet. Their password, metadata and identities are those of whoever asked
-- last; a proof that was asked for apart from that (a recovery link, an e-mail
-- change) drops them. Accounts made by an administrator have no row here.
create table cloch.sign_ups (
  user_id   uuid not null,
  -- Where the last request came from: an IPv4 address or an IPv6 /64.
  network   text not null,
  -- Requests came from more than one network.
  contested boolean not null default false,
  constraint sign_ups_pkey primary key (user_id),
  constraint sign_ups_user_id_fkey foreign key (user_id) references auth.users (id) on delete cascade
);

-- The newest time step (30 seconds) whose code each authenticator app has proved. A
-- code of it or of an earlier step does not count again (RFC 6238, 5.2).
create table cloch.totp_steps (
  factor_id uuid not null,
  step      bigint not null,
  constraint totp_steps_pkey primary key (factor_id),
  constraint totp_steps_factor_id_fkey foreign key (factor_id) references auth.mfa_factors (id) on delete cascade
);

-- Networks from which an account was signed in to: guesses made elsewhere do not
-- shut them out.
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

-- Auth works as supabase_auth_admin, so that triggers on auth.users and hooks
-- never have the rights of Cloch's own login. What it needs outside its schema:
-- to put a mail into the outbox and to count calls.
grant usage on schema cloch to supabase_auth_admin;
grant insert on cloch.mail_outbox, cloch.mail_attachments to supabase_auth_admin;
grant select (id) on cloch.mail_outbox to supabase_auth_admin;
grant select, insert, update, delete on cloch.rate_limits to supabase_auth_admin;
