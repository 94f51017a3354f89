import { photographerPage } from '@/content/award-pages'
import { awardPage } from '../page/AwardPage'

export const { Component, handle } = awardPage(photographerPage, () => import('./PhotographerForm'))
