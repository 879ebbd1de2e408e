import { Button } from 'antd'
import { useState } from 'react'
import { useFailureToast } from '../../ui/failure.tsx'
import { defineWords } from '../../ui/words.ts'
import type { WatchedRun } from './use-run.ts'

const useWords = defineWords({ stop: 'Stop' }, { stop: '停止' })

/** Stops a running or waiting run. Messages so far are kept. */
export function StopButton({ run }: { run: WatchedRun }) {
  const words = useWords()
  const showFailure = useFailureToast()
  const [isStopping, setIsStopping] = useState(false)
  const stop = async (): Promise<void> => {
    setIsStopping(true)
    await run.watch.stop().catch(showFailure)
    setIsStopping(false)
  }
  return (
    <Button
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
