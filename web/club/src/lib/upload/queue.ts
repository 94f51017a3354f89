import type { Notice } from '@cloch/ui/lib/notify'
import { maxFiles, tooMany, type StoredFile } from './rules'

/** `chosen`: in the list, but the upload has not begun. */
export type UploadState = 'chosen' | 'uploading' | 'paused' | 'uploaded' | 'failed' | 'refused'

/** A file in the list of a form. */
export interface UploadItem {
  id: string
  name: string
  size: number
  state: UploadState
  /** The part that has been uploaded, from 0 to 1. Undefined if this is not known. */
  share: number | undefined
  /** Path to which the file is uploaded. Empty for a refused file. */
  path: string
  /** The reason why the file was refused or the upload failed. */
  reason: string | undefined
  /** The file itself. Undefined if the list was restored from a draft. */
  file: File | undefined
}

export type QueueAction =
  | { type: 'added'; items: UploadItem[] }
  | { type: 'changed'; id: string; change: Partial<UploadItem> }
  | { type: 'removed'; id: string }
  | { type: 'reset'; files: StoredFile[] }

/** The reducer for the list of files. */
export function queue(items: UploadItem[], action: QueueAction): UploadItem[] {
  switch (action.type) {
    case 'added':
      return [...items, ...action.items]
    case 'changed':
      return items.map((item) => (item.id === action.id ? { ...item, ...action.change } : item))
    case 'removed':
      return items.filter((item) => item.id !== action.id)
    case 'reset':
      return action.files.map(fromStored)
  }
}

/** An item of the list for a file that is already stored. */
export function fromStored({ name, size, path }: StoredFile): UploadItem {
  return { id: path, name, size, path, state: 'uploaded', share: 1, reason: undefined, file: undefined }
}

/** The files that are stored. */
export function storedFiles(items: UploadItem[]): StoredFile[] {
  return items.filter((item) => item.state === 'uploaded').map(({ name, size, path }) => ({ name, size, path }))
}

/** A chosen file. If it is refused, `notice` contains the reason. */
export interface Judged {
  file: File
  notice: Notice | undefined
}

/**
 * Decides which of the chosen files are accepted: valid files, up to the maximum number. All files beyond the maximum number share one message.
 * @param sentBefore the number of files that the entry already has
 */
export function judgeFiles(
  items: readonly UploadItem[],
  files: readonly File[],
  refusalOf: (file: File) => Notice | undefined,
  sentBefore = 0,
): Judged[] {
  let room = maxFiles - sentBefore - items.filter(({ state }) => state !== 'refused').length
  const noRoom = tooMany(sentBefore)
  return files.map((file) => {
    const notice = refusalOf(file) ?? (room > 0 ? undefined : noRoom)
    if (!notice) room -= 1
    return { file, notice }
  })
}

/** Whether files are still being uploaded. */
export function isBusy(items: UploadItem[]): boolean {
  return items.some((item) => item.state === 'uploading' || item.state === 'paused')
}

/** Whether files are still being uploaded, or their upload has failed. If the form were sent now, these files would be missing. */
export function isUnsettled(items: UploadItem[]): boolean {
  return isBusy(items) || items.some((item) => item.state === 'failed')
}
