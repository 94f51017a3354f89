import { artistPage } from '@/content/award-pages'
import { awardPage } from '../page/AwardPage'

export const { Component, handle } = awardPage(artistPage, () => import('./ArtistForm'))
