-- Makes the stand-in for pg_cron accept the schedules that pg_cron accepts, and refuse the others. Its cron.job is emptied when the extension
-- is dropped, because pg_cron drops the table with its jobs.

\ir ../functions/cloch/stand_in_dropped.sql

do $outer$
begin
  if not exists (select from cloch.stand_ins where extension = 'pg_cron') then
    return;
  end if;

  -- Whether a field is a list of numbers, names and ranges, within the limits, as in pg_cron. A step needs a range; names begin at `low`.
  create function cron._is_field(field text, low integer, high integer, names text[] default '{}') returns boolean
  language sql immutable set search_path = 'pg_catalog', 'pg_temp' as $$
    select coalesce(bool_and(coalesce(
        p.part is not null
        and (p.part[1] = '*' or
             b.first between low and high
             and (p.part[3] is null or b.last between b.first and high)
             and (p.part[4] is null or p.part[3] is not null))
        and (p.part[4] is null or p.part[4]::numeric between 1 and high), false)), false)
      from unnest(string_to_array(lower(field), ',')) as item,
           regexp_match(item, '^(?:(\*)|([a-z0-9]+)(?:-([a-z0-9]+))?)(?:/([0-9]{1,9}))?$') as p (part),
           lateral (select coalesce(low + array_position(names, p.part[2]) - 1,
                                    case when p.part[2] ~ '^[0-9]{1,9}$' then p.part[2]::integer end) as first,
                           coalesce(low + array_position(names, p.part[3]) - 1,
                                    case when p.part[3] ~ '^[0-9]{1,9}$' then p.part[3]::integer end) as last) as b
  $$;

  -- Whether a text is a schedule: five fields (further words are ignored, as by pg_cron), `@` and a keyword, or seconds.
  create function cron._is_schedule(schedule text) returns boolean
  language plpgsql immutable set search_path = 'pg_catalog', 'pg_temp' as $$
  declare
    fields text[] := regexp_split_to_array(btrim(schedule, E' \t'), '[ \t]+');
  begin
    if length(schedule) >= 1000 then
      return false;
    end if;
    return schedule ~ '^[ \t]*@(reboot|restart|yearly|annually|monthly|weekly|daily|midnight|hourly)([ \t\n]|$)'
      or lower(schedule) ~ '^\s*0*([1-9]|[1-5][0-9])\s*seconds?\s*$'
      or coalesce(
        cron._is_field(fields[1], 0, 59) and cron._is_field(fields[2], 0, 23)
          and (fields[3] = '$' or cron._is_field(fields[3], 1, 31))
          and cron._is_field(fields[4], 1, 12, '{jan,feb,mar,apr,may,jun,jul,aug,sep,oct,nov,dec}')
          and cron._is_field(fields[5], 0, 7, '{sun,mon,tue,wed,thu,fri,sat}'), false);
  end;
  $$;

  create function cron._check_schedule(schedule text) returns void
  language plpgsql immutable set search_path = 'pg_catalog', 'pg_temp' as $$
  begin
    if not cron._is_schedule(schedule) then
      raise exception using
        errcode = 'invalid_parameter_value',
        message = 'invalid schedule: ' || schedule,
        hint = 'Use cron format (e.g. 5 4 * * *), or interval format ''[1-59] seconds''';
    end if;
  end;
  $$;

  -- pg_cron's names, which dumps of data contain (select pg_catalog.setval('"cron"."jobid_seq"', …)).
  alter sequence cron.job_jobid_seq rename to jobid_seq;
  alter sequence cron.job_run_details_runid_seq rename to runid_seq;

  alter table cron.job drop constraint if exists job_schedule_check;
  alter table cron.job add constraint job_schedule_check check (
    schedule ~* '^\s*(\S+\s+){4,}\S+\s*$'
    or schedule ~* '^\s*[0-9]+\s*seconds?\s*$'
    or schedule ~* '^\s*@(yearly|annually|monthly|weekly|daily|midnight|hourly|reboot|restart)(\s|$)') not valid;

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
      set schedule = excluded.schedule, command = excluded.command, active = true
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

do $$
begin
  if cloch.is_superuser() then
    create event trigger cloch_stand_in_dropped on sql_drop
      when tag in ('DROP EXTENSION', 'DROP OWNED') execute function cloch.stand_in_dropped();
  end if;
end;
$$;
