-- Makes schema auth, part 3 of 4: single sign-on with SAML, the OAuth server (authorizations and consents), and the OAuth providers
-- through which users sign in.

set local role supabase_auth_admin;

create table auth.sso_providers (
  id          uuid not null,
  resource_id text,
  created_at  timestamptz,
  updated_at  timestamptz,
  disabled    boolean,
  constraint sso_providers_pkey primary key (id),
  constraint "resource_id not empty" check (resource_id = null::text or char_length(resource_id) > 0)
);

create unique index sso_providers_resource_id_idx on auth.sso_providers (lower(resource_id));
create index sso_providers_resource_id_pattern_idx on auth.sso_providers (resource_id text_pattern_ops);

create table auth.sso_domains (
  id              uuid not null,
  sso_provider_id uuid not null,
  domain          text not null,
  created_at      timestamptz,
  updated_at      timestamptz,
  constraint sso_domains_pkey primary key (id),
  constraint "domain not empty" check (char_length(domain) > 0),
  constraint sso_domains_sso_provider_id_fkey
    foreign key (sso_provider_id) references auth.sso_providers (id) on delete cascade
);

create unique index sso_domains_domain_idx on auth.sso_domains (lower(domain));
create index sso_domains_sso_provider_id_idx on auth.sso_domains (sso_provider_id);

create table auth.saml_providers (
  id                uuid not null,
  sso_provider_id   uuid not null,
  entity_id         text not null,
  metadata_xml      text not null,
  metadata_url      text,
  attribute_mapping jsonb,
  created_at        timestamptz,
  updated_at        timestamptz,
  name_id_format    text,
  constraint saml_providers_pkey primary key (id),
  constraint saml_providers_entity_id_key unique (entity_id),
  constraint "metadata_xml not empty" check (char_length(metadata_xml) > 0),
  constraint "metadata_url not empty" check (metadata_url = null::text or char_length(metadata_url) > 0),
  constraint "entity_id not empty" check (char_length(entity_id) > 0),
  constraint saml_providers_sso_provider_id_fkey
    foreign key (sso_provider_id) references auth.sso_providers (id) on delete cascade
);

create index saml_providers_sso_provider_id_idx on auth.saml_providers (sso_provider_id);

create table auth.saml_relay_states (
  id              uuid not null,
  sso_provider_id uuid not null,
  request_id      text not null,
  for_email       text,
  redirect_to     text,
  created_at      timestamptz,
  updated_at      timestamptz,
  flow_state_id   uuid,
  constraint saml_relay_states_pkey primary key (id),
  constraint "request_id not empty" check (char_length(request_id) > 0),
  constraint saml_relay_states_sso_provider_id_fkey
    foreign key (sso_provider_id) references auth.sso_providers (id) on delete cascade,
  constraint saml_relay_states_flow_state_id_fkey
    foreign key (flow_state_id) references auth.flow_state (id) on delete cascade
);

create index saml_relay_states_sso_provider_id_idx on auth.saml_relay_states (sso_provider_id);
create index saml_relay_states_for_email_idx on auth.saml_relay_states (for_email);
create index saml_relay_states_created_at_idx on auth.saml_relay_states (created_at desc);

create table auth.oauth_authorizations (
  id                    uuid not null,
  authorization_id      text not null,
  client_id             uuid not null,
  user_id               uuid,
  redirect_uri          text not null,
  scope                 text not null,
  state                 text,
  resource              text,
  code_challenge        text,
  code_challenge_method auth.code_challenge_method,
  response_type         auth.oauth_response_type not null default 'code',
  status                auth.oauth_authorization_status not null default 'pending',
  authorization_code    text,
  created_at            timestamptz not null default now(),
  expires_at            timestamptz not null default (now() + interval '3 minutes'),
  approved_at           timestamptz,
  nonce                 text,
  constraint oauth_authorizations_pkey primary key (id),
  constraint oauth_authorizations_authorization_id_key unique (authorization_id),
  constraint oauth_authorizations_authorization_code_key unique (authorization_code),
  constraint oauth_authorizations_redirect_uri_length check (char_length(redirect_uri) <= 2048),
  constraint oauth_authorizations_scope_length check (char_length(scope) <= 4096),
  constraint oauth_authorizations_state_length check (char_length(state) <= 4096),
  constraint oauth_authorizations_resource_length check (char_length(resource) <= 2048),
  constraint oauth_authorizations_code_challenge_length check (char_length(code_challenge) <= 128),
  constraint oauth_authorizations_authorization_code_length check (char_length(authorization_code) <= 255),
  constraint oauth_authorizations_nonce_length check (char_length(nonce) <= 255),
  constraint oauth_authorizations_expires_at_future check (expires_at > created_at),
  constraint oauth_authorizations_client_id_fkey
    foreign key (client_id) references auth.oauth_clients (id) on delete cascade,
  constraint oauth_authorizations_user_id_fkey
    foreign key (user_id) references auth.users (id) on delete cascade
);

create index oauth_auth_pending_exp_idx on auth.oauth_authorizations (expires_at) where status = 'pending';

create table auth.oauth_consents (
  id         uuid not null,
  user_id    uuid not null,
  client_id  uuid not null,
  scopes     text not null,
  granted_at timestamptz not null default now(),
  revoked_at timestamptz,
  constraint oauth_consents_pkey primary key (id),
  constraint oauth_consents_user_client_unique unique (user_id, client_id),
  constraint oauth_consents_scopes_length check (char_length(scopes) <= 2048),
  constraint oauth_consents_scopes_not_empty check (char_length(trim(both from scopes)) > 0),
  constraint oauth_consents_revoked_after_granted check (revoked_at is null or revoked_at >= granted_at),
  constraint oauth_consents_user_id_fkey
    foreign key (user_id) references auth.users (id) on delete cascade,
  constraint oauth_consents_client_id_fkey
    foreign key (client_id) references auth.oauth_clients (id) on delete cascade
);

create index oauth_consents_active_user_client_idx on auth.oauth_consents (user_id, client_id) where revoked_at is null;
create index oauth_consents_active_client_idx on auth.oauth_consents (client_id) where revoked_at is null;
create index oauth_consents_user_order_idx on auth.oauth_consents (user_id, granted_at desc);

create table auth.oauth_client_states (
  id            uuid not null,
  provider_type text not null,
  code_verifier text,
  created_at    timestamptz not null,
  constraint oauth_client_states_pkey primary key (id)
);

create index idx_oauth_client_states_created_at on auth.oauth_client_states (created_at);

create table auth.custom_oauth_providers (
  id                      uuid not null default gen_random_uuid(),
  provider_type           text not null,
  identifier              text not null,
  name                    text not null,
  client_id               text not null,
  client_secret           text not null,
  acceptable_client_ids   text[] not null default '{}',
  scopes                  text[] not null default '{}',
  pkce_enabled            boolean not null default true,
  attribute_mapping       jsonb not null default '{}',
  authorization_params    jsonb not null default '{}',
  enabled                 boolean not null default true,
  email_optional          boolean not null default false,
  issuer                  text,
  discovery_url           text,
  skip_nonce_check        boolean not null default false,
  cached_discovery        jsonb,
  discovery_cached_at     timestamptz,
  authorization_url       text,
  token_url               text,
  userinfo_url            text,
  jwks_uri                text,
  created_at              timestamptz not null default now(),
  updated_at              timestamptz not null default now(),
  custom_claims_allowlist text[] not null default '{}',
  constraint custom_oauth_providers_pkey primary key (id),
  constraint custom_oauth_providers_identifier_key unique (identifier),
  constraint custom_oauth_providers_provider_type_check check (provider_type in ('oauth2', 'oidc')),
  constraint custom_oauth_providers_identifier_format check (identifier ~ '^[a-z0-9][a-z0-9:-]{0,48}[a-z0-9]$'),
  constraint custom_oauth_providers_name_length check (char_length(name) between 1 and 100),
  constraint custom_oauth_providers_client_id_length check (char_length(client_id) between 1 and 512),
  constraint custom_oauth_providers_oidc_requires_issuer check (provider_type <> 'oidc' or issuer is not null),
  constraint custom_oauth_providers_oauth2_requires_endpoints check (
    provider_type <> 'oauth2'
    or (authorization_url is not null and token_url is not null and userinfo_url is not null)),
  constraint custom_oauth_providers_issuer_length check (char_length(issuer) between 1 and 2048),
  constraint custom_oauth_providers_discovery_url_length check (char_length(discovery_url) <= 2048),
  constraint custom_oauth_providers_authorization_url_length check (char_length(authorization_url) <= 2048),
  constraint custom_oauth_providers_token_url_length check (char_length(token_url) <= 2048),
  constraint custom_oauth_providers_userinfo_url_length check (char_length(userinfo_url) <= 2048),
  constraint custom_oauth_providers_jwks_uri_length check (char_length(jwks_uri) <= 2048),
  constraint custom_oauth_providers_issuer_https check (issuer like 'https://%'),
  constraint custom_oauth_providers_discovery_url_https check (discovery_url like 'https://%'),
  constraint custom_oauth_providers_authorization_url_https check (authorization_url like 'https://%'),
  constraint custom_oauth_providers_token_url_https check (token_url like 'https://%'),
  constraint custom_oauth_providers_userinfo_url_https check (userinfo_url like 'https://%'),
  constraint custom_oauth_providers_jwks_uri_https check (jwks_uri like 'https://%')
);

create index custom_oauth_providers_identifier_idx on auth.custom_oauth_providers (identifier);
create index custom_oauth_providers_provider_type_idx on auth.custom_oauth_providers (provider_type);
create index custom_oauth_providers_enabled_idx on auth.custom_oauth_providers (enabled);
create index custom_oauth_providers_created_at_idx on auth.custom_oauth_providers (created_at);

reset role;
