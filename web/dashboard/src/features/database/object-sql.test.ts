import { describe, expect, it } from 'vitest'
import type { DatabaseFunction, Extension, Index, Trigger } from '@/lib/catalog'
import { createEnum, dropEnum, valuesOf } from './enum-type-sql'
import { disableExtension, enableExtension } from './extension-sql'
import { createFunction, dropFunction, emptyFunction, replaceFunction } from './function-sql'
import { createIndex, dropIndex } from './index-sql'
import { changePublication } from './publication-sql'
import { dropRole, emptyRole, roleSql, saveRole } from './role-sql'
import { createTrigger, dropTrigger, switchTrigger } from './trigger-sql'
import { areHeaders, createWebhook, emptyWebhook, isTimeout, isUrl, isWebhook, isWhole } from './webhook-sql'

/** A name that would end the identifier and begin another statement, if it were not quoted. */
const bad = `x"; drop table t; --`
const quoted = `"x""; drop table t; --"`

describe('functions', () => {
  const known = { name: bad, arguments: 'a integer', procedure: false } as DatabaseFunction

  it('are created with a fixed search path for a security definer', () => {
    const draft = { ...emptyFunction, name: ' touch ', definer: true, volatility: 'stable' as const }
    expect(createFunction('public', draft).sql).toBe(
      `create function public.touch()\nreturns trigger\nlanguage plpgsql\nstable\nsecurity definer\nset search_path = ''\nas $function$\nbegin\n  return new;\nend\n$function$;`,
    )
  })

  it('have a body that cannot end its own quotation', () => {
    const { sql } = createFunction(bad, { ...emptyFunction, name: bad, body: 'a $function$ b $function1$ c' })
    expect(sql).toContain(`create function ${quoted}.${quoted}()`)
    expect(sql).toContain('as $function2$\na $function$ b $function1$ c\n$function2$;')
    expect(sql).not.toContain('security definer')
  })

  it('are replaced by their definition, and dropped with their arguments', () => {
    expect(replaceFunction(known, 'create or replace function f()\n').sql).toBe('create or replace function f();')
    expect(dropFunction('public', known).sql).toBe(`drop function public.${quoted}(a integer);`)
    expect(dropFunction('public', { ...known, procedure: true }).sql).toBe(`drop procedure public.${quoted}(a integer);`)
  })
})

describe('triggers', () => {
  const trigger = { name: bad, table: 'Order', enabled: true } as Trigger

  it('are created with every clause', () => {
    const { sql } = createTrigger('public', {
      name: bad,
      table: 'Order',
      timing: 'before',
      events: ['insert', 'update'],
      eachRow: true,
      function: ['private', bad],
      condition: 'new.a > 1',
    })
    expect(sql).toBe(
      `create trigger ${quoted}\n  before insert or update on public."Order"\n  for each row\n  when (new.a > 1)\n  execute function private.${quoted}();`,
    )
  })

  it('are enabled, disabled and dropped', () => {
    expect(switchTrigger('public', trigger).sql).toBe(`alter table public."Order" disable trigger ${quoted};`)
    expect(switchTrigger('public', { ...trigger, enabled: false }).sql).toBe(
      `alter table public."Order" enable trigger ${quoted};`,
    )
    expect(dropTrigger('public', trigger).sql).toBe(`drop trigger ${quoted} on public."Order";`)
  })
})

describe('indexes', () => {
  const draft = {
    table: bad,
    columns: ['a', bad],
    expression: '',
    method: 'btree',
    unique: false,
    where: '',
    concurrently: true,
  } as const

  it('are created concurrently, or with a lock', () => {
    expect(createIndex('public', draft).sql).toBe(`create index concurrently on public.${quoted} (a, ${quoted});`)
    expect(
      createIndex('public', {
        ...draft,
        columns: [],
        expression: 'lower(a)',
        method: 'gin',
        unique: true,
        where: 'a > 0',
        concurrently: false,
      }).sql,
    ).toBe(`create unique index on public.${quoted} using gin ((lower(a))) where (a > 0);`)
  })

  it('are dropped concurrently, except those of a partitioned table', () => {
    expect(dropIndex('public', { name: bad, partitioned: false } as Index).sql).toBe(
      `drop index concurrently public.${quoted};`,
    )
    expect(dropIndex('public', { name: 'i', partitioned: true } as Index).sql).toBe('drop index public.i;')
  })
})

describe('enums', () => {
  it('have the values of the lines', () => expect(valuesOf(' a \n\nb\r\na')).toEqual(['a', 'b']))

  it('are created and dropped', () => {
    expect(createEnum('public', bad, ["o'clock", 'b']).sql).toBe(
      `create type public.${quoted} as enum (\n  'o''clock',\n  'b'\n);`,
    )
    expect(dropEnum('public', bad).sql).toBe(`drop type public.${quoted};`)
  })
})

describe('extensions', () => {
  const extension = { name: 'uuid-ossp', fixed_schema: null, requires: [] as string[] } as unknown as Extension

  it('are enabled in a schema, unless their schema is fixed', () => {
    expect(enableExtension(extension, 'extensions').sql).toBe('create extension "uuid-ossp" schema extensions;')
    expect(enableExtension({ ...extension, fixed_schema: 'x', requires: ['cube'] }, 'y').sql).toBe(
      'create extension "uuid-ossp" cascade;',
    )
    expect(disableExtension(extension).sql).toBe('drop extension "uuid-ossp";')
  })
})

describe('roles', () => {
  const before = { ...emptyRole, name: bad, login: true, memberOf: ['anon', 'Old'] }

  it('are created', () => {
    expect(saveRole({ ...before, inherit: false, api: true }, undefined).sql).toBe(
      `create role ${quoted} login noinherit;\ngrant anon to ${quoted};\ngrant "Old" to ${quoted};\ngrant ${quoted} to authenticator;`,
    )
    expect(roleSql({ ...emptyRole, name: 'plain' }, undefined)).toBe('create role plain;')
  })

  it('are changed only where they differ', () => {
    expect(roleSql(before, before)).toBe('')
    expect(roleSql({ ...before, login: false, memberOf: ['anon', 'b c'] }, { ...before, api: true })).toBe(
      `alter role ${quoted} nologin;\ngrant "b c" to ${quoted};\nrevoke "Old" from ${quoted};\nrevoke ${quoted} from authenticator;`,
    )
    expect(dropRole({ name: bad } as never).sql).toBe(`drop role ${quoted};`)
  })
})

describe('publications', () => {
  it('get tables and lose tables', () => {
    expect(changePublication(bad, 'public', ['a', bad], ['Z']).sql).toBe(
      `alter publication ${quoted} add table public.a, public.${quoted};\nalter publication ${quoted} drop table public."Z";`,
    )
    expect(changePublication('p', 'public', [], ['a']).sql).toBe('alter publication p drop table public.a;')
  })
})

describe('webhooks', () => {
  const draft = {
    ...emptyWebhook,
    name: bad,
    table: 'Order',
    url: " https://example.com/it's ",
    events: ['insert', 'delete'] as const,
  }

  it('are triggers that send the changed row', () => {
    expect(createWebhook('public', draft).sql).toBe(
      `create trigger ${quoted}\n  after insert or delete on public."Order"\n  for each row\n` +
        `  execute function supabase_functions.http_request('https://example.com/it''s', 'POST', '{"Content-Type": "application/json"}', '{}', '5000');`,
    )
  })

  it('require a URL, headers and a timeout that the server accepts', () => {
    expect(isWhole(draft)).toBe(true)
    for (const part of [{ name: ' ' }, { table: '' }, { events: [] }, { url: 'ftp://a' }, { headers: '[]' }, { timeout: '0' }])
      expect(isWhole({ ...draft, ...part })).toBe(false)
    expect(['http://a', 'javascript:alert(1)', 'a.example'].map(isUrl)).toEqual([true, false, false])
    expect(['{}', '{"A": 1}', 'null', '{'].map(areHeaders)).toEqual([true, false, false, false])
    expect(['1', '60000', '1.5', ''].map(isTimeout)).toEqual([true, true, false, false])
  })

  it('are distinguished from other triggers by their function', () => {
    expect(isWebhook({ function_schema: 'supabase_functions', function: 'http_request' })).toBe(true)
    expect(isWebhook({ function_schema: 'public', function: 'http_request' })).toBe(false)
  })
})
