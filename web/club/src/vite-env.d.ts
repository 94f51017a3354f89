/// <reference types="vite/client" />

/** The year in which the pages were drawn. */
declare const __BUILD_YEAR__: number
