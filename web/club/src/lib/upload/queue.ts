import type { Notice } from '@cloch/ui/lib/notify'
import { maxFiles, tooMany, type StoredFile } from './rules'

/** `chosen`: in the list, not yet on its way. */
export type UploadState = 'chosen' | 'uploading' | 'paused' | 'uploaded' | 'failed' | 'refused'

/** One file in the list of a form. */
export interface UploadItem {
  id: string
  name: string
  size: number
  state: UploadState
  /** Share that has arrived, 0 to 1; undefined while it is not known. */
  share: number | undefined
  /** Where the file goes; empty for a refused one. */
  path: string
  /** Why it was refused or failed. */
  reason: string | undefined
  /** The file itself; absent when the list was restored from a draft. */
  file: File | undefined
}

export type QueueAction =
  | { type: 'added'; items: UploadItem[] }
  | { type: 'changed'; id: string; change: Partial<UploadItem> }
  | { type: 'removed'; id: string }
  | { type: 'reset'; files: StoredFile[] }

/** The list of files after something happened to it. */
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

/** A file that is in the store already, as a line of the list. */
export function fromStored({ name, size, path }: StoredFile): UploadItem {
  return { id: path, name, size, path, state: 'uploaded', share: 1, reason: undefined, file: undefined }
}

/** The files that are in the store. */
export function storedFiles(items: UploadItem[]): StoredFile[] {
  return items.filter((item) => item.state === 'uploaded').map(({ name, size, path }) => ({ name, size, path }))
}

/** Chosen files, each with the reason for which it is refused, if there is one. */
export interface Judged {
  file: File
  notice: Notice | undefined
}

/**
 * Decides which of the chosen files are added to the list: those that are not refused for themselves, as many as there is room for.
 * Files without room have one notice in common. `sentBefore`: files that the entry has already.
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

/** Whether files are still on their way. */
export function isBusy(items: UploadItem[]): boolean {
  return items.some((item) => item.state === 'uploading' || item.state === 'paused')
}

/** Whether sending now would leave a file behind that its sender believes to be included. */
export function isUnsettled(items: UploadItem[]): boolean {
  return isBusy(items) || items.some((item) => item.state === 'failed')
}
