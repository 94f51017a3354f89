import type { RouteObject } from 'react-router'

export const authRoutes: RouteObject[] = [
  { path: 'auth', lazy: () => import('./AuthPage') },
  { path: 'setup-admin', lazy: () => import('./SetupAdminPage') },
]
