import type { RouteObject } from 'react-router'

export const privacyRoutes: RouteObject[] = [{ path: 'privacy', lazy: () => import('./PrivacyPage') }]
