-- Returns the statement with which cloch.list_versions reads a page of versions, sorted by name, the newest first. Parameters of the
-- statement:
-- * $1: bucket.
-- * $2 to $4: names from $2, inclusive, to $4, exclusive. Of name $2, only versions with numbers less than $3; all if $3 is null.
-- * $5: maximum number of versions.
-- * $6, $7: whether former versions, and delete markers, are returned: `include` or `only`; any other value excludes them.
--
-- The statement returns one row with two arrays. The first contains the versions. The second contains a row of storage.objects for each
-- version that matches $6 and $7; the policies are evaluated for these rows. The row of a delete marker has the metadata of the version
-- that the marker hides. If `for_policies` is false, the second array is not used. The columns of storage.objects are read from the
-- catalog, because databases that another program made may have different columns.
--
-- A listing must also read the versions that policies hide from the caller (docs/storage.md gives the reason). Therefore reading them must
-- be fast. Callable by service_role.
create or replace function cloch.versions_query(for_policies boolean) returns text
language sql stable set search_path = 'pg_catalog', 'pg_temp' as $$
  select format($query$
    select array_agg(page.v),
           array_agg(%s) filter (
             where ($6 = 'include' or ((page.v).archived_at is not null) = ($6 = 'only'))
               and ($7 = 'include' or (page.v).is_delete_marker = ($7 = 'only')))
      from (select either.v, either.o
              from ((select v, null::storage.objects from cloch.object_versions as v
                      where v.bucket_id = $1 and v.name = $2 and v.name < $4 and ($3 is null or v.number < $3)
                      order by v.number desc limit $5)
                    union all
                    (select v, null from cloch.object_versions as v
                      where v.bucket_id = $1 and v.name > $2 and v.name < $4
                      order by v.name, v.number desc limit $5)
                    union all
                    (select row(o.version, 9223372036854775807, o.bucket_id, o.name, o.id, o.owner, o.owner_id, o.created_at,
                                o.updated_at, o.last_accessed_at, o.metadata, o.user_metadata, null, false,
                                o.is_versioned)::cloch.object_versions, o
                       from storage.objects as o
                      where o.bucket_id = $1 and o.name collate "C" >= $2 and o.name collate "C" < $4
                        and ($3 is null or o.name collate "C" > $2)
                      order by o.name collate "C" limit $5)) as either (v, o)
             order by (either.v).name, (either.v).number desc limit $5) as page
    $query$,
    case when for_policies then
      format('case when (page.v).archived_at is null and not (page.v).is_delete_marker then page.o '
             'else row(%s)::storage.objects end', columns.texts)
    else 'page.o' end)
    from (select string_agg(
                   case when a.attname = 'id' then '(page.v).object_id'
                        when a.attname = 'path_tokens' then 'string_to_array((page.v).name, ''/'')'
                        when a.attname in ('metadata', 'user_metadata') then format(
                          'case when (page.v).is_delete_marker then '
                          '(select h.%1$I from cloch.object_versions as h '
                            'where h.bucket_id = (page.v).bucket_id and h.name = (page.v).name '
                              'and h.number < (page.v).number and not h.is_delete_marker '
                            'order by h.number desc limit 1) '
                          'else (page.v).%1$I end', a.attname)
                        when kept.attname is not null then format('(page.v).%I', a.attname)
                        else 'null' end, ', ' order by a.attnum) as texts
            from pg_catalog.pg_attribute as a
            left join pg_catalog.pg_attribute as kept
              on kept.attrelid = 'cloch.object_versions'::regclass and kept.attname = a.attname and not kept.attisdropped
           where a.attrelid = 'storage.objects'::regclass and a.attnum > 0 and not a.attisdropped) as columns
$$;
revoke execute on function cloch.versions_query(boolean) from public;
grant execute on function cloch.versions_query(boolean) to service_role;
