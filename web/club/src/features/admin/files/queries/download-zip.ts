import { useMutation } from '@tanstack/react-query'
import { apiUrl, getConfig } from '@/lib/config'
import { connect } from '@/lib/supabase'
import { notifyError, notifySuccess } from '@cloch/ui/lib/notify'
import { saveBlob } from '../../shared/save-blob'
import { bucket } from '../bucket'
import { downloadName, slug } from '../download-name'
import type { EntryFiles } from './download-all'

/**
 * Downloads an archive that the server creates while it sends it. supabase-js has no method for archives, so the request is sent with `fetch` and the
 * caller's token.
 */
async function downloadZip({ name, files }: EntryFiles): Promise<number> {
  const supabase = await connect()
  const { data, error } = await supabase.auth.getSession()
  if (error) throw error
  const key = getConfig()?.anonKey ?? ''
  const answer = await fetch(`${apiUrl()}/storage/v1/archive/${bucket}`, {
    method: 'POST',
    headers: {
      apikey: key,
      authorization: `Bearer ${data.session?.access_token ?? key}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ paths: files, names: files.map((path, index) => downloadName(name, path, index, files.length)) }),
  })
  if (!answer.ok) throw new Error(`The archive answered ${answer.status}`)
  saveBlob(await answer.blob(), `${slug(name)}.zip`)
  return files.length
}

/** Downloads all files of an entry in one archive. */
export function useDownloadZip() {
  const mutation = useMutation({
    mutationFn: downloadZip,
    onSuccess: (count) => notifySuccess({ title: 'Success', description: `Downloaded ${count} file(s)` }),
    onError: () => notifyError({ title: 'Error', description: 'Failed to download attachments' }),
  })
  const download = (entry: EntryFiles) => {
    if (entry.files.length > 0) mutation.mutate(entry)
    else notifyError({ title: 'No Attachments', description: 'This entry has no uploaded files' })
  }
  return { download, busy: mutation.isPending }
}
