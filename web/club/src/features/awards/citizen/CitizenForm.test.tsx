import { render, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { createMemoryRouter, RouterProvider } from 'react-router'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { setConfig } from '@/lib/config'
import { writeDraft } from '@/lib/forms/draft'
import Toaster from '@cloch/ui/components/toaster'
import CitizenForm from './CitizenForm'

const insert = vi.fn<(row: Record<string, unknown>) => Promise<{ error: object | null }>>()

const invoke = vi.fn<(name: string, options: { body: Record<string, unknown> }) => Promise<{ error: Error | null }>>()

vi.mock('@/lib/supabase', () => ({
  connectAsVisitor: () =>
    Promise.resolve({
      from: () => ({ insert: (row: Record<string, unknown>) => Object.assign(insert(row), { setHeader: () => undefined }) }),
      functions: { invoke },
    }),
}))

function open() {
  const page = (
    <>
      <CitizenForm />
      <Toaster place="bottom-right" />
    </>
  )
  return render(<RouterProvider router={createMemoryRouter([{ path: '/', element: page }])} />)
}

async function fill() {
  const user = userEvent.setup()
  const answers: [string | RegExp, string][] = [
    ['Nominee’s full name', 'Ailsa Sample'],
    ['Age', '17'],
    ['Parent or guardian’s e-mail', 'parent@example.org'],
    ['Your name', 'Morag Sample'],
    ['Your e-mail', 'morag@example.org'],
    ['Key achievement', 'Beach clean'],
    ['Why the nominee deserves the award', 'Because'],
  ]
  for (const [label, text] of answers) await user.type(screen.getByLabelText(label), text)
  return user
}

// A message is in the DOM before it is visible: in its first frame it is transparent.
const seeToast = (text: string) => waitFor(() => expect(screen.getByText(text)).toBeVisible())

const button = () => screen.getByRole('button', { name: /Submit Nomination|Submitting\.\.\./ })

beforeEach(() => {
  setConfig(undefined)
  insert.mockReset().mockResolvedValue({ error: null })
  invoke.mockReset().mockResolvedValue({ error: null })
  vi.spyOn(console, 'error').mockImplementation(() => undefined)
})

describe('sending a nomination', () => {
  it('shows what is missing: toast, summary with the focus, and a message at each field', async () => {
    open()
    await userEvent.click(button())
    const summary = await screen.findByRole('group', { name: 'Seven answers need another look' })
    await waitFor(() => expect(summary).toHaveFocus())
    expect(within(summary).getAllByRole('link')).toHaveLength(7)
    await seeToast('Missing Information')
    expect(screen.getByLabelText('Age')).toBeInvalid()
    expect(screen.getByLabelText('Age')).toHaveAccessibleDescription(/Age is missing/)
    await userEvent.click(within(summary).getByRole('link', { name: /Your name/ }))
    expect(screen.getByLabelText('Your name')).toHaveFocus()
    expect(insert).not.toHaveBeenCalled()
    expect(invoke).not.toHaveBeenCalled()
  })

  it('uses the word group in the summary and in the list of parts if a group is nominated', async () => {
    open()
    const parts = within(screen.getByRole('navigation', { name: 'Parts of this form', hidden: true }))
    expect(parts.getByText('1. The nominee')).toBeInTheDocument()
    await userEvent.click(screen.getByLabelText('Group'))
    expect(parts.getByText('1. The group')).toBeInTheDocument()
    await userEvent.click(button())
    const summary = within(await screen.findByRole('group', { name: 'Seven answers need another look' }))
    expect(summary.getByRole('link', { name: 'Name of the group is missing' })).toBeInTheDocument()
    await userEvent.click(screen.getByLabelText('Individual'))
    expect(await summary.findByRole('link', { name: 'Name of the nominee is missing' })).toBeInTheDocument()
    expect(parts.getByText('1. The nominee')).toBeInTheDocument()
  })

  it('shows which answer is too long', async () => {
    open()
    const user = await fill()
    await user.click(screen.getByLabelText(/^Your phone/))
    await user.paste('1'.repeat(51))
    await user.click(screen.getByLabelText('Key achievement'))
    await user.paste('a'.repeat(10_001))
    await user.click(button())
    const summary = within(await screen.findByRole('group', { name: 'Two answers need another look' }))
    expect(summary.getAllByRole('link').map((link) => link.textContent)).toEqual([
      'Please keep this to 50 characters: Your phone (optional)',
      'Please keep this to 10000 characters: Key achievement',
    ])
    expect(insert).not.toHaveBeenCalled()
  })

  it('saves the record, then calls send-email with it', async () => {
    open()
    const user = await fill()
    await user.click(button())
    await seeToast('Nomination Submitted!')
    expect(invoke).toHaveBeenCalledTimes(1)
    expect(insert.mock.invocationCallOrder[0]).toBeLessThan(invoke.mock.invocationCallOrder[0] ?? 0)
    const [name, { body }] = invoke.mock.calls[0] ?? ['', { body: {} }]
    expect(name).toBe('send-email')
    expect(body).toMatchObject({
      to: ['awards@example.org'],
      subject: 'Young Citizen Award Nomination - Ailsa Sample',
      name: 'Morag Sample',
      attachments: [],
      submission: insert.mock.calls[0]?.[0].submission_key,
    })
    expect(body.message).toContain('<strong>Key achievement:</strong> Beach clean')
  })

  it('keeps the answers if the e-mail fails, and the retry creates no second record', async () => {
    open()
    const user = await fill()
    invoke.mockResolvedValueOnce({ error: new Error('502') })
    await user.click(button())
    await seeToast('Failed to submit nomination. Please try again.')
    expect(screen.getByLabelText('Nominee’s full name')).toHaveValue('Ailsa Sample')
    expect(localStorage.getItem('draft:young-citizen')).toContain('Ailsa Sample')
    insert.mockResolvedValueOnce({ error: { code: '23505', message: 'duplicate', details: 'Key (submission_key)=(x)' } })
    await user.click(button())
    await seeToast('Nomination Submitted!')
    expect(invoke.mock.calls[1]?.[1].body.submission).toBe(invoke.mock.calls[0]?.[1].body.submission)
  })

  it('creates one record for a double click', async () => {
    open()
    const user = await fill()
    let release: (value: { error: null }) => void = () => undefined
    insert.mockReturnValue(new Promise((resolve) => (release = resolve)))
    await user.dblClick(button())
    await waitFor(() => expect(button()).toBeDisabled())
    expect(button()).toHaveAccessibleName('Submitting...')
    release({ error: null })
    await seeToast('Nomination Submitted!')
    expect(insert).toHaveBeenCalledTimes(1)
    expect(invoke).toHaveBeenCalledTimes(1)
    expect(localStorage.getItem('draft:young-citizen')).toBeNull()
  })

  it('keeps the answers if the record is refused; the retry has the same key', async () => {
    open()
    const user = await fill()
    insert.mockResolvedValueOnce({ error: { code: '42501', message: 'refused', details: null } })
    await user.click(button())
    await seeToast('Failed to save nomination. Please try again.')
    expect(invoke).not.toHaveBeenCalled()
    expect(screen.getByLabelText('Nominee’s full name')).toHaveValue('Ailsa Sample')
    await user.click(button())
    await screen.findByText('Nomination Submitted!')
    expect(insert.mock.calls[1]?.[0].submission_key).toBe(insert.mock.calls[0]?.[0].submission_key)
  })

  it('treats an existing key as a record that was saved before', async () => {
    open()
    const user = await fill()
    insert.mockResolvedValueOnce({ error: { code: '23505', message: 'duplicate', details: 'Key (submission_key)=(x)' } })
    await user.click(button())
    await seeToast('Nomination Submitted!')
  })
})

describe('the draft of a nomination', () => {
  it('is restored with the page, and deleted when it is cleared', async () => {
    const first = open()
    await userEvent.type(screen.getByLabelText('Your name'), 'Morag Sample')
    await waitFor(() => expect(localStorage.getItem('draft:young-citizen')).toContain('Morag Sample'))
    first.unmount()
    open()
    expect(screen.getByLabelText('Your name')).toHaveValue('Morag Sample')
    const clear = screen.getAllByRole('button', { name: 'Clear the draft' })[0]
    if (!clear) throw new Error('no way to clear the draft')
    await userEvent.click(clear)
    expect(screen.getByLabelText('Your name')).toHaveValue('')
    expect(localStorage.getItem('draft:young-citizen')).toBeNull()
  })

  it('keeps the token of a request whose response was lost, and the token is deleted with the draft', async () => {
    localStorage.setItem('entry-link:a-fill-without-a-draft', 'ab'.repeat(32))
    const tokens = () => Object.keys(localStorage).filter((name) => name.startsWith('entry-link:'))
    const first = open()
    expect(tokens()).toEqual([])
    const user = await fill()
    insert.mockResolvedValueOnce({ error: { code: '', message: 'the answer was lost', details: null } })
    await user.click(button())
    await seeToast('Failed to save nomination. Please try again.')
    const { key } = JSON.parse(localStorage.getItem('draft:young-citizen') ?? '') as { key: string }
    expect(tokens()).toEqual([`entry-link:${key}`])
    first.unmount()
    const second = open()
    expect(tokens()).toEqual([`entry-link:${key}`])
    // In another tab, the draft was replaced by the draft of another nomination.
    writeDraft('young-citizen', { savedAt: '2026-08-01T10:00:00Z', key: 'of-the-other-tab', values: {}, files: [] })
    second.unmount()
    expect(tokens()).toEqual([])
  })
})
