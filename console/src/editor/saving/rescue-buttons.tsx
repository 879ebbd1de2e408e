import { useQueryClient } from '@tanstack/react-query'
import { Button } from 'antd'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { useFailureToast } from '../../ui/failure.tsx'
import { navigate, pathTo } from '../../ui/router.ts'
import { defineWords } from '../../ui/words.ts'
import type { Places } from '../model/autosave-ports.ts'
import type { Graph } from '../model/graph.ts'
import type { ShapeChanges } from '../model/shapes.ts'

const useWords = defineWords(
  { saveAsNew: 'Save as a new workflow', download: 'Download my version' },
  { saveAsNew: '另存为新工作流', download: '下载我的版本' },
)

interface RescueButtonsProps {
  name: string
  graph: Graph
  places: Places
  shapes?: ShapeChanges
  size?: 'small' | 'middle'
  /** Called when the graph is stored under a new id, which is opened next. */
  onSaved(): void
}

/** Ways to keep a graph whose workflow was deleted. */
export function RescueButtons({
  name,
  graph,
  places,
  shapes = {},
  size = 'middle',
  onSaved,
}: RescueButtonsProps) {
  const words = useWords()
  const showFailure = useFailureToast()
  const queries = useQueryClient()
  const [isBusy, setIsBusy] = useState(false)
  const saveAsNew = async (): Promise<void> => {
    setIsBusy(true)
    try {
      const { id } = await call('POST /api/v1/workflow/create', { body: { name, workflow: graph } })
      // Positions can be fixed by hand; the graph is stored.
      const body = { id, positions: { ...places }, shapes: { ...shapes } }
      await call('POST /api/v1/workflow/layout', { body }).catch(() => {})
      onSaved()
      await queries.invalidateQueries({ queryKey: ['workflows'] })
      navigate(pathTo('workflows', id))
    } catch (error) {
      showFailure(error)
    } finally {
      setIsBusy(false)
    }
  }
  return (
    <>
      <Button size={size} type="primary" loading={isBusy} onClick={saveAsNew}>
        {words.saveAsNew}
      </Button>
      <Button size={size} onClick={() => downloadGraph(graph, name)}>
        {words.download}
      </Button>
    </>
  )
}

/** Downloads a graph as a file. */
export function downloadGraph(graph: Graph, name: string): void {
  const address = URL.createObjectURL(
    new Blob([JSON.stringify(graph, null, 2)], { type: 'application/json' }),
  )
  const link = document.createElement('a')
  link.href = address
  link.download = `${name}.json`
  link.click()
  URL.revokeObjectURL(address)
}
