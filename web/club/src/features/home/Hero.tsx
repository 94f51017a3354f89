import { useId } from 'react'
import { Link } from 'react-router'
import { HarbourScene } from '@/components/art/HarbourScene'
import { Button } from '@cloch/ui/components/button'
import { tagline } from '@/content/navigation'
import './hero.css'

const picture =
  'The Firth of Clyde at Gourock: swimmers in the outdoor pool, the Cloch lighthouse and its cottages, a ferry crossing, and the hills of Argyll under a shower of rain.'

/** Header of the home page: a text in the sky above the water. The scene has two crops: a wide one, and a tall one for phones. */
export function Hero() {
  const scene = useId()
  return (
    <section className="hero">
      <svg className="absolute size-0" aria-hidden>
        <defs>
          <g id={scene}>
            <HarbourScene />
          </g>
        </defs>
      </svg>
      <svg className="hero-broad" viewBox="0 0 1440 720" preserveAspectRatio="xMaxYMax slice" role="img" aria-label={picture}>
        <use href={`#${scene}`} />
      </svg>
      <div className="hero-words wrap">
        <p className="mb-3.5 text-base font-strong">{tagline}</p>
        <h1 className="max-w-[8em] text-hero min-[78rem]:max-w-[11em]">At Gourock’s service since 1925</h1>
        <p className="hero-lede mt-5 text-lede">
          We are neighbours who meet on Thursdays, raise money for good causes, and back the young people of the Clyde coast.
        </p>
        <div className="hero-actions mt-7 flex flex-wrap gap-3">
          <Button asChild>
            <Link to="/youth-awards">Enter the Youth Awards</Link>
          </Button>
          <Button asChild variant="outline">
            <Link to="/contact">Come on a Thursday</Link>
          </Button>
        </div>
      </div>
      <svg className="hero-tall" viewBox="590 84 640 640" role="img" aria-label={picture}>
        <use href={`#${scene}`} />
      </svg>
    </section>
  )
}
