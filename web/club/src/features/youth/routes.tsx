import type { RouteObject } from 'react-router'

export const youthRoutes: RouteObject[] = [
  { path: 'youth-awards', lazy: () => import('./AwardsHubPage') },
  { path: 'youth', lazy: () => import('./AwardsHubPage') },
]
