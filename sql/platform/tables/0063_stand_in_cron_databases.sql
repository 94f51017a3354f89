-- Makes the stand-in for pg_cron refuse a job that could never run: in a database that does not exist, in another database than this one, or
-- as a role that does not exist or that the caller may not become. As in pg_cron, cron.schedule of an existing job also sets its database.

do $outer$
begin
  if not exists (select from cloch.stand_ins where extension = 'pg_cron') or to_regnamespace('cron') is null then
    return;
  end if;

  create function cron._check_place(database text, username text) returns void
  language plpgsql stable set search_path = 'pg_catalog', 'pg_temp' as $$
  begin
    if database <> current_database() then
      if not exists (select from pg_database where datname = database) then
        raise exception using errcode = 'invalid_catalog_name', message = format('database "%s" does not exist', database);
      end if;
      raise exception using
        errcode = 'feature_not_supported',
        message = format('jobs run in the database %s only', current_database()),
        hint = 'Install pg_cron, or schedule the job in this database';
    end if;
    if username <> current_user then
      if not exists (select from pg_roles where rolname = username) then
        raise exception using errcode = 'undefined_object', message = format('role "%s" does not exist', username);
      elsif not pg_has_role(current_user, username, 'member') then
        raise exception using errcode = 'insufficient_privilege', message = 'must be superuser to create a job for another role';
      end if;
    end if;
  end;
  $$;

  create or replace function cron.schedule_in_database(
    job_name text, schedule text, command text, database text,
    username text default null, active boolean default true
  ) returns bigint
  language plpgsql as $$
  declare
    job_id bigint;
  begin
    perform cron._check_place(schedule_in_database.database, schedule_in_database.username);
    job_id := cron.schedule(job_name, schedule, command);
    update cron.job as j
       set username = coalesce(schedule_in_database.username, j.username),
           active = schedule_in_database.active
     where j.jobid = job_id;
    return job_id;
  end;
  $$;

  create or replace function cron.schedule(job_name text, schedule text, command text) returns bigint
  language plpgsql as $$
  declare
    job_id bigint;
  begin
    if schedule.schedule is null then
      raise exception 'schedule can not be NULL';
    elsif schedule.command is null then
      raise exception 'command can not be NULL';
    end if;
    perform cron._check_schedule(schedule.schedule);
    insert into cron.job as j (jobname, schedule, command)
    values (schedule.job_name, schedule.schedule, schedule.command)
    on conflict on constraint jobname_username_uniq do update
      set schedule = excluded.schedule, command = excluded.command, database = excluded.database, active = true
    returning j.jobid into job_id;
    perform pg_notify('cloch_cron', job_id::text);
    return job_id;
  end;
  $$;

  create or replace function cron.alter_job(
    job_id bigint, schedule text default null, command text default null,
    database text default null, username text default null, active boolean default null
  ) returns void
  language plpgsql as $$
  begin
    if num_nonnulls(schedule, command, database, username, active) = 0 then
      raise exception 'no updates specified'
        using hint = 'You must specify at least one job attribute to change when calling alter_job';
    end if;
    perform cron._check_schedule(alter_job.schedule) where alter_job.schedule is not null;
    perform cron._check_place(alter_job.database, alter_job.username);
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
end;
$outer$;
