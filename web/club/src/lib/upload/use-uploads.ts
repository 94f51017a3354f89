import { useCallback, useEffect, useReducer, useRef } from 'react'
import { newId } from '@/lib/new-id'
import { notifyError, notifySuccess, type Dismiss, type Notice } from '@cloch/ui/lib/notify'
import { uploadPath } from './paths'
import { fromStored, judgeFiles, queue, type Judged, type UploadItem } from './queue'
import { mismatch, refusal, type Accepted, type StoredFile } from './rules'
import { ContentMismatch, transfer } from './transfer'

export interface Uploads {
  items: UploadItem[]
  /** Adds files that were chosen, dropped or pasted. Refuses invalid files and uploads the others in parallel. */
  add: (files: readonly File[]) => void
  /** Uploads a failed file again. Undefined if the form has a button that uploads all files. */
  retry?: (id: string) => void
  /** Removes a file from the list. If it is being uploaded, the upload is stopped. */
  remove: (id: string) => void
  /** Replaces the list by files that are already in storage; by default, by an empty list. */
  reset: (files?: StoredFile[]) => void
}

interface UploadsOptions {
  bucket: string
  accepted: Accepted
  /** Returns the folder for the files. Called when the first file is added. Later files are stored in the same folder. */
  folder: () => string
  /** Files that were uploaded during an earlier visit. */
  initial?: StoredFile[]
  /** When an entry is corrected: the number of files that were already sent with it. */
  sentBefore?: number
}

const failed = { title: 'Upload failed', description: 'There was an error uploading your files. Please try again.' }

/** The list of a form's files, with the state of each upload. */
export function useUploads({ bucket, accepted, folder, initial = [], sentBefore = 0 }: UploadsOptions): Uploads {
  const [items, dispatch] = useReducer(queue, initial, (files) => files.map(fromStored))
  const running = useRef(new Map<string, AbortController>())
  /**
   * For each file with an error message, the function that removes the message. It is called when the upload is tried again, or when the file is
   * removed from the list.
   */
  const complaints = useRef(new Map<string, Dismiss>())
  const chosenFolder = useRef(folderOf(initial[0]?.path))

  useEffect(() => {
    const jobs = running.current
    return () => jobs.forEach((job) => job.abort())
  }, [])

  const change = (id: string, changes: Partial<UploadItem>) => dispatch({ type: 'changed', id, change: changes })

  /**
   * Uploads a file.
   * @returns true if the file was uploaded, false if this failed. 'settled' if no further message is needed, because the user has removed the file,
   * or the file was refused with its own message.
   */
  const send = async (id: string, file: File, path: string): Promise<boolean | 'settled'> => {
    const controller = new AbortController()
    running.current.set(id, controller)
    try {
      await transfer({
        bucket,
        path,
        file,
        signal: controller.signal,
        onProgress: (share) => change(id, { share }),
        onPause: (paused) => change(id, { state: paused ? 'paused' : 'uploading' }),
      })
      change(id, { state: 'uploaded', share: 1 })
      return true
    } catch (error) {
      if (controller.signal.aborted) return 'settled'
      if (error instanceof ContentMismatch) {
        const notice = mismatch(file)
        complaints.current.set(id, notifyError(notice))
        change(id, { state: 'refused', share: undefined, reason: notice.description, file: undefined })
        return 'settled'
      }
      console.error('Upload failed', error)
      change(id, { state: 'failed', share: undefined, reason: 'This file could not be uploaded.' })
      return false
    } finally {
      running.current.delete(id)
    }
  }

  const sendAll = async (chosen: { id: string; file: File; path: string }[]) => {
    const results = await Promise.all(chosen.map(({ id, file, path }) => send(id, file, path)))
    const arrived = results.filter((result) => result === true).length
    if (results.includes(false)) {
      const dismiss = notifyError(failed)
      chosen.forEach(({ id }, index) => {
        if (results[index] === false) complaints.current.set(id, dismiss)
      })
    } else if (arrived > 0) {
      notifySuccess({ title: 'Upload successful', description: `${arrived} file(s) uploaded successfully.` })
    }
  }

  /** Shows why files are refused. Files that are refused for the same reason share one message. */
  const complain = (refused: { id: string; notice: Notice | undefined }[]) => {
    const said = new Map<Notice, Dismiss>()
    for (const { id, notice } of refused) {
      if (!notice) continue
      const dismiss = said.get(notice) ?? notifyError(notice)
      said.set(notice, dismiss)
      complaints.current.set(id, dismiss)
    }
  }

  const add = (files: readonly File[]) => {
    if (items.every(({ path }) => path === '')) chosenFolder.current = undefined
    const into = (chosenFolder.current ??= folder())
    const judged = judgeFiles(items, files, (file) => refusal(file, accepted), sentBefore)
    const added = judged.map((each) => itemOf(each, into))
    dispatch({ type: 'added', items: added })
    complain(judged.map(({ notice }, index) => ({ id: added[index]?.id ?? '', notice })))
    void sendAll(added.flatMap(({ id, file, path }) => (file ? [{ id, file, path }] : [])))
  }

  const settle = (id: string) => {
    complaints.current.get(id)?.()
    complaints.current.delete(id)
  }

  const retry = (id: string) => {
    const item = items.find((each) => each.id === id)
    if (!item?.file) return
    settle(id)
    change(id, { state: 'uploading', reason: undefined })
    void sendAll([{ id, file: item.file, path: item.path }])
  }

  const remove = (id: string) => {
    running.current.get(id)?.abort()
    settle(id)
    dispatch({ type: 'removed', id })
  }

  const reset = useCallback((files: StoredFile[] = []) => {
    running.current.forEach((job) => job.abort())
    chosenFolder.current = folderOf(files[0]?.path)
    dispatch({ type: 'reset', files })
  }, [])

  return { items, add, retry, remove, reset }
}

/** The folder of a stored file. */
function folderOf(path: string | undefined): string | undefined {
  return path?.slice(0, path.lastIndexOf('/'))
}

function itemOf({ file, notice }: Judged, folder: string): UploadItem {
  return {
    id: newId(),
    name: file.name,
    size: file.size,
    state: notice ? 'refused' : 'uploading',
    share: undefined,
    path: notice ? '' : uploadPath(folder, file.name),
    reason: notice?.description,
    file: notice ? undefined : file,
  }
}
