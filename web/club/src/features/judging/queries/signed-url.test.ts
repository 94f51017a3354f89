import { QueryClient } from '@tanstack/react-query'
import { expect, it, vi } from 'vitest'
import type { Supabase } from '@/lib/supabase'
import { signedUrlQuery } from './signed-url'

/** A storage client for which every file exists, except files whose name begins with "gone". */
function store(): Supabase {
  const createSignedUrls = (paths: string[]) =>
    Promise.resolve({
      data: paths.map((path) =>
        path.startsWith('gone')
          ? { path, error: 'Either the object does not exist or you do not have access to it', signedUrl: null }
          : { path, error: null, signedUrl: `https://club.example/${path}` },
      ),
      error: null,
    })
  return { storage: { from: () => ({ createSignedUrls }) } } as unknown as Supabase
}

it('logs the number of failed links, and no path', async () => {
  const log = vi.spyOn(console, 'error').mockImplementation(() => undefined)
  const queries = new QueryClient()
  const supabase = store()
  const links = await Promise.all(
    ['a.png', 'gone-1.png', 'gone-2.png'].map((path) => queries.query(signedUrlQuery(supabase, path))),
  )
  expect(links).toEqual(['https://club.example/a.png', null, null])
  expect(log).toHaveBeenCalledExactlyOnceWith('Links to 2 of 3 files could not be made.')
})

it('logs nothing if every link was created', async () => {
  const log = vi.spyOn(console, 'error').mockImplementation(() => undefined)
  expect(await new QueryClient().query(signedUrlQuery(store(), 'a.png'))).toBe('https://club.example/a.png')
  expect(log).not.toHaveBeenCalled()
})
