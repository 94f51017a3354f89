import type { ReactNode } from 'react'

/** Whether a node renders something. A condition that is not met leaves `false` or `undefined` in place of the element. */
export const hasContent = (node: ReactNode) => node !== undefined && node !== null && node !== false && node !== ''
