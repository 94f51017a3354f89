import { useEffect, useState } from 'react'
import { messageOf } from './errors'

/** The private bucket of the website's pictures. Visitors may read published ones, administrators all. */
export const pictureBucket = 'site-pictures'

export interface PictureSource {
  bucket: string
  path: string
  /** Width in pixels to which the picture is reduced. */
  width: number
  /** Whether to read it with the signed-in user's rights, because it is not published yet. */
  asAdmin: boolean
}

async function download({ bucket, path, width, asAdmin }: PictureSource): Promise<Blob> {
  const { connect, connectAsVisitor } = await import('./supabase')
  const supabase = await (asAdmin ? connect() : connectAsVisitor())
  const { data, error } = await supabase.storage.from(bucket).download(path, { transform: { width } })
  if (error) throw error
  return data
}

/**
 * URL of a picture for an `img` element; undefined until it is loaded. It is fetched by script, because an `img` element cannot send the API key that
 * the bucket requires.
 */
export function useSitePicture({ bucket, path, width, asAdmin }: PictureSource): string | undefined {
  const [loaded, setLoaded] = useState<{ path: string; url: string }>()
  useEffect(() => {
    let url: string | undefined
    let isLeft = false
    download({ bucket, path, width, asAdmin }).then(
      (picture) => {
        if (isLeft) return
        url = URL.createObjectURL(picture)
        setLoaded({ path, url })
      },
      // The path may name somebody, so it stays out of the log.
      (error: unknown) => console.error('A picture of the website could not be loaded:', messageOf(error)),
    )
    return () => {
      isLeft = true
      if (url !== undefined) URL.revokeObjectURL(url)
    }
  }, [bucket, path, width, asAdmin])
  return loaded?.path === path ? loaded.url : undefined
}
