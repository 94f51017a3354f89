import { apiUrl, getConfig, loadConfig } from '@/lib/config'
import { mediaType } from './rules'

/** Files above this size in bytes are uploaded in chunks, so that the upload can be resumed. The storage service requires this chunk size. */
export const chunkBytes = 6 * 1024 * 1024

export interface Transfer {
  bucket: string
  path: string
  file: File
  /** Called with the uploaded share, 0 to 1. Not called for small files, which are uploaded in one request. */
  onProgress: (share: number) => void
  /** Called when the upload waits for the network, and when it continues. */
  onPause: (paused: boolean) => void
  signal: AbortSignal
}

/** The network failed, not the server, so the same request may succeed later. */
class ConnectionLost extends Error {}

/** The server found that the file's first bytes do not match its type, so a retry is useless. */
export class ContentMismatch extends Error {}

/** Milliseconds after the connection was lost until the transfer gives up. */
const giveUpMs = 10 * 60_000
/** Maximum number of milliseconds between two attempts. */
const pauseMs = 15_000
/** HTTP status for a file whose content does not match its type. */
const unsupportedType = 415

const client = async () => (await import('@/lib/supabase')).connectAsVisitor()

/**
 * Uploads a file. While the network is unavailable, waits and retries for ten minutes.
 * @throws ContentMismatch, or another error if the server refuses the file, the network stays unavailable, or the signal aborts
 */
export async function transfer(job: Transfer): Promise<void> {
  let arrived = 0
  const onProgress = (share: number) => {
    arrived = Math.max(arrived, share)
    job.onProgress(share)
  }
  const send = job.file.size > chunkBytes ? await resumable({ ...job, onProgress }) : whole(job)
  let lostAt: number | undefined
  for (let attempt = 1; ; attempt += 1) {
    const arrivedBefore = arrived
    try {
      await send(attempt)
      return
    } catch (error) {
      job.signal.throwIfAborted()
      if (!(error instanceof ConnectionLost)) throw error
      // The ten minutes begin when no more bytes arrive.
      if (arrived > arrivedBefore) lostAt = undefined
      lostAt ??= Date.now()
      if (Date.now() - lostAt > giveUpMs) throw error
      job.onPause(true)
      await reconnection(attempt, job.signal)
      job.onPause(false)
    }
  }
}

function whole({ bucket, path, file }: Transfer) {
  const contentType = mediaType(file)
  // The type is sent with the file itself: if the device does not know it, that of the name is used.
  const body = file.type === contentType ? file : new File([file], file.name, { type: contentType })
  return async (attempt: number) => {
    const supabase = await client().catch((error: unknown) => {
      throw new ConnectionLost('The server could not be reached.', { cause: error })
    })
    const { error } = await supabase.storage
      .from(bucket)
      .upload(path, body, { cacheControl: '3600', upsert: false, contentType })
    if (!error) return
    const status = 'status' in error ? error.status : undefined
    // No other upload uses this path: if it exists at a later attempt, the earlier one succeeded and only its response was lost.
    if (attempt > 1 && (status === 409 || /already exists/i.test(error.message))) return
    if (status === undefined) throw new ConnectionLost(error.message)
    if (isMismatch(status, 'statusCode' in error ? error.statusCode : undefined)) throw new ContentMismatch(error.message)
    throw error
  }
}

/** Uploads with the TUS protocol of the storage service. */
async function resumable({ bucket, path, file, onProgress, signal }: Transfer) {
  const [{ Upload, DetailedError }] = await Promise.all([import('tus-js-client'), loadConfig()])
  const key = getConfig()?.anonKey ?? ''
  let resolve: () => void
  let reject: (error: Error) => void
  const upload = new Upload(file, {
    endpoint: `${apiUrl()}/storage/v1/upload/resumable`,
    chunkSize: chunkBytes,
    retryDelays: [0, 1000, 3000, 5000],
    headers: { authorization: `Bearer ${key}`, apikey: key, 'x-upsert': 'false' },
    uploadDataDuringCreation: true,
    removeFingerprintOnSuccess: true,
    metadata: { bucketName: bucket, objectName: path, contentType: mediaType(file), cacheControl: '3600' },
    onProgress: (sent, total) => onProgress(sent / total),
    onSuccess: () => resolve(),
    onError: (error) => {
      const answer = error instanceof DetailedError ? error.originalResponse : null
      if (answer === null) reject(new ConnectionLost(error.message, { cause: error }))
      else if (isMismatch(answer.getStatus())) reject(new ContentMismatch(error.message, { cause: error }))
      else reject(error)
    },
  })
  signal.addEventListener('abort', () => {
    void upload.abort()
    reject(new Error('Removed by the user'))
  })
  return () =>
    new Promise<void>((done, failed) => {
      resolve = done
      reject = failed
      upload.start()
    })
}

/** Storage repeats the status in the body of its errors. */
function isMismatch(status: unknown, statusCode?: unknown): boolean {
  return Number(status) === unsupportedType || Number(statusCode) === unsupportedType
}

/** Waits until the device reports that it is online, or for a time that increases with each attempt, because not every device reports it. */
function reconnection(attempt: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const listening = new AbortController()
    const settle = (done: () => void) => () => {
      listening.abort()
      window.clearTimeout(timer)
      done()
    }
    const timer = window.setTimeout(settle(resolve), navigator.onLine ? Math.min(1000 * attempt, pauseMs) : pauseMs)
    window.addEventListener('online', settle(resolve), { signal: listening.signal })
    const removed = settle(() => reject(new Error('Removed by the user')))
    signal.addEventListener('abort', removed, { signal: listening.signal })
  })
}
