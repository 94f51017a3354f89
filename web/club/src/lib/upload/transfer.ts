import { apiUrl, getConfig, loadConfig } from '@/lib/config'
import { mediaType } from './rules'

/**
 * A file larger than this number of bytes is uploaded in chunks of this size, so that an interrupted upload can continue. The storage service
 * requires this chunk size.
 */
export const chunkBytes = 6 * 1024 * 1024

export interface Transfer {
  bucket: string
  path: string
  file: File
  /** Called with the part that has been uploaded, from 0 to 1. Not called for small files, which are uploaded in one request. */
  onProgress: (share: number) => void
  /** Called when the upload waits for the network, and when it continues. */
  onPause: (paused: boolean) => void
  signal: AbortSignal
}

/** The network failed, not the server. The same request may succeed later. */
class ConnectionLost extends Error {}

/** The content of the file does not match its type, according to the server. Another attempt would fail too. */
export class ContentMismatch extends Error {}

/** If the connection has been lost for this number of milliseconds, the upload fails. */
const giveUpMs = 10 * 60_000
/** Maximum number of milliseconds between two attempts. */
const pauseMs = 15_000
/** HTTP status of the response if the file's content does not match its type. */
const unsupportedType = 415

const client = async () => (await import('@/lib/supabase')).connectAsVisitor()

/**
 * Uploads a file. If the network is not available, waits and tries again for ten minutes.
 * @throws ContentMismatch; or another error if the server refuses the file, the network stays unavailable, or the signal is aborted
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
      // If data arrived during this attempt, the ten minutes begin again.
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
  // The type is sent as a property of the file. If the device does not know it, the type that was derived from the name is used.
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
    // No other upload uses this path. If the file already exists, an earlier attempt succeeded and only its response was lost.
    if (attempt > 1 && (status === 409 || /already exists/i.test(error.message))) return
    if (status === undefined) throw new ConnectionLost(error.message)
    if (isMismatch(status, 'statusCode' in error ? error.statusCode : undefined)) throw new ContentMismatch(error.message)
    throw error
  }
}

/** Uploads a file with the TUS protocol, which the storage service supports. */
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

/** In errors of storage, the response's body contains the status too. */
function isMismatch(status: unknown, statusCode?: unknown): boolean {
  return Number(status) === unsupportedType || Number(statusCode) === unsupportedType
}

/** Waits until the device reports that it is online. Not every device does, so the waiting time is limited. The limit increases with each attempt. */
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
