import { type ReactNode, useEffect } from 'react'

/** Replaces a part whose code an updated server no longer has. */
export function NotShown({ onFailed }: { onFailed: () => void }): ReactNode {
  useEffect(onFailed, [onFailed])
  return null
}
