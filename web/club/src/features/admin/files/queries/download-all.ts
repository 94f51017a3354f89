import { useMutation } from '@tanstack/react-query'
import { notifyError, notifySuccess } from '@cloch/ui/lib/notify'
import { downloadName } from '../download-name'
import { downloadFile } from './download-file'

/** Milliseconds between two downloads. If downloads follow faster, browsers drop some of them. */
const pauseMs = 300

export interface EntryFiles {
  name: string
  files: string[]
}

async function downloadAll({ name, files }: EntryFiles): Promise<number> {
  for (const [index, path] of files.entries()) {
    if (index > 0) await new Promise((resolve) => window.setTimeout(resolve, pauseMs))
    await downloadFile({ path, name: downloadName(name, path, index, files.length) })
  }
  return files.length
}

/** Downloads all files of an entry, one after the other. */
export function useDownloadAll() {
  const mutation = useMutation({
    mutationFn: downloadAll,
    onSuccess: (count) => notifySuccess({ title: 'Success', description: `Downloaded ${count} file(s)` }),
    onError: () => notifyError({ title: 'Error', description: 'Failed to download attachments' }),
  })
  const download = (entry: EntryFiles) => {
    if (entry.files.length > 0) mutation.mutate(entry)
    else notifyError({ title: 'No Attachments', description: 'This entry has no uploaded files' })
  }
  return { download, busy: mutation.isPending }
}
