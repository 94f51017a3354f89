import { cn } from '@cloch/ui/lib/cn'
import { ArtistScene } from './ArtistScene'
import { CitizenScene } from './CitizenScene'
import { MusicianScene } from './MusicianScene'
import { PhotographerScene } from './PhotographerScene'

const scenes = {
  citizen: { Scene: CitizenScene, wide: '-760 -23 1160 523' },
  musician: { Scene: MusicianScene, wide: '-760 -23 1160 468' },
  photographer: { Scene: PhotographerScene, wide: '-760 0 1160 500' },
  artist: { Scene: ArtistScene, wide: '-760 -23 1160 523' },
}

/** viewBox of a strip. The lowest two fifths of its height show hills and sea (see award.css). */
const STRIP = '0 -96 400 533'

export type AwardName = keyof typeof scenes

interface AwardSceneProps {
  award: AwardName
  /**
   * `panel`: the scene itself, which joins its neighbours at the horizon; `wide`: with shore to the left, below text; `strip`: like `wide`, but
   * scaled by the height for any page width, so that the hills stay below the text.
   */
  view?: 'panel' | 'wide' | 'strip' | undefined
  /** A part of the scene: x, y, width, height. */
  crop?: string | undefined
  className?: string | undefined
}

/** The scene of one award. It is only decoration: the text beside it has the same content. */
export function AwardScene({ award, view = 'panel', crop, className }: AwardSceneProps) {
  const { Scene, wide } = scenes[award]
  const views = {
    panel: { viewBox: '0 0 400 500', preserveAspectRatio: 'xMidYMid slice' },
    wide: { viewBox: wide, preserveAspectRatio: 'xMaxYMax slice' },
    strip: { viewBox: STRIP, preserveAspectRatio: 'xMaxYMax meet', overflow: 'visible' },
  }
  const { viewBox, ...shape } = views[view]
  return (
    <svg aria-hidden viewBox={crop ?? viewBox} {...shape} className={cn('scene', `s-${award}`, className)}>
      <Scene />
    </svg>
  )
}
