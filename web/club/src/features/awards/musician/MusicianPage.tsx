import { lazy } from 'react'
import { musicianPage } from '@/content/award-pages'
import { AwardPage } from '../page/AwardPage'

const loadForm = () => import('./MusicianForm')
const MusicianForm = lazy(loadForm)

export function Component() {
  return <AwardPage page={musicianPage} form={<MusicianForm />} prepare={loadForm} />
}
