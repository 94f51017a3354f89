-- Which runs of cron.job have been taken: of several nodes, one runs each.

create table cloch.job_claims (
  jobid  bigint not null,
  due_at timestamptz not null,
  constraint job_claims_pkey primary key (jobid, due_at)
);
create index job_claims_due_at_idx on cloch.job_claims (due_at);
