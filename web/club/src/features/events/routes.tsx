import type { RouteObject } from 'react-router'

export const eventRoutes: RouteObject[] = [{ path: 'events', lazy: () => import('./EventsPage') }]
