import { createBrowserRouter, type RouteObject } from 'react-router'
import { Broken } from './Broken'
import { NotFound } from './NotFound'
import { Opening } from './Opening'
import { Shell } from './shell/Shell'

/** The pages. The code of a page is fetched when the page is opened. The module of a page exports `Component`. */
const inside: RouteObject[] = [
  { index: true, lazy: () => import('@/features/home/page') },
  { path: 'tables/:schema?/:table?', lazy: () => import('@/features/tables/page') },
  { path: 'diagram', lazy: () => import('@/features/diagram/page') },
  { path: 'database/:kind?', lazy: () => import('@/features/database/page') },
  { path: 'sql', lazy: () => import('@/features/sql/page') },
  // The path is not /_/api, because that is the path of the API itself.
  { path: 'api-docs', lazy: () => import('@/features/api/page') },
  { path: 'policies', lazy: () => import('@/features/policies/page') },
  { path: 'why', lazy: () => import('@/features/why/page') },
  { path: 'users', lazy: () => import('@/features/users/page') },
  { path: 'files', lazy: () => import('@/features/files/page') },
  { path: 'functions/:name?', lazy: () => import('@/features/functions/page') },
  { path: 'logs', lazy: () => import('@/features/logs/page') },
  { path: 'metrics', lazy: () => import('@/features/metrics/page') },
  { path: 'mail', lazy: () => import('@/features/mail/page') },
  { path: 'jobs', lazy: () => import('@/features/jobs/page') },
  { path: 'realtime', lazy: () => import('@/features/realtime/page') },
  { path: 'backups', lazy: () => import('@/features/backups/page') },
  { path: 'settings', lazy: () => import('@/features/settings/page') },
  { path: 'operators', lazy: () => import('@/features/operators/page') },
  { path: 'audit', lazy: () => import('@/features/operators/audit') },
  { path: 'account', lazy: () => import('@/features/operators/account') },
  { path: 'advisors', lazy: () => import('@/features/advisors/page') },
]

export const createRouter = () =>
  createBrowserRouter(
    [
      {
        path: 'welcome',
        lazy: () => import('@/features/sign-in/welcome'),
        HydrateFallback: Opening,
        errorElement: <Broken />,
      },
      {
        path: '/',
        element: <Shell />,
        errorElement: <Broken />,
        HydrateFallback: Opening,
        children: [{ errorElement: <Broken />, children: [...inside, { path: '*', element: <NotFound /> }] }],
      },
    ],
    { basename: '/_' },
  )
