alter schema cron rename to cloch_stand_in;
create extension pg_cron with schema pg_catalog;
insert into cron.job (jobid, schedule, command, nodename, nodeport, database, username, active, jobname)
select jobid, schedule, command, nodename, nodeport, database, username, active, jobname from cloch_stand_in.job;
select setval('cron.jobid_seq', greatest((select max(jobid) from cron.job), 1));
insert into cron.job_run_details (jobid, runid, job_pid, database, username, command, status, return_message, start_time, end_time)
select jobid, runid, job_pid, database, username, command, status, return_message, start_time, end_time
  from cloch_stand_in.job_run_details;
select setval('cron.runid_seq', greatest((select max(runid) from cron.job_run_details), 1));
