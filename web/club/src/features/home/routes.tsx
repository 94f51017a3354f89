import type { RouteObject } from 'react-router'

export const homeRoutes: RouteObject[] = [{ index: true, lazy: () => import('./HomePage') }]
