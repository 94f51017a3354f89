import { Badge } from '@cloch/ui/components/badge'
import type { EdgeFunction } from '@/lib/functions'

/** Badge that shows whether the function serves calls. */
export const stateBadge = ({ boots }: EdgeFunction) =>
  boots === false ? <Badge tone="destructive">failed to start</Badge> : <Badge tone="success">ready</Badge>

export const accessBadge = ({ verify_jwt }: EdgeFunction) =>
  verify_jwt ? <Badge>sign-in or key</Badge> : <Badge tone="heather">public</Badge>
