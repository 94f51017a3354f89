import { act, screen } from '@testing-library/react'
import { StrictMode } from 'react'
import { hydrateRoot, type Root } from 'react-dom/client'
import { renderToString } from 'react-dom/server'
import { createMemoryRouter, RouterProvider } from 'react-router'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { readDraft, writeDraft } from '@/lib/forms/draft'
import CitizenForm from '../citizen/CitizenForm'
import { emptyCitizen } from '../citizen/citizen-entry'

/** The form as it is rendered at build time and hydrated in the browser. */
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
  document.body.innerHTML = `<div id="root">${renderToString(page())}</div>`
})

afterEach(() => {
  act(() => root?.unmount())
  root = undefined
})

async function hydrate() {
  const container = document.getElementById('root')
  if (!container) throw new Error('no root')
  await act(() => {
    root = hydrateRoot(container, page(), { onRecoverableError: failed })
    return Promise.resolve()
  })
  expect(failed).not.toHaveBeenCalled()
}

const field = (label: string) => screen.getByLabelText<HTMLInputElement>(label)
const type = (label: string, text: string) => (field(label).value = text)
const draft = (values: Partial<typeof emptyCitizen>, files = [{ name: 'a.txt', size: 3, path: 'young-citizen/x/a.txt' }]) =>
  writeDraft('young-citizen', { savedAt: new Date().toISOString(), key: 'k', values: { ...emptyCitizen, ...values }, files })

it('is rendered with its first choices, and no button that would send it to the server as it is', () => {
  expect(field('Individual').checked).toBe(true)
  expect(screen.getByRole('button', { name: 'Submit Nomination' })).toHaveAttribute('type', 'button')
})

it('keeps what was typed before it was hydrated, shows what depends on it, and writes it to the draft', async () => {
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
  expect(screen.getByRole('button', { name: 'Submit Nomination' })).toHaveAttribute('type', 'submit')
})

it('gets the draft after it was hydrated, which is no change of the draft', async () => {
  draft({ nomineeName: 'Ailsa', nominationType: 'group' })
  const written = localStorage.getItem('draft:young-citizen')
  await hydrate()
  expect(field('Name of the group')).toHaveValue('Ailsa')
  expect(field('Group').checked).toBe(true)
  expect(screen.getByRole('list', { name: 'Chosen files' })).toHaveTextContent('a.txt')
  await new Promise((done) => setTimeout(done, 600))
  expect(localStorage.getItem('draft:young-citizen')).toBe(written)
})

it('prefers what was typed to the draft', async () => {
  draft({ nomineeName: 'Ailsa', nominatorName: 'Morag' })
  type('Nominee’s full name', 'Rory')
  await hydrate()
  expect(field('Nominee’s full name')).toHaveValue('Rory')
  expect(field('Your name')).toHaveValue('Morag')
  await vi.waitFor(() => expect(readDraft('young-citizen', emptyCitizen)?.values.nomineeName).toBe('Rory'))
  expect(readDraft('young-citizen', emptyCitizen)).toMatchObject({ key: 'k', files: [{ name: 'a.txt' }] })
})

it('begins anew with its first choices', async () => {
  draft({ nominationType: 'group' }, [])
  await hydrate()
  const [clear] = screen.getAllByRole('button', { name: 'Clear the draft' })
  act(() => clear?.click())
  expect(readDraft('young-citizen', emptyCitizen)).toBeUndefined()
  expect(field('Individual').checked).toBe(true)
  expect(field('Group').checked).toBe(false)
})
