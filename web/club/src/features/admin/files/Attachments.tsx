import { Attachment } from './Attachment'

interface AttachmentsProps {
  /** Whose files they are; their names when saved begin with it. */
  entryName: string
  files: string[]
}

/** The files of an entry, those that can be seen or heard as themselves. */
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
