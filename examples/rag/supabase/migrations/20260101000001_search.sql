-- Both functions have the rights of their caller (security invoker, the default), so the policies decide what they read and write.

-- Stores a document with all of its passages, or nothing. A document with the same title is replaced.
create function public.add_document(title text, passages jsonb) returns bigint
language plpgsql set search_path = ''
as $$
declare added bigint;
begin
  insert into public.documents (title) values (add_document.title)
    on conflict on constraint documents_owner_title_key do update set added_at = now()
    returning id into added;
  delete from public.passages where document = added;
  insert into public.passages (document, number, body, embedding)
    select added, part.number, part.value ->> 'body', (part.value ->> 'embedding')::extensions.vector
    from jsonb_array_elements(add_document.passages) with ordinality as part (value, number);
  return added;
end $$;

-- The passages that are nearest to a question's embedding. 1 is the same direction, 0 is no similarity.
create function public.find_passages(question extensions.vector, matches integer default 4)
returns table (document bigint, title text, number integer, body text, similarity double precision)
language sql stable set search_path = ''
as $$
  select d.id, d.title, p.number, p.body, 1 - (p.embedding operator(extensions.<=>) find_passages.question)
  from public.passages as p join public.documents as d on d.id = p.document
  order by p.embedding operator(extensions.<=>) find_passages.question
  limit least(find_passages.matches, 20)
$$;

revoke execute on function public.add_document, public.find_passages from public, anon;
grant execute on function public.add_document, public.find_passages to authenticated;
