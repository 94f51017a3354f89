import { AwardScene } from '@/components/art/AwardScene'
import { DinnerPorthole } from '@/components/art/DinnerPorthole'
import { LecternPorthole } from '@/components/art/LecternPorthole'
import { MoreLink } from '@/components/MoreLink'
import { Porthole } from '@/components/Porthole'
import { SectionHead } from '@/components/SectionHead'
import { season } from '@/content/awards'

const projects = [
  {
    name: 'Weekly Guest Speakers',
    text: 'Every Thursday at 7pm somebody interesting stands up and tells us what they know. Visitors are welcome.',
    more: 'Speaker schedule',
    href: '/events#speakers',
    picture: <LecternPorthole />,
  },
  {
    name: 'Young Artist',
    text: `Ages 5 to 17. This year’s theme is ${season.theme}.`,
    more: 'Young Artist award',
    href: '/young-artist',
    picture: <AwardScene award="artist" crop="86 150 214 214" />,
  },
  {
    name: 'Young Musician',
    text: 'Vocal and instrumental, ages 11 to 18. Up to three pieces of your own choosing.',
    more: 'Young Musician award',
    href: '/young-musician',
    picture: <AwardScene award="musician" crop="6 246 240 240" />,
  },
  {
    name: 'Chartered Rotary Dinner',
    text: 'The evening the club marks another year of service, with dinner and a toast.',
    more: 'About the dinner',
    href: '/events#chartered-dinner',
    picture: <DinnerPorthole />,
  },
]

export function Projects() {
  return (
    <section className="section wrap" aria-labelledby="projects">
      <SectionHead id="projects" title="What we do through the year" />
      <ul className="grid gap-x-14 gap-y-9 md:grid-cols-2 desk:gap-x-18 desk:gap-y-13">
        {projects.map(({ name, text, more, href, picture }) => (
          <li key={href} className="grid grid-cols-[auto_1fr] items-start gap-4 desk:gap-7">
            <Porthole>{picture}</Porthole>
            <div>
              <h3 className="text-h3">{name}</h3>
              <p className="my-1.5 text-muted-foreground">{text}</p>
              <MoreLink to={href}>{more}</MoreLink>
            </div>
          </li>
        ))}
      </ul>
    </section>
  )
}
