import { App } from 'antd'
import { type RefObject, useEffect, useEffectEvent, useState } from 'react'
import { connectionProblem } from '../model/connect.ts'
import { edgeKey } from '../model/graph.ts'
import { knownCases } from '../panels/case-edits.ts'
import { useWorkflowEditor } from '../workflow-editor.ts'
import type { Area } from './camera-gestures.ts'
import { useCanvasWords } from './canvas-words.ts'
import type { Commands } from './commands.ts'
import { type Canvas, type CanvasListener, createCanvas } from './create-canvas.ts'
import type { LooseEnd } from './node-picker.tsx'
import { wireId } from './render-scene.ts'

export interface CanvasActions {
  commands: Commands
  onOpenNode(id: string): void
  onClickNode(id: string): void
  onOpenEdge(): void
  onLooseEnd(end: LooseEnd): void
  onBand(area: Area | undefined): void
  /** An edge was drawn from a branching node: its branch is still to be chosen. */
  onChooseBranch(from: string, to: string): void
}

/** The canvas in its element, with gestures turned into edits of the store. */
export function useCanvas(
  element: RefObject<HTMLElement | null>,
  actions: CanvasActions,
): Canvas | undefined {
  const [canvas, setCanvas] = useState<Canvas>()
  const listener = useListener(actions)
  // Gestures read the latest props; the canvas itself is created once.
  const mayEdit = useEffectEvent(() => listener.mayEdit())
  const mayConnect = useEffectEvent((from: string, to: string) => listener.mayConnect(from, to))
  const notify = useEffectEvent(
    <Name extends EventName>(name: Name, parameters: Parameters<CanvasListener[Name]>): void =>
      (listener[name] as (...given: Parameters<CanvasListener[Name]>) => void)(...parameters),
  )
  const selectedNodes = useEffectEvent(() => listener.selectedNodes())
  useEffect(() => {
    if (!element.current) return
    const made = createCanvas(element.current, {
      mayEdit: () => mayEdit(),
      mayConnect: (from, to) => mayConnect(from, to),
      selectedNodes: () => selectedNodes(),
      onRefused: (...all) => notify('onRefused', all),
      onBand: (...all) => notify('onBand', all),
      onBlankClick: () => notify('onBlankClick', []),
      onPickNode: (...all) => notify('onPickNode', all),
      onClickNode: (...all) => notify('onClickNode', all),
      onPickEdge: (...all) => notify('onPickEdge', all),
      onOpenNode: (...all) => notify('onOpenNode', all),
      onOpenEdge: () => notify('onOpenEdge', []),
      onLooseEnd: (...all) => notify('onLooseEnd', all),
      onMove: (...all) => notify('onMove', all),
      onConnect: (...all) => notify('onConnect', all),
    })
    setCanvas(made)
    return () => made.dispose()
  }, [element])
  return canvas
}

type EventName = Exclude<keyof CanvasListener, 'mayEdit' | 'mayConnect' | 'selectedNodes'>

function useListener({ commands, onBand, onChooseBranch, ...actions }: CanvasActions): CanvasListener {
  const { message } = App.useApp()
  const words = useCanvasWords()
  const { store, mayWrite, checks } = useWorkflowEditor()
  const casesOf = (from: string): readonly string[] =>
    knownCases(
      store.state().graph.nodes.find(({ id }) => id === from),
      checks.outline,
    )
  const problem = (from: string, to: string) => {
    const [first, ...others] = [...casesOf(from), undefined].map(branch =>
      connectionProblem(store.state().graph, from, to, branch),
    )
    return others.includes(undefined) ? undefined : first
  }
  const keyOf = (edgeId: string): string | undefined =>
    store
      .state()
      .graph.edges.map(edgeKey)
      .find(key => wireId(key) === edgeId)
  const toggled = (set: ReadonlySet<string>, id: string): Set<string> => {
    const next = new Set(set)
    if (!next.delete(id)) next.add(id)
    return next
  }
  return {
    mayEdit: () => mayWrite,
    mayConnect: (from, to) => problem(from, to) === undefined,
    selectedNodes: () => store.state().selection.nodes,
    onRefused: (from, to) => {
      const found = problem(from, to)
      if (found) message.info(words[found])
    },
    onBand: (ids, area) => {
      onBand(area)
      store.select(ids)
    },
    onBlankClick: () => store.select([]),
    onPickNode: (id, isAdding) => {
      const { nodes, edges } = store.state().selection
      if (isAdding) store.select(toggled(nodes, id), edges)
      else store.select([id])
    },
    onPickEdge: (edgeId, isAdding) => {
      const key = keyOf(edgeId)
      const { nodes, edges } = store.state().selection
      if (key === undefined) return
      if (isAdding) store.select(nodes, toggled(edges, key))
      else store.select([], [key])
    },
    onOpenNode: actions.onOpenNode,
    onClickNode: actions.onClickNode,
    onOpenEdge: actions.onOpenEdge,
    onLooseEnd: actions.onLooseEnd,
    onMove: positions => commands.move(positions),
    onConnect: (from, to) => {
      if (casesOf(from).length > 0) onChooseBranch(from, to)
      else commands.connect(from, to)
    },
  }
}
