import { artistPage } from '@/content/award-pages'
import { awardPage } from '../page/AwardPage'

export const Component = awardPage(artistPage, () => import('./ArtistForm'))
