import type { RouteObject } from 'react-router'

export const resultRoutes: RouteObject[] = [{ path: 'results', lazy: () => import('./ResultsPage') }]
