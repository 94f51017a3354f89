import { Download } from 'lucide-react'
import { fileTitle } from '@/lib/entry-file'
import { Button } from '@cloch/ui/components/button'
import { useDownloadFile } from '../files/queries/download-file'
import type { ExtraFiles } from './extra-files'

/** One button for each file. */
export function FileLinks({ files: { bucket, files } }: { files: ExtraFiles }) {
  const { mutate: download, isPending } = useDownloadFile()
  return (
    <ul className="flex flex-wrap gap-2.5">
      {files.map((path) => (
        <li key={path} className="max-w-full">
          <Button
            size="sm"
            variant="outline"
            className="h-auto max-w-full text-left [overflow-wrap:anywhere] whitespace-normal"
            disabled={isPending}
            onClick={() => download({ path, from: bucket, name: fileTitle(path) })}
          >
            <Download aria-hidden />
            <span className="sr-only">Download </span>
            {fileTitle(path)}
          </Button>
        </li>
      ))}
    </ul>
  )
}
