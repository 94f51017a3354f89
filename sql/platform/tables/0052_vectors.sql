-- Makes table cloch.vectors: the vectors of Supabase's vector buckets. The buckets and their indexes are rows of storage.buckets_vectors and
-- storage.vector_indexes, as on Supabase. Vectors are arrays, because the type of pgvector is not in every database; a search casts them.
create table if not exists cloch.vectors (
  index_id  text not null,
  key       text collate "C" not null,
  embedding real[] not null,
  metadata  jsonb not null default '{}',
  constraint vectors_pkey primary key (index_id, key)
);

-- Numbers of an embedding do not get smaller by compression, and a search reads all of them.
alter table cloch.vectors alter column embedding set storage external;

-- A statement of its own: the login of a database that another program made may lack the right to reference its tables.
alter table cloch.vectors add constraint vectors_index_id_fkey
  foreign key (index_id) references storage.vector_indexes (id) on delete cascade;

revoke all on cloch.vectors from public;
grant select, insert, update, delete on cloch.vectors to service_role;

-- `truncate storage.vector_indexes cascade`, as seeds and `supabase db reset` do, includes this table.
do $$
begin
  execute format('grant truncate on cloch.vectors to %I', cloch.project_owner());
end;
$$;
