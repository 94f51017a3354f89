-- Whether a column of schema auth is hidden from read-only SQL, because its values give access to an account: passwords, links, codes,
-- tokens and keys. Hashed values are hidden too, because the hash of a code of six digits is reversed in a second by trying all codes.
-- `relation` is the name of the table. Only Cloch's own login may call the function.
create or replace function cloch.is_secret_column(relation name, column_name name) returns boolean
language sql immutable set search_path = 'pg_catalog', 'pg_temp' as $$
  select (relation || '.' || column_name) in (
    'custom_oauth_providers.client_secret',
    'flow_state.auth_code', 'flow_state.code_challenge', 'flow_state.invite_token',
    'flow_state.provider_access_token', 'flow_state.provider_refresh_token',
    'instances.raw_base_config',
    'mfa_challenges.otp_code', 'mfa_challenges.web_authn_session_data',
    'mfa_factors.last_webauthn_challenge_data', 'mfa_factors.secret',
    'oauth_authorizations.authorization_code', 'oauth_authorizations.code_challenge',
    'oauth_client_states.code_verifier',
    'oauth_clients.client_secret_hash',
    'one_time_tokens.token_hash',
    'refresh_tokens.parent', 'refresh_tokens.token',
    'saml_relay_states.request_id',
    'sessions.refresh_token_hmac_key',
    'users.confirmation_token', 'users.email_change_token_current', 'users.email_change_token_new',
    'users.encrypted_password', 'users.phone_change_token', 'users.reauthentication_token', 'users.recovery_token',
    'webauthn_challenges.session_data')
$$;
revoke execute on function cloch.is_secret_column(name, name) from public;
