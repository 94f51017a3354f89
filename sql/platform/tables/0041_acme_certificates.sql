-- Certificates that the server obtains by itself (ACME, RFC 8555). They are here, and not in a
-- node's data folder, so that all nodes of a project serve one certificate, one of them orders it,
-- and each can answer the authority's challenges. Keys are sealed with a key that follows from the
-- project's secret.

-- Accounts at authorities.
create table if not exists cloch.acme_accounts (
  directory_url text primary key,
  -- Sealed: the account's URL and key.
  credentials   text not null,
  created_at    timestamptz not null default now()
);

-- One row for each set of names at each authority.
create table if not exists cloch.acme_certificates (
  -- SHA-256 of authority and names in hexadecimal.
  id             text primary key,
  directory_url  text not null,
  domains        text[] not null constraint acme_certificates_has_domains
    check (cardinality(domains) between 1 and 100),
  -- In PEM form, the server's own first; null until the first one is there.
  chain          text,
  -- Sealed.
  private_key    text,
  renew_at       timestamptz,
  -- When the authority is asked again whether it should be renewed sooner (RFC 9773).
  ask_renewal_at timestamptz,
  -- The order under way, and its sealed key: a node that is killed leaves both to the next.
  order_url      text,
  order_key      text,
  -- When orders of the last hour were begun.
  tries          timestamptz[] not null default '{}',
  -- What the authority said to wait for, and the last reason why there was no certificate.
  wait_until     timestamptz,
  last_error     text,
  issued_at      timestamptz,
  constraint acme_certificates_whole
    check ((chain is null) = (private_key is null) and (chain is null) = (renew_at is null))
);

-- What is shown to an authority that looks whether a name leads here.
create table if not exists cloch.acme_challenges (
  token             text primary key,
  domain            text not null,
  key_authorization text not null,
  expires_at        timestamptz not null
);

create index if not exists acme_challenges_domain on cloch.acme_challenges (domain);
revoke all on table cloch.acme_accounts, cloch.acme_certificates, cloch.acme_challenges from public;
