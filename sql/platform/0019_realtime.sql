-- Schema realtime: messages that reach channels, their policies' subject, and
-- the functions that projects' triggers call.

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

create or replace function realtime.to_regrole(role_name text) returns regrole
language sql immutable as $$
  select role_name::regrole
$$;

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

-- Policies on this table say who may read and write a private channel.
alter table realtime.messages enable row level security;
grant select, insert, update on realtime.messages to postgres, anon, authenticated, service_role;
-- Upstream lets anon and authenticated read this as well; it holds the claims of
-- everybody who listens.
grant all on realtime.subscription to postgres, dashboard_user;
grant select on realtime.subscription to service_role;
grant usage on all sequences in schema realtime to postgres, dashboard_user;

-- The channel that a policy on realtime.messages is asked about.
create or replace function realtime.topic() returns text
language sql stable as $$
  select nullif(current_setting('realtime.topic', true), '')::text
$$;

-- Makes the daily partitions from yesterday to a week ahead and drops those older
-- than three days. The server calls it at start and every hour. In UTC, as
-- inserted_at is.
create or replace function realtime.maintain_partitions() returns void
language plpgsql security definer set search_path = '' as $$
declare
  today date := (now() at time zone 'utc')::date;
  day date;
  old_partition text;
begin
  for day in select generate_series(today - 1, today + 7, interval '1 day')::date loop
    if to_regclass(format('realtime.%I', to_char(day, '"messages_"YYYY_MM_DD'))) is null then
      execute format(
        'create table if not exists realtime.%I partition of realtime.messages for values from (%L) to (%L)',
        to_char(day, '"messages_"YYYY_MM_DD'), day, day + 1);
      execute format('alter table realtime.%I enable row level security', to_char(day, '"messages_"YYYY_MM_DD'));
    end if;
  end loop;
  for old_partition in
    select c.relname from pg_catalog.pg_class as c
      join pg_catalog.pg_inherits as i on i.inhrelid = c.oid
     where i.inhparent = 'realtime.messages'::regclass
       and c.relname ~ '^messages_\d{4}_\d{2}_\d{2}$'
       and to_date(substring(c.relname from 10), 'YYYY_MM_DD') < today - 3
  loop
    execute format('drop table realtime.%I', old_partition);
  end loop;
end;
$$;
revoke execute on function realtime.maintain_partitions() from public;

-- Sends a message to a channel. An error is a warning: it must not fail the
-- statement whose trigger sends.
create or replace function realtime.send(
  payload jsonb, event text, topic text, private boolean default true
) returns void
language plpgsql as $$
declare
  message_id uuid := gen_random_uuid();
begin
  begin
    perform set_config('realtime.topic', send.topic, true);
    insert into realtime.messages (id, payload, event, topic, private, extension)
    values (
      message_id,
      case when send.payload ? 'id' then send.payload
           else jsonb_set(send.payload, '{id}', to_jsonb(message_id)) end,
      send.event, send.topic, send.private, 'broadcast');
  exception when others then
    raise warning 'ErrorSendingBroadcastMessage: %', sqlerrm;
  end;
end;
$$;

create or replace function realtime.send_binary(
  payload bytea, event text, topic text, private boolean default true
) returns void
language plpgsql as $$
begin
  begin
    perform set_config('realtime.topic', send_binary.topic, true);
    insert into realtime.messages (binary_payload, event, topic, private, extension)
    values (send_binary.payload, send_binary.event, send_binary.topic, send_binary.private, 'broadcast');
  exception when others then
    raise warning 'ErrorSendingBroadcastMessage: %', sqlerrm;
  end;
end;
$$;

-- For a row trigger: sends the change of a row to a private channel.
create or replace function realtime.broadcast_changes(
  topic_name text, event_name text, operation text, table_name text, table_schema text,
  new record, old record, level text default 'ROW'
) returns void
language plpgsql as $$
begin
  if level = 'STATEMENT' then
    raise exception 'function can only be triggered for each row, not for each statement';
  end if;
  perform realtime.send(
    jsonb_build_object(
      'old_record', case when operation in ('UPDATE', 'DELETE') then to_jsonb(old) end,
      'record', case when operation in ('INSERT', 'UPDATE') then to_jsonb(new) end,
      'operation', operation,
      'table', table_name,
      'schema', table_schema),
    event_name, topic_name);
exception when others then
  raise exception 'failed to process the row: %', sqlerrm;
end;
$$;

-- Tells the servers of each message that the database sends to a channel. A row
-- that is rolled back, as the rows are with which policies are asked, is not told of.
create or replace function realtime.tell_servers() returns trigger
language plpgsql set search_path = '' as $$
begin
  -- A notification holds 8,000 bytes: it names the row.
  if octet_length(new.topic) <= 4000 then
    perform pg_notify('cloch_realtime', json_build_object(
      'id', new.id, 'topic', new.topic, 'private', coalesce(new.private, false))::text);
  end if;
  return null;
end;
$$;
revoke execute on function realtime.tell_servers() from public;

create trigger tell_servers after insert on realtime.messages
  for each row when (new.extension = 'broadcast') execute function realtime.tell_servers();

select realtime.maintain_partitions();

reset role;

-- Starts empty: a project adds the tables whose changes it wants sent.
do $$
begin
  if not exists (select from pg_catalog.pg_publication where pubname = 'supabase_realtime') then
    -- It warns where wal_level is not logical; that is the server's to decide.
    perform set_config('client_min_messages', 'error', true);
    create publication supabase_realtime;
    perform set_config('client_min_messages', 'notice', true);
    perform cloch.attempt(format('alter publication supabase_realtime owner to %I', cloch.project_owner()));
  end if;
end;
$$;
