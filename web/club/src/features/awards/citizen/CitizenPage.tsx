import { citizenPage } from '@/content/award-pages'
import { awardPage } from '../page/AwardPage'

export const { Component, handle } = awardPage(citizenPage, () => import('./CitizenForm'))
