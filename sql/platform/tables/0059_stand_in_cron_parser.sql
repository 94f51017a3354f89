-- Makes the stand-in for pg_cron read schedules as the parser of pg_cron 1.6.4 (src/entry.c), which hosted projects have. It accepts more than
-- crontab(5) documents: steps above a field's maximum, ranges that end before they begin, any text behind a field's last value.
-- gateway/src/background/cron_fields.rs computes the times of the same schedules.

do $outer$
begin
  if not exists (select from cloch.stand_ins where extension = 'pg_cron') or to_regnamespace('cron') is null then
    return;
  end if;

  -- Value of a number or of a name, of which the first has the value `low`. Null if it is neither.
  create function cron._value(word text, low integer, names text[] default '{}') returns integer
  language sql immutable set search_path = 'pg_catalog', 'pg_temp' as $$
    select coalesce(low + array_position(names, lower(word)) - 1,
                    case when word ~ '^[0-9]+$' and word::numeric <= 2147483647 then word::integer end)
  $$;

  -- Whether a field is a list of values, ranges and `*` within the limits. Text behind the last of them is ignored.
  create or replace function cron._is_field(field text, low integer, high integer, names text[] default '{}') returns boolean
  language plpgsql immutable set search_path = 'pg_catalog', 'pg_temp' as $$
  declare
    rest text := field;
    first text;
    last text;
    step text;
  begin
    loop
      select m[1], m[2], m[3], m[4] into first, last, step, rest
        from regexp_match(rest, '^(\*|[0-9A-Za-z]+)(?:-([0-9A-Za-z]+))?(?:/([0-9A-Za-z]+))?(.*)$') as m;
      -- Text behind `*` is ignored, unless it is a step.
      if first = '*' and last is not null then
        step := null;
        rest := '';
      end if;
      if first is null
         or first <> '*' and coalesce(cron._value(first, low, names) not between low and high, true)
         or first <> '*' and last is not null and coalesce(cron._value(last, low, names) not between low and high, true)
         or first <> '*' and last is null and (step is not null or rest ~ '^[-/]')
         or step is null and rest like '/%'
         or step is not null and coalesce(cron._value(step, 0) <= 0, true) then
        return false;
      elsif rest not like ',%' then
        return true;
      end if;
      rest := substr(rest, 2);
    end loop;
  end;
  $$;

  -- Whether a text is a schedule: five fields, `@` and a keyword, or seconds. Text behind the first two is ignored, lines of comments before
  -- them too.
  create or replace function cron._is_schedule(schedule text) returns boolean
  language plpgsql immutable set search_path = 'pg_catalog', 'pg_temp' as $$
  declare
    line text := split_part(regexp_replace(schedule, '^([ \t]*(#[^\n]*)?\n)*[ \t]*', ''), E'\n', 1);
    fields text[] := regexp_split_to_array(line, '[ \t]+');
  begin
    return schedule ~* '^[ \t\n\v\f\r]*[+]?0*([1-9]|[1-5][0-9])[ \t\n\v\f\r]*second(s[ \t\n\v\f\r]*)?$'
      or octet_length(schedule) < 1000
         and (fields[1] ~ '^@(reboot|restart|yearly|annually|monthly|weekly|daily|midnight|hourly)$'
              or coalesce(
                cron._is_field(fields[1], 0, 59) and cron._is_field(fields[2], 0, 23)
                  and (fields[3] = '$' or cron._is_field(fields[3], 1, 31))
                  and cron._is_field(fields[4], 1, 12, '{jan,feb,mar,apr,may,jun,jul,aug,sep,oct,nov,dec}')
                  and cron._is_field(fields[5], 0, 7, '{sun,mon,tue,wed,thu,fri,sat}'), false));
  end;
  $$;

  -- pg_cron has no such constraint: a job with another schedule, inserted into the table, never runs.
  alter table cron.job drop constraint if exists job_schedule_check;
end;
$outer$;
