import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { fireEvent, render, screen } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import type { Supabase } from '@/lib/supabase'
import type { JudgedEntry } from './entry'
import { JudgeClient } from './judge-client'
import { JudgingCard } from './JudgingCard'

const createSignedUrls = (paths: string[]) =>
  Promise.resolve({
    data: paths.map((path) =>
      path.includes('gone')
        ? { path, error: 'gone', signedUrl: null }
        : { path, error: null, signedUrl: `https://club.example/${path}?token=t` },
    ),
    error: null,
  })

function show(...files: string[]) {
  const entry = {
    id: 'a',
    award: 'artist',
    category: 'Senior',
    title: 'Tide',
    entrant: 'Isla',
    lines: [],
    place: null,
    conflict: false,
    files,
  }
  const { container } = render(
    <QueryClientProvider client={new QueryClient()}>
      <JudgeClient value={{ storage: { from: () => ({ createSignedUrls }) } } as unknown as Supabase}>
        <JudgingCard entry={entry as unknown as JudgedEntry} isShared={false} onOpen={() => undefined} />
      </JudgeClient>
    </QueryClientProvider>,
  )
  return container
}

it('a HEIC picture is shown as a picture; if the browser cannot show it, it can be downloaded', async () => {
  const card = show('artist/isla/1760000000001-IMG_1.HEIC')
  expect(screen.queryByText('No images uploaded')).toBeNull()
  await vi.waitFor(() => expect(card.querySelector('img')).not.toBeNull())
  const picture = card.querySelector('img')
  if (picture) fireEvent.error(picture)
  expect(screen.getByText('This picture could not be shown')).toBeVisible()
  expect(screen.getByText('Download IMG_1.HEIC')).toHaveAttribute('href', expect.stringContaining('download=IMG_1.HEIC'))
})

it('files that are not pictures are listed, with a link if possible', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined)
  show('artist/isla/1760000000002-story.pdf', 'artist/isla/1760000000003-gone.docx')
  expect(screen.getByText('No images uploaded')).toBeVisible()
  expect(await screen.findByText('story.pdf', { selector: 'a' })).toHaveAttribute('target', '_blank')
  expect(screen.getByText('gone.docx')).toBeVisible()
  expect(screen.queryByText('gone.docx', { selector: 'a' })).toBeNull()
})

it('a picture without a link is listed without a download', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined)
  show('artist/isla/1760000000004-gone.png')
  expect(await screen.findByText('This picture could not be shown')).toBeVisible()
  expect(screen.queryByRole('link')).toBeNull()
})
