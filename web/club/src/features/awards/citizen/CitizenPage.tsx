import { lazy } from 'react'
import { citizenPage } from '@/content/award-pages'
import { AwardPage } from '../page/AwardPage'

const loadForm = () => import('./CitizenForm')
const CitizenForm = lazy(loadForm)

export function Component() {
  return <AwardPage page={citizenPage} form={<CitizenForm />} prepare={loadForm} />
}
