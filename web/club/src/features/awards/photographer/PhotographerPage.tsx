import { lazy } from 'react'
import { photographerPage } from '@/content/award-pages'
import { AwardPage } from '../page/AwardPage'

const loadForm = () => import('./PhotographerForm')
const PhotographerForm = lazy(loadForm)

export function Component() {
  return <AwardPage page={photographerPage} form={<PhotographerForm />} prepare={loadForm} />
}
