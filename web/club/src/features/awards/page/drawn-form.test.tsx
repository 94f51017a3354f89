import { act, screen } from '@testing-library/react'
import { StrictMode, useLayoutEffect, type ReactNode } from 'react'
import { hydrateRoot, type Root } from 'react-dom/client'
import { renderToString } from 'react-dom/server'
import { createMemoryRouter, RouterProvider } from 'react-router'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { readDraft, writeDraft } from '@/lib/forms/draft'
import { beginHydration, endHydration } from '@/lib/use-hydrated'
import CitizenForm from '../citizen/CitizenForm'
import { emptyCitizen } from '../citizen/citizen-entry'

/** The page with the form. It is rendered as at build time, then hydrated as in the browser. */
const page = () => (
  <StrictMode>
    <RouterProvider router={createMemoryRouter([{ path: '/', element: <CitizenForm /> }])} />
  </StrictMode>
)

let root: Root | undefined
const failed = vi.fn()

beforeEach(() => {
  failed.mockReset()
  vi.spyOn(console, 'error').mockImplementation(failed)
  beginHydration()
  document.body.innerHTML = `<div id="root">${renderToString(page())}</div>`
})

afterEach(() => {
  act(() => root?.unmount())
  root = undefined
  endHydration()
})

/** Calls `onCommit` when React has hydrated the children, and before effects of `useEffect` run. */
function Committed({ onCommit, children }: { onCommit: () => void; children: ReactNode }) {
  useLayoutEffect(() => {
    onCommit()
  }, [onCommit])
  return children
}

async function hydrate(onCommit: () => void = () => undefined) {
  const container = document.getElementById('root')
  if (!container) throw new Error('no root')
  await act(() => {
    root = hydrateRoot(container, <Committed onCommit={onCommit}>{page()}</Committed>, { onRecoverableError: failed })
    return Promise.resolve()
  })
  expect(failed).not.toHaveBeenCalled()
}

const field = (label: string) => screen.getByLabelText<HTMLInputElement>(label)
const type = (label: string, text: string) => (field(label).value = text)
const draft = (values: Partial<typeof emptyCitizen>, files = [{ name: 'a.txt', size: 3, path: 'young-citizen/x/a.txt' }]) =>
  writeDraft('young-citizen', { savedAt: new Date().toISOString(), key: 'k', values: { ...emptyCitizen, ...values }, files })

it('is rendered with its initial choices, and browsers do not submit it without the app', () => {
  expect(field('Individual').checked).toBe(true)
  expect(screen.getByRole('form')).toHaveAttribute('method', 'dialog')
})

it('keeps text typed before the hydration, shows the fields that depend on it, and writes it to the draft', async () => {
  const sent = field('Your name')
  type('Your name', 'Morag Sample')
  type('Key achievement', 'Beach clean')
  field('Group').checked = true
  sent.focus()
  await hydrate()
  expect(field('Your name')).toBe(sent)
  expect(sent).toHaveFocus()
  expect(sent).toHaveValue('Morag Sample')
  expect(field('Key achievement')).toHaveValue('Beach clean')
  expect(field('Group').checked).toBe(true)
  expect(field('Individual').checked).toBe(false)
  expect(field('Name of the group')).toHaveValue('')
  await vi.waitFor(() =>
    expect(readDraft('young-citizen', emptyCitizen)?.values).toEqual({
      ...emptyCitizen,
      nominationType: 'group',
      nominatorName: 'Morag Sample',
      achievement: 'Beach clean',
    }),
  )
})

it('gets the draft after the hydration, which does not count as a change of the draft', async () => {
  draft({ nomineeName: 'Ailsa', nominationType: 'group' })
  const written = localStorage.getItem('draft:young-citizen')
  await hydrate()
  expect(field('Name of the group')).toHaveValue('Ailsa')
  expect(field('Group').checked).toBe(true)
  expect(screen.getByRole('list', { name: 'Chosen files' })).toHaveTextContent('a.txt')
  await new Promise((done) => setTimeout(done, 600))
  expect(localStorage.getItem('draft:young-citizen')).toBe(written)
})

it('prefers typed text to the draft', async () => {
  draft({ nomineeName: 'Ailsa', nominatorName: 'Morag' })
  type('Nominee’s full name', 'Rory')
  await hydrate()
  expect(field('Nominee’s full name')).toHaveValue('Rory')
  expect(field('Your name')).toHaveValue('Morag')
  await vi.waitFor(() => expect(readDraft('young-citizen', emptyCitizen)?.values.nomineeName).toBe('Rory'))
  expect(readDraft('young-citizen', emptyCitizen)).toMatchObject({ key: 'k', files: [{ name: 'a.txt' }] })
})

it('prefers text typed directly after the hydration to the draft', async () => {
  draft({ nomineeName: 'Ailsa', nominatorName: 'Morag' })
  await hydrate(() => {
    // React replaces the setter of the element's `value` property, and ignores values that are set with it. With the setter of the prototype, React
    // treats the change as typed by the user.
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(field('Nominee’s full name'), 'Rory')
    field('Nominee’s full name').dispatchEvent(new Event('input', { bubbles: true }))
  })
  expect(field('Nominee’s full name')).toHaveValue('Rory')
  expect(field('Your name')).toHaveValue('Morag')
  await vi.waitFor(() =>
    expect(readDraft('young-citizen', emptyCitizen)?.values).toMatchObject({ nomineeName: 'Rory', nominatorName: 'Morag' }),
  )
})

it('starts again with its initial choices', async () => {
  draft({ nominationType: 'group' }, [])
  await hydrate()
  const [clear] = screen.getAllByRole('button', { name: 'Clear the draft' })
  act(() => clear?.click())
  expect(readDraft('young-citizen', emptyCitizen)).toBeUndefined()
  expect(field('Individual').checked).toBe(true)
  expect(field('Group').checked).toBe(false)
})
