import type { RouteObject } from 'react-router'
import { aboutRoutes } from '@/features/about/routes'
import { adminRoutes } from '@/features/admin/routes'
import { authRoutes } from '@/features/auth/routes'
import { awardRoutes } from '@/features/awards/routes'
import { enquiryRoutes } from '@/features/enquiries/routes'
import { eventRoutes } from '@/features/events/routes'
import { homeRoutes } from '@/features/home/routes'
import { judgingRoutes } from '@/features/judging/routes'
import { privacyRoutes } from '@/features/privacy/routes'
import { resultRoutes } from '@/features/results/routes'
import { uploadRoutes } from '@/features/uploads/routes'
import { youthRoutes } from '@/features/youth/routes'
import { SiteFrame } from './frame/SiteFrame'
import { ErrorPage } from './pages/ErrorPage'
import { Root } from './Root'

/** The public pages. They are also rendered at build time. */
export const visitorRoutes: RouteObject[] = [
  ...homeRoutes,
  ...aboutRoutes,
  ...eventRoutes,
  ...enquiryRoutes,
  ...youthRoutes,
  ...awardRoutes,
  ...resultRoutes,
  ...uploadRoutes,
  ...privacyRoutes,
]

/** The pages that need a sign-in. */
export const officeRoutes: RouteObject[] = [...authRoutes, ...adminRoutes, ...judgingRoutes]

export const notFoundRoute: RouteObject = { path: '*', lazy: () => import('./pages/NotFoundPage') }

/** Every page of the site. The code of each page is a file of its own, which is fetched when the page is first visited. */
export const routes: RouteObject[] = [
  {
    Component: Root,
    ErrorBoundary: ErrorPage,
    HydrateFallback: () => null,
    children: [
      {
        Component: SiteFrame,
        children: [
          {
            ErrorBoundary: ErrorPage,
            children: [...visitorRoutes, notFoundRoute],
          },
        ],
      },
      { lazy: () => import('./DataProviders'), children: officeRoutes },
    ],
  },
]
