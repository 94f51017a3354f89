-- The OAuth server: how recently a user must have signed in for a request, and when they had.

alter table cloch.oauth_prompts
  -- The sign-in that the request asks for (`prompt=login`, `max_age`) is not before this moment.
  add column sign_in_after timestamptz,
  -- When the user who approved the request had signed in: the `auth_time` of the ID token.
  add column auth_time timestamptz;
