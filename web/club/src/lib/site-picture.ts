import { useEffect, useState } from 'react'
import { messageOf } from './errors'

/** The private bucket of the website's pictures. Visitors can read the published pictures, and administrators can read all. */
export const pictureBucket = 'site-pictures'

export interface PictureSource {
  bucket: string
  path: string
  /** Width in pixels to which the picture is reduced. */
  width: number
  /** Whether the picture is read with the rights of the signed-in user. Needed for a picture that is not published yet. */
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
 * Returns the URL of a picture for an `img` element; undefined until the picture is loaded. A script fetches the picture, because the bucket requires
 * the API key, which an `img` element cannot send.
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
      // The path may contain a person's name. Therefore it is not logged.
      (error: unknown) => console.error('A picture of the website could not be loaded:', messageOf(error)),
    )
    return () => {
      isLeft = true
      if (url !== undefined) URL.revokeObjectURL(url)
    }
  }, [bucket, path, width, asAdmin])
  return loaded?.path === path ? loaded.url : undefined
}
