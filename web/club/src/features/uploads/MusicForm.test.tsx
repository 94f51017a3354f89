import { fireEvent, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { createMemoryRouter, RouterProvider } from 'react-router'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { setConfig } from '@/lib/config'
import Toaster from '@cloch/ui/components/toaster'
import MusicForm from './MusicForm'

const connect = vi.fn<() => Promise<never>>()
vi.mock('@/lib/supabase', () => ({ connectAsVisitor: () => connect() }))

beforeEach(() => {
  setConfig(undefined)
  vi.spyOn(console, 'error').mockImplementation(() => undefined)
})

describe('recordings that cannot be sent', () => {
  it.each([
    [new Error('The settings could not be loaded'), 'The settings could not be loaded'],
    ['no error object', 'Unexpected error'],
  ])('say why, and stay in the form: %s', async (thrown, message) => {
    connect.mockReset().mockRejectedValue(thrown)
    const page = (
      <>
        <MusicForm />
        <Toaster place="bottom-right" />
      </>
    )
    render(<RouterProvider router={createMemoryRouter([{ path: '/', element: page }])} />)
    await userEvent.type(screen.getByLabelText('Nominee’s name'), 'Rory Sample')
    fireEvent.change(screen.getByTestId('field-uploadedFiles-input'), {
      target: { files: [new File(['x'], 'take.mp3', { type: 'audio/mpeg' })] },
    })
    await userEvent.click(screen.getByRole('button', { name: 'Upload' }))
    await waitFor(() => expect(screen.getByText('Upload error')).toBeVisible(), { timeout: 4000 })
    expect(screen.getByText(message)).toBeVisible()
    expect(screen.getByText('take.mp3')).toBeVisible()
    expect(screen.getByLabelText('Nominee’s name')).toHaveValue('Rory Sample')
  })
})
