import type { RouteObject } from 'react-router'

export const judgingRoutes: RouteObject[] = [{ path: 'judging', lazy: () => import('./JudgingPage') }]
