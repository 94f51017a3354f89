import { musicianPage } from '@/content/award-pages'
import { awardPage } from '../page/AwardPage'

export const Component = awardPage(musicianPage, () => import('./MusicianForm'))
