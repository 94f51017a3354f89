import { useEffect, useState } from 'react'
import { useLocation, useNavigate } from 'react-router'
import { sqlOf } from '@/lib/open-in-sql'

/** The text that another page has passed to this page. It is then removed from the history entry, so that a reload does not open it again. */
export function useGiven(): string | undefined {
  const { state } = useLocation() as { state: unknown }
  const navigate = useNavigate()
  const [given] = useState(() => sqlOf(state))
  useEffect(() => {
    if (given !== undefined) void navigate('/sql', { replace: true, state: null })
  }, [given, navigate])
  return given
}
