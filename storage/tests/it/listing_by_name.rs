//! Tests that the listing by name returns the same entries as a simple implementation that reads every object.

use serde_json::json;

use crate::support::{USER, World};

/// SQL function with a simple implementation of the listing by name: entries of one level, each folder once, without index optimisations.
const PLAIN: &str = r#"
create function public.plain(_prefix text, _delimiter text, _limit int, _after text, _order text)
returns table (name text, id uuid) language plpgsql as $$
begin
  return query execute format(
    $query$select e.name, e.id
             from (select distinct coalesce(f.folder, o.name) as name, case when f.folder is null then o.id end as id
                     from storage.objects as o,
                          lateral (select storage.get_common_prefix(o.name, $1, nullif($2, ''))) as f (folder)
                    where o.bucket_id = 'b' and starts_with(o.name, $1)) as e
            where $4 = '' or e.name collate "C" %s $4 collate "C"
            order by e.name collate "C" %s limit $3$query$, case _order when 'asc' then '>' else '<' end, _order)
  using _prefix, _delimiter, _limit, _after;
end;
$$"#;

/// SQL statements that compare both listings for random names. The names consist of few characters. Among them are the last Unicode
/// character and characters with a meaning in LIKE patterns and paths.
const COMPARE: &str = r"
do $test$
declare
  alphabet constant text[] := array['a', 'b', '/', '-', '0', '.', 'é', '😀', chr(55295), chr(1114111), '%', '_', '\'];
  made text;
  _delimiter text;
  _prefix text;
  _order text;
  _limit integer;
  after text;
  wanted text;
  got text;
begin
  perform setseed(0.5), set_config('storage.allow_delete_query', 'true', true);
  for round in 1..12 loop
    delete from storage.objects where bucket_id = 'b';
    for n in 1..40 loop
      select string_agg(alphabet[1 + floor(random() * 13 + 0 * c)::int], '') into made from generate_series(1, 1 + n % 6) as c;
      insert into storage.objects (bucket_id, name) values ('b', made) on conflict do nothing;
    end loop;
    for _delimiter, _prefix, _order, _limit in
      select d, p, o, l
        from unnest(array['/', '', '-', 'ab', chr(55295), chr(1114111)]) as d,
             unnest(array['', 'a', '/', 'a/', chr(1114111)]) as p,
             unnest(array['asc', 'desc']) as o, unnest(array[1, 7, 100]) as l
    loop
      for after in
        select '' union all (select name from storage.objects where bucket_id = 'b' order by id limit 3)
         union all (select name from public.plain(_prefix, _delimiter, 100, '', 'asc') limit 3) union all select 'a/'
      loop
        select string_agg(concat(name, ' ', id), E'\n') into wanted from public.plain(_prefix, _delimiter, _limit, after, _order);
        select string_agg(concat(name, ' ', id), E'\n') into got
          from storage.list_objects_with_delimiter('b', _prefix, _delimiter, _limit, after, '', _order);
        if wanted is distinct from got then
          raise exception 'prefix % delimiter % after % limit % %: % instead of %', _prefix, _delimiter, after, _limit, _order, got, wanted;
        end if;
      end loop;
    end loop;
  end loop;
end;
$test$";

#[tokio::test]
async fn pages_are_those_of_a_plain_evaluation() {
    let world = World::new().await;
    world.bucket("b", false).await;
    world.sql(PLAIN).await;
    world.sql(COMPARE).await;
}

#[tokio::test]
async fn a_folder_is_shown_to_those_who_may_see_an_object_in_it() {
    let world = World::new().await;
    world.bucket("b", false).await;
    world
        .sql(
            "insert into storage.objects (bucket_id, name) values ('b', 'a/1'), ('b', 'a/2'), ('b', 'b/1'), ('b', 'c'), ('b', 'd');
             create policy p on storage.objects for select to authenticated using (name in ('a/2', 'd'))",
        )
        .await;
    for order in ["asc", "desc"] {
        let body = json!({"with_delimiter": true, "sortBy": {"column": "name", "order": order}});
        let page = world.ask("POST", "/object/list-v2/b").user(USER).json(body).await.ok().json();
        let names = |list: &str| -> Vec<String> {
            page[list].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap().to_owned()).collect()
        };
        assert_eq!((names("folders"), names("objects")), (vec!["a/".to_owned()], vec!["d".to_owned()]));
    }
}
