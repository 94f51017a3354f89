import type { RouteObject } from 'react-router'

export const adminRoutes: RouteObject[] = [{ path: 'admin', lazy: () => import('./shell/AdminPage') }]
