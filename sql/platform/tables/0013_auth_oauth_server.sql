-- Makes the OAuth server's tables that Supabase Auth does not have.

-- Authorization codes that were exchanged for tokens. If a client presents such a code again, the session that was created with the
-- code is deleted (RFC 6749, section 4.1.2).
create table cloch.oauth_spent_codes (
  -- SHA-256 of the code in hexadecimal.
  code_hash  text not null,
  client_id  uuid not null,
  session_id uuid not null,
  spent_at   timestamptz not null default now(),
  constraint oauth_spent_codes_pkey primary key (code_hash),
  constraint oauth_spent_codes_session_id_fkey
    foreign key (session_id) references auth.sessions (id) on delete cascade
);

create index oauth_spent_codes_session_id_idx on cloch.oauth_spent_codes (session_id);
create index oauth_spent_codes_spent_at_idx on cloch.oauth_spent_codes (spent_at);

-- Authorization requests with a parameter `prompt` or `max_age`, and requests that a user has approved. With a prompt the user must
-- decide even if an earlier consent covers the request.
create table cloch.oauth_prompts (
  authorization_id uuid not null,
  -- Value of parameter `prompt`; empty if the request has none.
  prompt           text not null,
  -- Earliest accepted time of the user's sign-in (`prompt=login`, `max_age`); null if any sign-in is accepted.
  sign_in_after    timestamptz,
  -- Time of the sign-in of the user who approved the request: claim `auth_time` of the ID token.
  auth_time        timestamptz,
  constraint oauth_prompts_pkey primary key (authorization_id),
  constraint oauth_prompts_authorization_id_fkey
    foreign key (authorization_id) references auth.oauth_authorizations (id) on delete cascade
);

grant select, insert, update, delete on cloch.oauth_spent_codes, cloch.oauth_prompts to supabase_auth_admin;
