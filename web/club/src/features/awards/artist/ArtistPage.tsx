import { lazy } from 'react'
import { artistPage } from '@/content/award-pages'
import { AwardPage } from '../page/AwardPage'

const loadForm = () => import('./ArtistForm')
const ArtistForm = lazy(loadForm)

export function Component() {
  return <AwardPage page={artistPage} form={<ArtistForm />} prepare={loadForm} />
}
