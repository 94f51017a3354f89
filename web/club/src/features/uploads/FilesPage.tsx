import { Link } from 'react-router'
import { Admission } from '@/components/form/Admission'
import { LazyForm } from '@/components/LazyForm'
import { SkyStrip } from '@/components/SkyStrip'
import { lazyPart } from '@/components/lazy-part'
import { usePage } from '@/lib/use-page'

const FilesForm = lazyPart(() => import('./FilesForm'))

export function Component() {
  usePage({
    title: 'Awards Uploads',
    description: 'Send additional files for an entry to the youth awards that you have already made.',
    path: '/awards-uploads',
  })
  return (
    <>
      <SkyStrip
        title="Awards Uploads"
        lede="Something to add to an entry that you have already sent? It finds its way from here."
        motif="yachts"
      />
      <div className="section wrap grid items-start gap-14 desk:grid-cols-[minmax(0,7fr)_minmax(0,4fr)] desk:gap-20">
        <LazyForm height="44rem">
          <Admission form="additional">
            <FilesForm />
          </Admission>
        </LazyForm>
        <aside className="grid gap-5">
          <h2 className="text-[1.625rem] leading-tight">What to send</h2>
          <ul className="grid list-disc gap-2 pl-5">
            <li>Photographs and scans: JPEG, PNG, HEIC and the like.</li>
            <li>Papers: PDF, Word, or plain text.</li>
            <li>Each file up to 10 MB. A photograph that is larger can be saved smaller, or e-mailed to us.</li>
          </ul>
          <p>
            Music goes to <Link to="/upload-music">the page for music files</Link>. No entry yet?{' '}
            <Link to="/youth-awards">Begin with the youth awards</Link>.
          </p>
        </aside>
      </div>
    </>
  )
}
