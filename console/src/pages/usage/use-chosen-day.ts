import { type KeyboardEvent, type PointerEvent, useState } from 'react'

/** Where the arrow keys lead from a day. */
function dayAfter(key: string, at: number, last: number): number | undefined {
  if (key === 'ArrowLeft' || key === 'ArrowDown') return Math.max(0, at - 1)
  if (key === 'ArrowRight' || key === 'ArrowUp') return Math.min(last, at + 1)
  if (key === 'Home') return 0
  return key === 'End' ? last : undefined
}

/** The day under the pointer, or chosen with the keys; without one, the last day is what is read out. */
export function useChosenDay(count: number, { left, slot }: { left: number; slot: number }) {
  const [chosen, setChosen] = useState<number>()
  const last = count - 1
  const shown = chosen === undefined ? undefined : Math.min(chosen, last)
  const read = shown ?? last
  return {
    shown,
    read,
    handlers: {
      onPointerMove: (event: PointerEvent<HTMLElement>): void => {
        const x = event.clientX - event.currentTarget.getBoundingClientRect().left - left
        setChosen(Math.max(0, Math.min(last, Math.floor(x / slot))))
      },
      onPointerLeave: (): void => setChosen(undefined),
      onFocus: (): void => setChosen(read),
      onBlur: (): void => setChosen(undefined),
      onKeyDown: (event: KeyboardEvent): void => {
        const next = dayAfter(event.key, read, last)
        if (next === undefined) return
        event.preventDefault()
        setChosen(next)
      },
    },
  }
}
