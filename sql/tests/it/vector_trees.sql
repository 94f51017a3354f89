-- Returns the type modifiers and the stored expressions of all objects in schema public, without positions in the source text and without object
-- identifiers, which differ between databases.
with stored (kind, name, tree) as (
  select 'rule', r.rulename || c.relname, r.ev_action::text from pg_rewrite as r join pg_class as c on c.oid = r.ev_class where c.relnamespace = 'public'::regnamespace
  union all select 'default', a.adrelid::regclass::text || a.adnum, a.adbin::text from pg_attrdef as a join pg_class as c on c.oid = a.adrelid where c.relnamespace = 'public'::regnamespace
  union all select 'constraint', conname, conbin::text from pg_constraint where connamespace = 'public'::regnamespace
  union all select 'index', indexrelid::regclass::text, concat(indexprs::text, indpred::text) from pg_index as i join pg_class as c on c.oid = i.indrelid where c.relnamespace = 'public'::regnamespace
  union all select 'policy', polname, concat(polqual::text, polwithcheck::text) from pg_policy where polrelid = 'public.t'::regclass
  union all select 'trigger', tgname, tgqual::text from pg_trigger where tgrelid = 'public.t'::regclass
  union all select 'statistics', stxname, stxexprs::text from pg_statistic_ext
  union all select 'function', proname, concat(prosqlbody::text, proargdefaults::text) from pg_proc where pronamespace = 'public'::regnamespace
  union all select 'column', c.relname || a.attname, a.atttypmod::text from pg_attribute as a join pg_class as c on c.oid = a.attrelid where c.relnamespace = 'public'::regnamespace
  union all select 'type', typname, typtypmod || coalesce(typdefaultbin::text, '') from pg_type where typnamespace = 'public'::regnamespace
)
select kind || ' ' || name || ' ' || regexp_replace(regexp_replace(tree, ':(stmt_)?(location|stmt_len|list_start|list_end) -?\d+', '', 'g'), '\y\d{5,}\y', '#', 'g')
  from stored where tree <> '' order by 1
