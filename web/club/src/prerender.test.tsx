/** Tests the HTML that the build renders: every page and view, with placeholders for the content that the club publishes later. */
import { beforeAll, expect, it } from 'vitest'
import { artistForm } from './features/awards/artist/artist-form'
import { citizenForm } from './features/awards/citizen/citizen-form'
import { musicianForm } from './features/awards/musician/musician-form'
import { photographerForm } from './features/awards/photographer/photographer-form'
import type { DrawnPage } from './lib/drawn-page'
import { drawPages, shellPaths } from './prerender'

const pages = new Map<string, DrawnPage>()
beforeAll(async () => {
  for (const page of await drawPages()) pages.set(page.address, page)
}, 120_000)

const page = (address: string) => {
  const found = pages.get(address)
  if (!found) throw new Error(`${address} was not rendered`)
  return found
}

/** The two states of a form's view. The server decides which of them it sends. */
function states(html: string) {
  const [, closed = '', open = ''] =
    /\{cloch:if:content\.entries\.isClosed\}(.*?)\{cloch:else\}((?:(?!\{cloch:end\}).)*<form.*?<\/form>.*?)\{cloch:end\}/s.exec(
      html,
    ) ?? []
  return { closed, open }
}

const awards = [
  ['citizen', 'Citizen', citizenForm],
  ['musician', 'Musician', musicianForm],
  ['photographer', 'Photographer', photographerForm],
  ['artist', 'Artist', artistForm],
] as const

it.each(awards)('the form of the %s award has all of its fields, if entries are open', (award, name, spec) => {
  const { html, file, sources, head } = page(`/young-${award}?view=form`)
  expect(file).toBe(`young-${award}/index.view=form.html`)
  expect(sources).toEqual([`src/features/awards/${award}/${name}Page.tsx`, `src/features/awards/${award}/${name}Form.tsx`])
  expect(head.title).toContain(spec.title)
  expect(html.match(/<form/g)).toHaveLength(1)
  const { closed, open } = states(html)
  expect(closed).toContain('Entries are closed')
  expect(closed).not.toContain('<form')
  const drawn = new Set([...open.matchAll(/<(?:input|textarea|select)[^>]*? name="(\w+)"/g)].map(([, field]) => field))
  expect([...drawn].sort()).toEqual(Object.keys(spec.empty).sort())
  expect(open).toContain('id="field-uploadedFiles"')
  // Without the app, the browser must not submit the form, because it would put the answers into the URL.
  expect(open).toContain('method="dialog"')
})

it('the page of an award contains the award, and no form', () => {
  const { html, file } = page('/young-artist')
  expect(file).toBe('young-artist/index.html')
  expect(html).not.toContain('<form')
})

it('the judges’ password page is prerendered, and other pages behind a sign-in are not', () => {
  const { html, file, head } = page('/judging')
  expect(file).toBe('judging/index.html')
  expect(head.robots).toBe('noindex')
  expect(html).toMatch(/<input type="password"[^>]*id="field-judging-password"/)
  expect(html).toMatch(/<button type="submit"[^>]* disabled=""[^>]*>Access Judging/)
  expect(shellPaths).toContain('admin')
  expect(shellPaths).not.toContain('judging')
  expect(pages.has('/admin')).toBe(false)
})
