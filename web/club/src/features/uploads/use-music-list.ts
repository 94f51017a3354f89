import { useReducer, useRef } from 'react'
import { newId } from '@/lib/new-id'
import { slug, uploadPath } from '@/lib/upload/paths'
import { judgeFiles, queue, type Judged, type UploadItem } from '@/lib/upload/queue'
import { maxBytes, mediaType, mismatch } from '@/lib/upload/rules'
import { ContentMismatch, transfer } from '@/lib/upload/transfer'
import { notifyError, type Notice } from '@cloch/ui/lib/notify'

/** The reason why an audio file cannot be sent, in the terms of the music page. */
export function musicRefusal(file: File): Notice | undefined {
  if (!mediaType(file).startsWith('audio/')) {
    return { title: 'Invalid file type', description: `${file.name} is not an audio file.` }
  }
  if (file.size > maxBytes) return { title: 'File too large', description: `${file.name} exceeds 10MB limit.` }
  return undefined
}

/** The files of the music page. The user first chooses them, then sends them together with the button. */
export function useMusicList() {
  const [items, dispatch] = useReducer(queue, [])
  /** The folder for all files of this form. It stays the same even if the user changes the name afterwards. */
  const folder = useRef<string>(undefined)
  /** The paths of uploaded files, by id. */
  const arrived = useRef(new Map<string, string>())

  const add = (files: readonly File[]) => {
    const judged = judgeFiles(items, files, musicRefusal)
    for (const notice of new Set(judged.map((each) => each.notice))) if (notice) notifyError(notice)
    dispatch({ type: 'added', items: judged.map(chosen) })
  }

  const send = async (item: UploadItem, nominee: string): Promise<boolean> => {
    if (!item.file) return true
    const change = (changes: Partial<UploadItem>) => dispatch({ type: 'changed', id: item.id, change: changes })
    const path = uploadPath((folder.current ??= slug(nominee) || 'nominee'), item.name)
    change({ state: 'uploading', reason: undefined })
    try {
      await transfer({
        bucket: 'music-uploads',
        path,
        file: item.file,
        signal: new AbortController().signal,
        onProgress: (share) => change({ share }),
        onPause: (paused) => change({ state: paused ? 'paused' : 'uploading' }),
      })
      arrived.current.set(item.id, path)
      change({ state: 'uploaded', share: 1 })
      return true
    } catch (error) {
      console.error('Upload failed', error)
      if (error instanceof ContentMismatch) {
        const notice = mismatch(item.file)
        notifyError(notice)
        change({ state: 'refused', share: undefined, reason: notice.description, file: undefined })
        return false
      }
      change({ state: 'failed', share: undefined, reason: 'This file could not be uploaded.' })
      return false
    }
  }

  /** Uploads all files that have not been uploaded yet. @returns the numbers of attempts and of failures, and the paths of all uploaded files */
  const sendAll = async (nominee: string) => {
    const waiting = items.filter(({ state }) => state === 'chosen' || state === 'failed')
    const results = await Promise.all(waiting.map((item) => send(item, nominee)))
    return {
      total: waiting.length,
      failed: results.filter((succeeded) => !succeeded).length,
      paths: [...arrived.current.values()],
    }
  }

  return {
    items,
    add,
    sendAll,
    /** The number of files that will be sent, or have been sent and are not confirmed yet. */
    ready: items.filter(({ state }) => state !== 'refused').length,
    remove: (id: string) => {
      arrived.current.delete(id)
      dispatch({ type: 'removed', id })
    },
    reset: () => {
      arrived.current.clear()
      folder.current = undefined
      dispatch({ type: 'reset', files: [] })
    },
  }
}

function chosen({ file, notice }: Judged): UploadItem {
  return {
    id: newId(),
    name: file.name,
    size: file.size,
    state: notice ? 'refused' : 'chosen',
    share: undefined,
    path: '',
    reason: notice?.description,
    file: notice ? undefined : file,
  }
}
