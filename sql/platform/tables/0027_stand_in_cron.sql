-- Makes the stand-in for pg_cron (schema cron), unless the server has the extension, and table cloch.job_claims. The server's scheduler
-- runs the active jobs of cron.job, each as role `username` in database `database`, and records the runs in cron.job_run_details.

do $outer$
begin
  if not cloch.stand_in_wanted('pg_cron', 'jobs of cron.schedule are run by the server') then
    return;
  end if;

  create schema cron authorization supabase_admin;

  create table cron.job (
    jobid    bigserial primary key,
    schedule text not null,
    command  text not null,
    nodename text not null default 'localhost',
    nodeport integer not null default 5432,
    database text not null default current_database(),
    username text not null default current_user,
    active   boolean not null default true,
    jobname  text,
    constraint jobname_username_uniq unique (jobname, username),
    -- Five fields of cron, an interval in seconds, or a keyword such as @daily.
    constraint job_schedule_check check (
      schedule ~* '^\s*(\S+\s+){4}\S+\s*$'
      or schedule ~* '^\s*[1-5]?[0-9]\s+seconds?\s*$'
      or schedule ~* '^\s*@(yearly|annually|monthly|weekly|daily|midnight|hourly|reboot)\s*$')
  );
  create table cron.job_run_details (
    jobid          bigint,
    runid          bigserial primary key,
    job_pid        integer,
    database       text,
    username       text,
    command        text,
    status         text,
    return_message text,
    start_time     timestamptz,
    end_time       timestamptz
  );
  create index job_run_details_start_time_idx on cron.job_run_details (start_time);

  create function cron.schedule(job_name text, schedule text, command text) returns bigint
  language plpgsql as $$
  declare
    job_id bigint;
  begin
    insert into cron.job as j (jobname, schedule, command)
    values (schedule.job_name, schedule.schedule, schedule.command)
    on conflict on constraint jobname_username_uniq do update
      set schedule = excluded.schedule, command = excluded.command, active = true
    returning j.jobid into job_id;
    perform pg_notify('cloch_cron', job_id::text);
    return job_id;
  exception when check_violation then
    raise exception 'invalid schedule: %', schedule.schedule
      using hint = 'Use cron format (e.g. 5 4 * * *), or interval format ''[1-59] seconds''';
  end;
  $$;

  create function cron.schedule(schedule text, command text) returns bigint
  language sql as $$
    select cron.schedule(null::text, schedule, command)
  $$;

  create function cron.schedule_in_database(
    job_name text, schedule text, command text, database text,
    username text default null, active boolean default true
  ) returns bigint
  language plpgsql as $$
  declare
    job_id bigint := cron.schedule(job_name, schedule, command);
  begin
    update cron.job as j
       set database = schedule_in_database.database,
           username = coalesce(schedule_in_database.username, j.username),
           active = schedule_in_database.active
     where j.jobid = job_id;
    return job_id;
  end;
  $$;

  create function cron.alter_job(
    job_id bigint, schedule text default null, command text default null,
    database text default null, username text default null, active boolean default null
  ) returns void
  language plpgsql as $$
  begin
    update cron.job as j
       set schedule = coalesce(alter_job.schedule, j.schedule),
           command = coalesce(alter_job.command, j.command),
           database = coalesce(alter_job.database, j.database),
           username = coalesce(alter_job.username, j.username),
           active = coalesce(alter_job.active, j.active)
     where j.jobid = alter_job.job_id;
    if not found then
      raise exception 'Job % does not exist or you don''t own it', job_id;
    end if;
    perform pg_notify('cloch_cron', job_id::text);
  end;
  $$;

  create function cron.unschedule(job_id bigint) returns boolean
  language plpgsql as $$
  begin
    delete from cron.job as j where j.jobid = unschedule.job_id;
    if not found then
      raise exception 'could not find valid entry for job ''%''', job_id;
    end if;
    perform pg_notify('cloch_cron', job_id::text);
    return true;
  end;
  $$;

  create function cron.unschedule(job_name text) returns boolean
  language plpgsql as $$
  begin
    delete from cron.job as j where j.jobname = unschedule.job_name and j.username = current_user;
    if not found then
      raise exception 'could not find valid entry for job ''%''', job_name;
    end if;
    perform pg_notify('cloch_cron', job_name);
    return true;
  end;
  $$;

  alter table cron.job owner to supabase_admin;
  alter table cron.job_run_details owner to supabase_admin;
  revoke all on all routines in schema cron from public;
  grant usage on schema cron to postgres with grant option;
  grant execute on all routines in schema cron to postgres with grant option;
  grant all on cron.job, cron.job_run_details to postgres with grant option;
  grant all on all sequences in schema cron to postgres;
end;
$outer$;

-- Runs of cron jobs that a node has claimed: each due run of a job is executed by one node only.
create table cloch.job_claims (
  jobid  bigint not null,
  due_at timestamptz not null,
  constraint job_claims_pkey primary key (jobid, due_at)
);

create index job_claims_due_at_idx on cloch.job_claims (due_at);
