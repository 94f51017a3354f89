-- Who changed which record when. Written by triggers alone; read by admins.

create table public.audit_log (
  id          bigint generated always as identity,
  table_name  text not null,
  record_id   uuid not null,
  action      text not null,
  -- {"column": {"from": …, "to": …}} of the columns that changed. Null for a
  -- new record, which speaks for itself.
  changes     jsonb,
  actor_id    uuid,
  actor_email text,
  actor_role  text not null,
  changed_at  timestamptz not null default clock_timestamp(),
  constraint audit_log_pkey primary key (id),
  constraint audit_action_is_known check (action in ('insert', 'update', 'delete'))
);
create index audit_log_record_idx on public.audit_log (table_name, record_id, changed_at desc);
create index audit_log_changed_at_idx on public.audit_log (changed_at desc);

-- Not through the API, whoever calls: some managed servers give service_role the
-- owner's rights. The end of a season is the exception.
create function club.keep_log() returns trigger
language plpgsql set search_path = '' as $$
begin
  if auth.role() is not null and coalesce(current_setting('club.deleting_season', true), '') <> 'on' then
    raise insufficient_privilege using message = 'The log is not changed through the API';
  end if;
  return null;
end;
$$;
create trigger keep_log before update or delete or truncate on public.audit_log
  for each statement execute function club.keep_log();

-- The trigger's argument names the column that identifies the record.
create function club.audit() returns trigger
language plpgsql security definer set search_path = '' as $$
declare
  before jsonb := case when tg_op <> 'INSERT' then to_jsonb(old) - 'updated_at' end;
  after jsonb := case when tg_op <> 'DELETE' then to_jsonb(new) - 'updated_at' end;
  differences jsonb;
begin
  if tg_op <> 'INSERT' then
    select jsonb_object_agg(b.key, jsonb_build_object('from', b.value, 'to', after -> b.key))
      into differences
      from jsonb_each(before) as b
     where b.value is distinct from after -> b.key
       and coalesce(current_setting('club.deleting_season', true), '') <> 'on';
    if tg_op = 'UPDATE' and differences is null then
      return null;
    end if;
  end if;
  insert into public.audit_log (table_name, record_id, action, changes, actor_id, actor_email, actor_role)
  values (
    tg_table_name,
    (coalesce(after, before) ->> tg_argv[0])::uuid,
    lower(tg_op),
    differences,
    auth.uid(),
    auth.email(),
    coalesce(auth.role(), session_user));
  return null;
end;
$$;
