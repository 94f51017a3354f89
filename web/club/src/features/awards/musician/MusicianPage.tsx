import { musicianPage } from '@/content/award-pages'
import { awardPage } from '../page/AwardPage'

export const { Component, handle } = awardPage(musicianPage, () => import('./MusicianForm'))
