-- Makes schema realtime: messages of channels (realtime.messages, in daily partitions), subscriptions to changes, the types of
-- Supabase's schema, and publication supabase_realtime.

\ir ../functions/realtime/maintain_partitions.sql
\ir ../functions/realtime/tell_servers.sql
\ir ../functions/realtime/to_regrole.sql

set local role supabase_realtime_admin;

create type realtime.action as enum ('INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'ERROR');

create type realtime.equality_op as enum (
  'eq', 'neq', 'lt', 'lte', 'gt', 'gte', 'in', 'like', 'ilike', 'is', 'match', 'imatch', 'isdistinct');

create type realtime.user_defined_filter as (
  column_name text, op realtime.equality_op, value text, negate boolean);

create type realtime.wal_column as (
  name text, type_name text, type_oid oid, value jsonb, is_pkey boolean, is_selectable boolean);

create type realtime.wal_rls as (
  wal jsonb, is_rls_enabled boolean, subscription_ids uuid[], errors text[]);

create table realtime.schema_migrations (
  version     bigint not null,
  inserted_at timestamp(0) without time zone,
  constraint schema_migrations_pkey primary key (version)
);

create table realtime.subscription (
  id               bigint generated always as identity,
  subscription_id  uuid not null,
  entity           regclass not null,
  filters          realtime.user_defined_filter[] not null default '{}',
  claims           jsonb not null,
  claims_role      regrole not null generated always as (realtime.to_regrole(claims ->> 'role')) stored,
  created_at       timestamp without time zone not null default timezone('utc', now()),
  action_filter    text default '*',
  selected_columns text[],
  constraint pk_subscription primary key (id),
  constraint subscription_action_filter_check check (action_filter in ('*', 'INSERT', 'UPDATE', 'DELETE'))
);

create index ix_realtime_subscription_entity on realtime.subscription using btree (entity);

create table realtime.messages (
  topic          text not null,
  extension      text not null,
  payload        jsonb,
  event          text,
  private        boolean default false,
  updated_at     timestamp without time zone not null default now(),
  inserted_at    timestamp without time zone not null default now(),
  id             uuid not null default gen_random_uuid(),
  binary_payload bytea,
  constraint messages_pkey primary key (id, inserted_at),
  constraint messages_payload_exclusive check (payload is null or binary_payload is null)
) partition by range (inserted_at);

create index messages_inserted_at_topic_index
  on realtime.messages (inserted_at desc, topic) where extension = 'broadcast' and private;

-- The project's policies on this table decide who may read from and write to a private channel.
alter table realtime.messages enable row level security;
grant select, insert, update on realtime.messages to postgres, anon, authenticated, service_role;

-- On Supabase, anon and authenticated may read this table as well. Here they may not, because the table contains the claims of all
-- subscribers.
grant all on realtime.subscription to postgres, dashboard_user;
grant select on realtime.subscription to service_role;
grant usage on all sequences in schema realtime to postgres, dashboard_user;

-- Notifies the nodes of each broadcast that SQL inserts.
create trigger tell_servers after insert on realtime.messages
  for each row when (new.extension = 'broadcast') execute function realtime.tell_servers();

select realtime.maintain_partitions();

reset role;

-- The publication is empty at first. A project adds the tables whose changes are sent to clients.
do $$
begin
  if not exists (select from pg_catalog.pg_publication where pubname = 'supabase_realtime') then
    -- CREATE PUBLICATION warns if wal_level is not logical. The operator of the server chooses wal_level, so the warning is suppressed.
    perform set_config('client_min_messages', 'error', true);
    create publication supabase_realtime;
    perform set_config('client_min_messages', 'notice', true);
    perform cloch.attempt(format('alter publication supabase_realtime owner to %I', cloch.project_owner()));
  end if;
end;
$$;
