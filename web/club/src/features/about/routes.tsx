import type { RouteObject } from 'react-router'

export const aboutRoutes: RouteObject[] = [
  { path: 'about', lazy: () => import('./AboutPage') },
  { path: 'club-history', lazy: () => import('./HistoryPage') },
]
