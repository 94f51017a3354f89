import { Attachment } from './Attachment'

interface AttachmentsProps {
  /** Name of the entry. The names of downloaded files begin with it. */
  entryName: string
  files: string[]
}

/** The files of an entry. Pictures are shown, and recordings have a player. */
export function Attachments({ entryName, files }: AttachmentsProps) {
  if (files.length === 0) return null
  return (
    <ul className="grid gap-6">
      {files.map((path, index) => (
        <li key={path}>
          <Attachment entryName={entryName} path={path} index={index} count={files.length} />
        </li>
      ))}
    </ul>
  )
}
