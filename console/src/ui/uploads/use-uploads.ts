import { useEffect, useRef, useSyncExternalStore } from 'react'
import { onSignedOut } from '../../api/token.ts'
import { isUnderWay, type UploadEntry, UploadQueue, type UploadSteps } from './upload-queue.ts'

const queues = new Map<string, UploadQueue>()

// Uploads of one user must not continue as another.
onSignedOut(() => {
  for (const queue of queues.values()) queue.cancel()
  queues.clear()
})

/** The browser asks before the tab is closed; inside the console uploads continue. */
const ask = (event: BeforeUnloadEvent): void => {
  if ([...queues.values()].some(queue => queue.entries().some(isUnderWay))) event.preventDefault()
}
window.addEventListener('beforeunload', ask)

/** The uploads to one target, from any page. */
export function uploadsTo(place: string, steps: UploadSteps): UploadQueue {
  const queue = queues.get(place) ?? new UploadQueue(steps)
  queues.set(place, queue)
  return queue
}

const minMilliseconds = 1000

/** The state of a queue. `onAdded` is called after additions, at most once a second. */
export function useUploads(queue: UploadQueue, onAdded: () => unknown): readonly UploadEntry[] {
  const entries = useSyncExternalStore(queue.subscribe, queue.entries)
  const added = entries.reduce((count, { state }) => count + (state === 'added' ? 1 : 0), 0)
  const looks = useRef({ last: 0, isDue: false })
  // biome-ignore lint/correctness/useExhaustiveDependencies: only what was added calls for another look
  useEffect(() => {
    const { last, isDue } = looks.current
    if (added === 0 || isDue) return
    looks.current.isDue = true
    // Also fires when the page is left: the list is then refetched on return.
    setTimeout(
      () => {
        looks.current = { last: Date.now(), isDue: false }
        onAdded()
      },
      Math.max(0, last + minMilliseconds - Date.now()),
    )
  }, [added])
  return entries
}
