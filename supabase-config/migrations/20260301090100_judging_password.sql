-- The judges' password, and what makes a judge's token end with it.

create table club.judging_password (
  -- One row at most.
  only_one   boolean not null default true,
  -- argon2 or bcrypt, in the form that names its own parameters.
  hash       text not null,
  -- A token carries the version it was given for.
  version    uuid not null default gen_random_uuid(),
  -- Mark of the configured password this one came from or replaced: a restart
  -- with the same configuration leaves a password alone that an admin has set.
  configured text,
  changed_by uuid,
  changed_at timestamptz not null default now(),
  constraint judging_password_pkey primary key (only_one),
  constraint judging_password_is_one_row check (only_one)
);
alter table club.judging_password enable row level security;

create function club.judge_is_current() returns boolean
language sql stable security definer set search_path = '' as $$
  select exists (
    select from club.judging_password
     where version::text = auth.jwt() ->> 'password_version')
$$;
grant execute on function club.judge_is_current() to judge;
