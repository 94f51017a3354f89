/// <reference types="vite/client" />

/** The year of the build, in which the pages were rendered. */
declare const __BUILD_YEAR__: number
