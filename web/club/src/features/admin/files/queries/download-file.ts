import { useMutation } from '@tanstack/react-query'
import { connect } from '@/lib/supabase'
import { notifyError, notifySuccess } from '@cloch/ui/lib/notify'
import { saveBlob } from '../../shared/save-blob'
import { bucket } from '../bucket'

export interface Download {
  path: string
  /** Bucket of the file. Default: the bucket of the award files. */
  from?: string
  /** File name of the download. */
  name: string
}

/** @throws the error that storage returned */
export async function downloadFile({ path, from = bucket, name }: Download) {
  const supabase = await connect()
  const { data, error } = await supabase.storage.from(from).download(path)
  if (error) throw error
  saveBlob(data, name)
}

export function useDownloadFile() {
  return useMutation({
    mutationFn: downloadFile,
    onSuccess: () => notifySuccess({ title: 'Success', description: 'File downloaded successfully' }),
    onError: () => notifyError({ title: 'Error', description: 'Failed to download file' }),
  })
}
