import { photographerPage } from '@/content/award-pages'
import { awardPage } from '../page/AwardPage'

export const Component = awardPage(photographerPage, () => import('./PhotographerForm'))
