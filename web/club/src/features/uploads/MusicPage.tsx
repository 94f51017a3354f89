import { Lock } from 'lucide-react'
import { Link } from 'react-router'
import { Admission } from '@/components/form/Admission'
import { LazyForm } from '@/components/LazyForm'
import { SkyStrip } from '@/components/SkyStrip'
import { lazyPart } from '@/components/lazy-part'
import { usePage } from '@/lib/use-page'

const MusicForm = lazyPart(() => import('./MusicForm'))

export function Component() {
  usePage({
    title: 'Upload music',
    description: 'Send recordings for an entry to the Young Musician Awards. Files are stored privately.',
    path: '/upload-music',
  })
  return (
    <div className="award-musician">
      <SkyStrip title="Upload music" lede="Recordings for an entry to the Young Musician Awards." motif="ferry" />
      <div className="section wrap grid items-start gap-14 desk:grid-cols-[minmax(0,7fr)_minmax(0,4fr)] desk:gap-20">
        <LazyForm height="34rem">
          <Admission form="music">
            <MusicForm />
          </Admission>
        </LazyForm>
        <aside className="grid gap-5">
          <h2 className="text-[1.625rem] leading-tight">Good to know</h2>
          <p className="flex gap-3 rounded bg-award-wash px-4 py-3.5">
            <Lock aria-hidden className="mt-0.5 text-award-ink" />
            <span>Files are stored privately: only the organisers and the judges of the award listen to them.</span>
          </p>
          <p>A recording made with a phone is good enough. Leave a breath of silence before the first note.</p>
          <p>
            <Link to="/young-musician">Back to Young Musician Awards</Link>
          </p>
        </aside>
      </div>
    </div>
  )
}
