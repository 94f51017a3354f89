import type { ReactNode } from 'react'
import type { NamedText } from '@/content/club'
import type { PictureName } from '@/lib/site-content'
import { AwardScene } from './art/AwardScene'
import { DinnerPorthole } from './art/DinnerPorthole'
import { FerryPorthole } from './art/FerryPorthole'
import { LecternPorthole } from './art/LecternPorthole'
import { LighthousePorthole } from './art/LighthousePorthole'

/** The available round pictures. Each crop shows the main subject of its scene. */
export const portholes = {
  skiff: <AwardScene award="citizen" crop="40 196 214 214" />,
  dinghies: <AwardScene award="musician" crop="6 246 240 240" />,
  viewfinder: <AwardScene award="photographer" crop="86 150 214 214" />,
  canvas: <AwardScene award="artist" crop="86 150 214 214" />,
  dinner: <DinnerPorthole />,
  lectern: <LecternPorthole />,
  lighthouse: <LighthousePorthole />,
  ferry: <FerryPorthole />,
} satisfies Record<PictureName, ReactNode>

/** Adds a round picture to each named text. @param seen the names of the pictures, in the order of the texts */
export function withPortholes(texts: readonly NamedText[], seen: readonly (keyof typeof portholes)[]) {
  return texts.map(({ name, text }, index) => ({ name, text, picture: portholes[seen[index] ?? 'lighthouse'] }))
}
