import { App, Button } from 'antd'
import { useState } from 'react'
import { saveTrace } from '../../api/save-file.ts'
import { EditInputs, isRepeatable, useRerun, useRerunWords } from '../../editor/runs/rerun.tsx'
import type { RunDetails } from '../../editor/runs/run-view.ts'
import { AddToTestSet } from '../../editor/tests/add-to-test-set.tsx'
import { useMay } from '../../session/use-session.ts'
import { ActionMenu } from '../../ui/action-menu.tsx'
import { Failure } from '../../ui/failure.tsx'
import { navigate, pathTo } from '../../ui/router.ts'
import { defineWords } from '../../ui/words.ts'

const useWords = defineWords(
  {
    compare: 'Compare with the earlier run',
    export: 'Export',
    json: 'Run with all steps (JSON)',
    otlp: 'Trace for OpenTelemetry (OTLP)',
    failed: 'Export failed',
  },
  {
    compare: '与之前的运行对比',
    export: '导出',
    json: '运行及全部步骤（JSON）',
    otlp: 'OpenTelemetry 追踪（OTLP）',
    failed: '导出失败',
  },
)

/** Repeats a run, compares it with the one it repeats, and exports it. */
export function RunActions({ details }: { details: RunDetails }) {
  const words = useWords()
  const may = useMay()
  const { message } = App.useApp()
  const [isEditing, setIsEditing] = useState(false)
  const again = useRerunWords()
  const rerun = useRerun(details.run_id, { onStarted: runId => navigate(pathTo('runs', runId)) })
  const save = (format: 'json' | 'otlp') =>
    saveTrace(details.run_id, format).catch(() => message.error(words.failed))
  return (
    <>
      {rerun.isError && !isEditing && <Failure error={rerun.error} />}
      {may.write && isRepeatable(details) && (
        <>
          <Button type="primary" loading={rerun.isPending} onClick={() => rerun.mutate(undefined)}>
            {again.again}
          </Button>
          <Button onClick={() => setIsEditing(true)}>{again.edit}</Button>
        </>
      )}
      {may.write && isRepeatable(details) && <AddToTestSet details={details} />}
      {details.rerun_of !== '' && (
        <Button href={`${pathTo('runs', 'compare')}?a=${details.rerun_of}&b=${details.run_id}`}>
          {words.compare}
        </Button>
      )}
      {may.read && (
        <ActionMenu
          menu={{
            items: [
              { key: 'json', label: words.json, onClick: () => void save('json') },
              { key: 'otlp', label: words.otlp, onClick: () => void save('otlp') },
            ],
          }}
        >
          <Button>{words.export}</Button>
        </ActionMenu>
      )}
      {isEditing && <EditInputs details={details} rerun={rerun} onClose={() => setIsEditing(false)} />}
    </>
  )
}
