-- Makes the tables of database webhooks: row triggers that send a change to a URL (function supabase_functions.http_request).

\ir ../functions/supabase_functions/note_webhook.sql

set local role supabase_functions_admin;

create table supabase_functions.migrations (
  version     text not null,
  inserted_at timestamptz not null default now(),
  constraint migrations_pkey primary key (version)
);

create table supabase_functions.hooks (
  id            bigserial not null,
  hook_table_id integer not null,
  hook_name     text not null,
  created_at    timestamptz not null default now(),
  request_id    bigint,
  constraint hooks_pkey primary key (id)
);

comment on table supabase_functions.hooks is 'Audit trail of the webhooks that triggers have called.';
create index supabase_functions_hooks_request_id_idx on supabase_functions.hooks (request_id);
create index supabase_functions_hooks_h_table_id_h_name_idx on supabase_functions.hooks (hook_table_id, hook_name);

create or replace trigger note_webhook after insert on supabase_functions.hooks
  for each row execute function supabase_functions.note_webhook();

-- supabase_functions.hooks is a log for developers. If a statement of an API role fires a webhook, the trigger function writes the log
-- with the rights of the function's owner.
revoke all on all tables in schema supabase_functions from public;
grant all on all tables in schema supabase_functions to postgres, service_role;
grant all on all sequences in schema supabase_functions to postgres, service_role;

reset role;
