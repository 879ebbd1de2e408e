import { useEffect, useState } from 'react'
import { onSignedOut } from '../api/token.ts'

const kept = new Map<string, unknown>()
onSignedOut(() => kept.clear())

/** Whether input would be lost, for example when the tab is closed. */
export const hasUnsavedInput = (): boolean =>
  kept.size > 0 || !window.dispatchEvent(new Event('beforeunload', { cancelable: true }))

/** Unsaved input by key: it survives visiting another page, and closing the tab asks. */
export function useUnsavedInput<Value>(key: string): [Value | undefined, (value: Value | undefined) => void] {
  const [value, setValue] = useState(() => kept.get(key) as Value | undefined)
  const isKept = value !== undefined
  useEffect(() => {
    if (!isKept) return
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault()
    window.addEventListener('beforeunload', ask)
    return () => window.removeEventListener('beforeunload', ask)
  }, [isKept])
  const keep = (next: Value | undefined): void => {
    if (next === undefined) kept.delete(key)
    else kept.set(key, next)
    setValue(next)
  }
  return [value, keep]
}
