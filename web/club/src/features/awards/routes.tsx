import type { RouteObject } from 'react-router'

export const awardRoutes: RouteObject[] = [
  { path: 'young-citizen', lazy: () => import('./citizen/CitizenPage') },
  { path: 'young-musician', lazy: () => import('./musician/MusicianPage') },
  { path: 'young-photographer', lazy: () => import('./photographer/PhotographerPage') },
  { path: 'young-artist', lazy: () => import('./artist/ArtistPage') },
  { path: 'my-entry', lazy: () => import('./return/MyEntryPage') },
]
