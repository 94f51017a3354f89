-- The OAuth server: what it keeps beyond GoTrue's own tables.

-- Authorization codes that were exchanged. One that comes again ends the session it was exchanged for (RFC 6749, 4.1.2).
create table cloch.oauth_spent_codes (
  -- SHA-256 of the code, in hexadecimal digits.
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

-- Authorization requests with a `prompt`: the user is asked even where an earlier consent covers the request.
create table cloch.oauth_prompts (
  authorization_id uuid not null,
  prompt           text not null,
  -- Earliest acceptable time of the user's sign-in (`prompt=login`, `max_age`).
  sign_in_after    timestamptz,
  -- Time of the sign-in of the user who approved the request: `auth_time` of the ID token.
  auth_time        timestamptz,
  constraint oauth_prompts_pkey primary key (authorization_id),
  constraint oauth_prompts_authorization_id_fkey
    foreign key (authorization_id) references auth.oauth_authorizations (id) on delete cascade
);

grant select, insert, update, delete on cloch.oauth_spent_codes, cloch.oauth_prompts to supabase_auth_admin;
