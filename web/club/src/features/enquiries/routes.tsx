import type { RouteObject } from 'react-router'

export const enquiryRoutes: RouteObject[] = [
  { path: 'contact', lazy: () => import('./ContactPage') },
  { path: 'get-involved', lazy: () => import('./GetInvolvedPage') },
  { path: 'corporate-membership', lazy: () => import('./CorporatePage') },
]
