-- Rate limits, in the database so that several nodes count together: calls, or amounts
-- such as rows, files and kibibytes, in a sliding window.
create table if not exists cloch.rate_limits (
  -- What is counted, such as 'send-email/address/192.0.2.7'.
  subject    text primary key,
  -- A window is counted in sixty slices: when each began and how many calls it
  -- holds, oldest first. So a row stays small however much is allowed.
  slices     timestamptz[] not null,
  counts     int[] not null,
  expires_at timestamptz not null
);

create index if not exists rate_limits_expired on cloch.rate_limits (expires_at);
