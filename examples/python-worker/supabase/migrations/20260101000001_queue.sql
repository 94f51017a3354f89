create extension if not exists pgmq;
create extension if not exists pg_cron;
select pgmq.create('count_words');

-- The row and the message are written in one transaction, so that the queue contains exactly the documents that exist.
create function public.queue_document() returns trigger
language plpgsql security definer set search_path = ''
as $$
begin
  perform pgmq.send('count_words', jsonb_build_object('document', new.id));
  return null;
end $$;
create trigger queue_document after insert on public.documents for each row execute function public.queue_document();

-- The two functions that the worker calls. A message that a worker has taken is invisible for 30 seconds. Afterwards another worker can take it.
-- After five attempts the message is archived, and the document gets an error.
create function public.take_job() returns table (message bigint, document bigint, body text)
language plpgsql security definer set search_path = ''
as $$
declare job record;
begin
  loop
    select m.msg_id, m.read_ct, (m.message ->> 'document')::bigint as id into job from pgmq.read('count_words', 30, 1) as m;
    exit when not found;
    if job.read_ct <= 5 then
      return query select job.msg_id, job.id, d.body from public.documents as d where d.id = job.id;
      exit when found;
    else
      update public.documents set error = 'not counted after five attempts' where id = job.id;
    end if;
    perform pgmq.archive('count_words', job.msg_id);
  end loop;
end $$;
create function public.finish_job(message bigint, document bigint, words integer) returns void
language plpgsql security definer set search_path = ''
as $$
begin
  update public.documents as d set words = finish_job.words, error = null where d.id = finish_job.document;
  perform pgmq.delete('count_words', finish_job.message);
end $$;
-- Only the secret key may call them.
revoke execute on function public.take_job, public.finish_job, public.queue_document from public, anon, authenticated;
grant execute on function public.take_job, public.finish_job to service_role;

select cron.schedule('totals', '* * * * *', $$
  insert into public.totals (documents, words) select count(*), coalesce(sum(words), 0) from public.documents
$$);
select cron.schedule('old totals', '17 3 * * *', $$delete from public.totals where at < now() - interval '30 days'$$);
