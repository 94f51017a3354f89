import { describe, expect, it } from 'vitest'
import { asCurl, asSql, asSupabase } from './copy-as'
import type { View } from './model'

const nasty = '"; drop table notes; --'
const view: View = {
  filters: [
    { column: nasty, op: 'eq', value: "it's" },
    { column: 'mood', op: 'in', value: 'calm,wild' },
    { column: 'made', op: 'not_is', value: '' },
  ],
  sort: [{ column: 'order', descending: true }],
  as: { role: 'postgres' },
}
const none: View = { filters: [], sort: [], as: { role: 'postgres' } }

describe('a view as code', () => {
  it('quotes names and values of SQL', () => {
    expect(asSql('public', nasty, view)).toBe(
      [
        'select * from public."""; drop table notes; --"',
        ` where """; drop table notes; --" = 'it''s'`,
        "   and mood in ('calm', 'wild')",
        '   and made is not null',
        ' order by "order" desc',
        ' limit 100;',
      ].join('\n'),
    )
    expect(asSql('public', 'notes', none)).toBe('select * from public.notes\n limit 100;')
  })

  it('writes names and values for supabase-js as JSON strings', () => {
    const code = asSupabase('club', nasty, view)
    expect(code).toContain('.schema("club")')
    expect(code).toContain(`.from(${JSON.stringify(nasty)})`)
    expect(code).toContain(`.eq(${JSON.stringify(nasty)}, "it's")`)
    expect(code).toContain('.in("mood", ["calm","wild"])')
    expect(code).toContain('.order("order", { ascending: false })')
    expect(asSupabase('public', 'notes', none)).not.toContain('.schema(')
  })

  it('contains nothing that a shell expands', () => {
    const command = asCurl("http://x/rest'v1", 'k$(id)', 'public', nasty, view)
    expect(command).toContain(`'http://x/rest'\\''v1/`)
    expect(command).toContain(`-H 'apikey: k$(id)'`)
    expect(command).not.toContain('Accept-Profile')
    expect(asCurl('http://x', 'k', 'club', 't', none)).toContain(`-H 'Accept-Profile: club'`)
  })
})
