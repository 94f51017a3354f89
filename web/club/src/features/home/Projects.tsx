import { MoreLink } from '@/components/MoreLink'
import { PortholeList } from '@/components/PortholeList'
import { portholes } from '@/components/portholes'
import { SectionHead } from '@/components/SectionHead'
import { season } from '@/content/awards'

const projects = [
  {
    name: 'Weekly Guest Speakers',
    text: 'Every Thursday at 7pm somebody interesting stands up and tells us what they know. Visitors are welcome.',
    more: 'Speaker schedule',
    href: '/events#speakers',
    picture: portholes.lectern,
  },
  {
    name: 'Young Artist',
    text: `Ages 5 to 17. This year’s theme is ${season.theme}.`,
    more: 'Young Artist award',
    href: '/young-artist',
    picture: portholes.canvas,
  },
  {
    name: 'Young Musician',
    text: 'Vocal and instrumental, ages 11 to 18. Up to three pieces of your own choosing.',
    more: 'Young Musician award',
    href: '/young-musician',
    picture: portholes.dinghies,
  },
  {
    name: 'Chartered Rotary Dinner',
    text: 'The evening the club marks another year of service, with dinner and a toast.',
    more: 'About the dinner',
    href: '/events#chartered-dinner',
    picture: portholes.dinner,
  },
]

export function Projects() {
  return (
    <section className="section wrap" aria-labelledby="projects">
      <SectionHead id="projects" title="What we do through the year" />
      <PortholeList
        items={projects.map(({ more, href, ...item }) => ({ ...item, more: <MoreLink to={href}>{more}</MoreLink> }))}
      />
    </section>
  )
}
