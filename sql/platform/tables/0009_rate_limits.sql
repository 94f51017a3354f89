-- Makes table cloch.rate_limits: counts of calls, or of amounts such as rows, files and KiB, in a sliding time window. The counts are
-- in the database so that all nodes of a project share them. cloch.take_amount and related functions read and write the table.
create table if not exists cloch.rate_limits (
  -- Key of the count, for example 'send-email/address/192.0.2.7'.
  subject    text primary key,
  -- The window is divided into 60 slices. `slices` contains the start of each slice in which something was counted, oldest first, and
  -- `counts` the amount of each slice. The size of a row therefore does not depend on the limit.
  slices     timestamptz[] not null,
  counts     int[] not null,
  -- Time after which the row may be deleted. For cloch.take_turn: time of the next permitted call.
  expires_at timestamptz not null
);

create index if not exists rate_limits_expired on cloch.rate_limits (expires_at);
