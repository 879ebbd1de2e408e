import { App } from 'antd'
import { type RefObject, useEffect, useEffectEvent, useState } from 'react'
import { connectionProblem } from '../model/connect.ts'
import { edgeKey, type GraphEdge, type Point, withEnds } from '../model/graph.ts'
import { useWorkflowEditor } from '../workflow-editor.ts'
import type { Area } from './camera-gestures.ts'
import { useCanvasWords } from './canvas-words.ts'
import type { Commands } from './commands.ts'
import { type Canvas, type CanvasListener, createCanvas } from './create-canvas.ts'
import type { LooseEnd } from './node-picker.tsx'
import { nearestPort, shapeOf } from './ports.ts'
import { wireId } from './render-scene.ts'
import type { WireEnd } from './wire-handles.ts'

interface CanvasActions {
  commands: Commands
  onOpenNode(id: string): void
  onClickNode(id: string): void
  onOpenEdge(): void
  onLooseEnd(end: LooseEnd): void
  onBand(area: Area | undefined): void
  onInsert(key: string, at: Point): void
  onEditShape(id: string): void
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
  const mayConnect = useEffectEvent((...all: Parameters<CanvasListener['mayConnect']>) =>
    listener.mayConnect(...all),
  )
  const mayReconnect = useEffectEvent((...all: Parameters<CanvasListener['mayReconnect']>) =>
    listener.mayReconnect(...all),
  )
  const notify = useEffectEvent(
    <Name extends EventName>(name: Name, parameters: Parameters<CanvasListener[Name]>): void =>
      (listener[name] as (...given: Parameters<CanvasListener[Name]>) => void)(...parameters),
  )
  const selection = useEffectEvent(() => listener.selection())
  const moved = useEffectEvent(() => listener.moved())
  useEffect(() => {
    if (!element.current) return
    const made = createCanvas(element.current, {
      mayEdit: () => mayEdit(),
      mayConnect: (...all) => mayConnect(...all),
      mayReconnect: (...all) => mayReconnect(...all),
      selection: () => selection(),
      moved: () => moved(),
      onPickShape: (...all) => notify('onPickShape', all),
      onEditShape: (...all) => notify('onEditShape', all),
      onResizeNote: (...all) => notify('onResizeNote', all),
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
      onAddAfter: (...all) => notify('onAddAfter', all),
      onReconnect: (...all) => notify('onReconnect', all),
      onInsert: (...all) => notify('onInsert', all),
    })
    setCanvas(made)
    return () => made.dispose()
  }, [element])
  return canvas
}

type EventName = Exclude<
  keyof CanvasListener,
  'mayEdit' | 'mayConnect' | 'mayReconnect' | 'selection' | 'moved'
>

function useListener({ commands, onBand, ...actions }: CanvasActions): CanvasListener {
  const { message } = App.useApp()
  const words = useCanvasWords()
  const { store, mayWrite, checks } = useWorkflowEditor()
  const problem = (from: string, to: string, branch: string | undefined) =>
    connectionProblem(store.state().graph, from, to, branch)
  /** The edge that results when one end of an edge is dropped on a card. */
  const reconnected = (key: string, end: WireEnd, to: string, y: number): GraphEdge | undefined => {
    const { graph } = store.state()
    const edge = graph.edges.find(each => edgeKey(each) === key)
    if (!edge || end === 'target') return edge && withEnds(edge, { to })
    const node = graph.nodes.find(({ id }) => id === to)
    const port = node && nearestPort(shapeOf(node, checks.outline, ''), y)
    return withEnds(edge, { from: to, branch: port?.branch })
  }
  const reconnectProblem = (key: string, edge: GraphEdge) => {
    if (edgeKey(edge) === key) return undefined
    const { graph } = store.state()
    const edges = graph.edges.filter(each => edgeKey(each) !== key)
    const { source, target, data } = edge
    return connectionProblem({ ...graph, edges }, source.cell, target.cell, data?.case)
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
    mayConnect: (...ends) => problem(...ends) === undefined,
    mayReconnect: (key, ...drop) => {
      const edge = reconnected(key, ...drop)
      return edge !== undefined && reconnectProblem(key, edge) === undefined
    },
    onReconnect: (key, ...drop) => {
      const edge = reconnected(key, ...drop)
      const found = edge && reconnectProblem(key, edge)
      if (found) message.info(words[found])
      else if (edge) commands.reconnect(key, edge)
    },
    onInsert: actions.onInsert,
    selection: () => store.state().selection,
    moved: commands.shapes.moved,
    onRefused: (...ends) => {
      const found = problem(...ends)
      if (found) message.info(words[found])
    },
    onBand: (ids, shapeIds, area) => {
      onBand(area)
      store.select(ids, [], shapeIds)
    },
    onBlankClick: () => store.select([]),
    onPickNode: (id, isAdding) => {
      const { nodes, edges, shapes } = store.state().selection
      if (isAdding) store.select(toggled(nodes, id), edges, shapes)
      else store.select([id])
    },
    onPickShape: (id, isAdding) => {
      const { nodes, edges, shapes } = store.state().selection
      if (isAdding) store.select(nodes, edges, toggled(shapes, id))
      else store.select([], [], [id])
    },
    onEditShape: id => mayWrite && actions.onEditShape(id),
    onResizeNote: (id, size) => commands.shapes.changeNote(id, size),
    onPickEdge: (edgeId, isAdding) => {
      const key = keyOf(edgeId)
      const { nodes, edges, shapes } = store.state().selection
      if (key === undefined) return
      if (isAdding) store.select(nodes, toggled(edges, key), shapes)
      else store.select([], [key])
    },
    onOpenNode: actions.onOpenNode,
    onClickNode: actions.onClickNode,
    onOpenEdge: actions.onOpenEdge,
    onLooseEnd: actions.onLooseEnd,
    onMove: (positions, notes) => commands.move(positions, notes),
    onAddAfter: actions.onLooseEnd,
    onConnect: (from, to, branch) => commands.connect(from, to, branch),
  }
}
