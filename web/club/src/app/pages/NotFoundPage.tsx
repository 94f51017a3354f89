import { useEffect } from 'react'
import { Link, useLocation } from 'react-router'
import { OpenWater } from '@/components/art/OpenWater'
import { usePage } from '@/lib/use-page'
import { Button } from '@cloch/ui/components/button'

export function Component() {
  const { pathname } = useLocation()
  usePage({ title: 'Page not found', description: 'This page does not exist.' })
  useEffect(() => console.error('404: no page at', pathname), [pathname])
  return (
    <OpenWater>
      <h1 className="text-[clamp(5rem,3rem+8vw,8.5rem)] leading-[0.95]">404</h1>
      <p className="mt-3 text-lede">Oops! Page not found</p>
      <Button asChild className="mt-6">
        <Link to="/">Return to Home</Link>
      </Button>
    </OpenWater>
  )
}
