import { useEffect, useState } from 'react'

/** The current time, updated while something is running. */
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
