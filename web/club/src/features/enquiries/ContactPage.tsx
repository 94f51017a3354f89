import { LazyForm } from '@/components/LazyForm'
import { SkyStrip } from '@/components/SkyStrip'
import { lazyPart } from '@/components/lazy-part'
import { meeting } from '@/content/club'
import { getSettings } from '@/lib/config'
import { usePage } from '@/lib/use-page'
import { VisitUs } from './VisitUs'

const ContactForm = lazyPart(() => import('./ContactForm'))

export function Component() {
  usePage({
    title: 'Contact Us',
    description: 'Write to the club, or come along on a Thursday at 7pm at the golf club in Gourock. Visitors are welcome.',
    path: '/contact',
  })
  return (
    <>
      <SkyStrip
        title="Contact Us"
        lede="A question, an idea, or a talk to offer: somebody reads everything that is sent here."
      />
      <Ways />
      <div className="section wrap grid items-start gap-14 desk:grid-cols-[minmax(0,7fr)_minmax(0,4fr)] desk:gap-20">
        <LazyForm height="46rem">
          <ContactForm form="contact" description="Send us a message and we'll get back to you as soon as we can." />
        </LazyForm>
        <VisitUs />
      </div>
    </>
  )
}

/** Three ways to contact the club. */
function Ways() {
  const { clubEmail } = getSettings()
  const ways = [
    { name: 'Use the form', text: 'Open 24/7. Our team monitors the inbox and answers as soon as somebody is home from work.' },
    {
      name: 'E-mail',
      text: (
        <a href={`mailto:${clubEmail}`} className="inline-block py-1 wrap-anywhere">
          {clubEmail}
        </a>
      ),
    },
    { name: 'Come along', text: `We meet ${meeting.day} at ${meeting.time} at the golf club. Visitors are welcome.` },
  ]
  return (
    <section aria-label="Ways to reach us" className="band border-b bg-card">
      <ul className="wrap grid md:grid-cols-3">
        {ways.map(({ name, text }) => (
          <li
            key={name}
            className="border-t py-5 first:border-t-0 md:border-t-0 md:border-l md:px-6 md:first:border-l-0 md:first:pl-0"
          >
            <h2 className="text-h3">{name}</h2>
            <div className="mt-1 text-muted-foreground">{text}</div>
          </li>
        ))}
      </ul>
    </section>
  )
}
