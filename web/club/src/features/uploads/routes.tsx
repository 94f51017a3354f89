import type { RouteObject } from 'react-router'

export const uploadRoutes: RouteObject[] = [
  { path: 'awards-uploads', lazy: () => import('./FilesPage') },
  { path: 'upload-music', lazy: () => import('./MusicPage') },
]
