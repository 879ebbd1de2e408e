import { useEffect, useState } from 'react'

/** The time, again and again while something goes on. */
export function useNow(isTicking: boolean, milliseconds = 200): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    if (!isTicking) return
    setNow(Date.now())
    const timer = setInterval(() => setNow(Date.now()), milliseconds)
    return () => clearInterval(timer)
  }, [isTicking, milliseconds])
  return now
}
