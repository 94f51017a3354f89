-- Makes the tables of TLS certificates that the server obtains with ACME (RFC 8555). They are in the database, not in the data folder
-- of a node, so that all nodes of a project serve the same certificate, one node orders it, and each node can answer the authority's
-- challenges. Private keys are encrypted with a key that is derived from the project's secret.

-- Accounts at certificate authorities.
create table if not exists cloch.acme_accounts (
  directory_url text primary key,
  -- Encrypted: URL and key of the account.
  credentials   text not null,
  created_at    timestamptz not null default now()
);

-- One row for each set of domain names at each certificate authority.
create table if not exists cloch.acme_certificates (
  -- SHA-256 of the authority and the domain names, in hexadecimal.
  id             text primary key,
  directory_url  text not null,
  domains        text[] not null constraint acme_certificates_has_domains
    check (cardinality(domains) between 1 and 100),
  -- Certificate chain in PEM form, the server's own certificate first; null before the first certificate is issued.
  chain          text,
  -- Encrypted private key of the certificate.
  private_key    text,
  renew_at       timestamptz,
  -- Time of the next request for renewal information, by which the authority may bring the renewal forward (RFC 9773).
  ask_renewal_at timestamptz,
  -- URL of the order in progress. If the node that placed the order is killed, another node completes the order.
  order_url      text,
  -- Encrypted private key of the order in progress.
  order_key      text,
  -- Start times of the orders of the last hour.
  tries          timestamptz[] not null default '{}',
  -- Earliest time of the next order after a failure, if the authority requested a delay.
  wait_until     timestamptz,
  -- Why the last order failed.
  last_error     text,
  issued_at      timestamptz,
  constraint acme_certificates_whole
    check ((chain is null) = (private_key is null) and (chain is null) = (renew_at is null))
);

-- Responses to the authority's challenges, which prove that a domain name leads to this server.
create table if not exists cloch.acme_challenges (
  token             text primary key,
  domain            text not null,
  key_authorization text not null,
  expires_at        timestamptz not null
);

create index if not exists acme_challenges_domain on cloch.acme_challenges (domain);
revoke all on table cloch.acme_accounts, cloch.acme_certificates, cloch.acme_challenges from public;
