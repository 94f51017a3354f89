import { ApiError, apiUrl, changeHeaders } from '@/lib/api'
import { objectPath } from './contract'

export interface Upload {
  name: string
  /** From 0 to 1. */
  progress: number
  problem?: string
}

/** Uploads one file with XMLHttpRequest, because `fetch` does not report upload progress. @throws ApiError */
export function sendFile(bucket: string, name: string, file: File, onProgress: (progress: number) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open('PUT', apiUrl(objectPath(bucket, name), { upsert: false }))
    for (const [header, value] of Object.entries(changeHeaders())) request.setRequestHeader(header, value)
    request.setRequestHeader('content-type', file.type || 'application/octet-stream')
    request.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 0 : loaded / total)
    request.onerror = () => reject(new ApiError(0, { code: 'network', message: 'The server cannot be reached.' }))
    request.onload = () => {
      if (request.status < 300) resolve()
      else reject(refusal(request))
    }
    request.send(file)
  })
}

function refusal(request: XMLHttpRequest): ApiError {
  try {
    return new ApiError(request.status, JSON.parse(request.responseText) as { code: string; message: string })
  } catch {
    return new ApiError(request.status, {})
  }
}
