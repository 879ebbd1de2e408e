import { Button } from 'antd'
import { useLayoutEffect, useRef, useState } from 'react'
import { useFailureToast } from '../../ui/failure.tsx'
import { defineWords } from '../../ui/words.ts'
import type { WatchedRun } from './use-run.ts'

const useWords = defineWords({ stop: 'Stop' }, { stop: '停止' })

/** Stops a running or waiting run. Messages so far are kept. */
export function StopButton({ run }: { run: WatchedRun }) {
  const words = useWords()
  const showFailure = useFailureToast()
  const [isStopping, setIsStopping] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  useLayoutEffect(() => {
    const own = button.current
    return () => {
      if (own && own === document.activeElement) focusNear(own)
    }
  }, [])
  const stop = async (): Promise<void> => {
    setIsStopping(true)
    await run.watch.stop().catch(showFailure)
    setIsStopping(false)
  }
  return (
    <Button
      ref={button}
      danger
      icon={<span className="stop-sign" aria-hidden />}
      onClick={stop}
      loading={isStopping}
      disabled={!run.view || run.view.runId === ''}
    >
      {words.stop}
    </Button>
  )
}

/**
 * Focuses what is used next when a focused button is removed: the field of the form around it, or else the part of the
 * page. Not the button that takes its place, because another Enter must not start the run again.
 */
function focusNear(removed: HTMLElement): void {
  const around = removed.closest<HTMLElement>('form, section, main')
  requestAnimationFrame(() => {
    if (!around || document.activeElement !== document.body) return
    const field = around.querySelector<HTMLElement>('textarea:enabled')
    if (!field) around.tabIndex = -1
    const next = field ?? around
    next.focus({ preventScroll: true })
  })
}
