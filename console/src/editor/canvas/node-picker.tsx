import { Select } from 'antd'
import { useRef } from 'react'
import { useLanguage } from '../../ui/preferences.ts'
import type { Point } from '../model/graph.ts'
import { type KindRecord, useEditorState, useWorkflowEditor } from '../workflow-editor.ts'
import type { Camera } from './camera.ts'
import { useCanvasWords } from './canvas-words.ts'
import { cardSize } from './card-size.ts'
import type { Commands } from './commands.ts'
import { KindIcon } from './kind-icon.tsx'
import { isUsedIn, matches } from './palette.tsx'

/** Where a new edge was dropped on empty canvas, or the place after a port. */
export interface LooseEnd {
  from: string
  branch: string | undefined
  at: Point
}

/** Where a node is to be added: after a port, in the middle of an edge, in place of a node, or alone. */
export type NewNodeSpot =
  | LooseEnd
  | { edge: string; at: Point }
  | { replace: string; at: Point }
  | { at: Point }

interface AddHereProps {
  spot: NewNodeSpot
  camera: Camera
  commands: Commands
  onClose(added: string | undefined): void
}

/** The width of the picker in canvas.css. */
const pickerWidth = 200
const margin = 12

/** Keeps a position of the pointer inside the visible canvas. */
const within = (place: number, most: number): number => Math.max(margin, Math.min(place, most))

/** The node picker: the chosen node is placed at the spot and connected. */
export function NodePicker({ spot, camera, commands, onClose }: AddHereProps) {
  const { at } = spot
  const isClosed = useRef(false)
  const close = (added: string | undefined): void => {
    // Moving the focus to the new node blurs the list.
    if (isClosed.current) return
    isClosed.current = true
    onClose(added)
  }
  const words = useCanvasWords()
  const language = useLanguage()
  const { kinds } = useWorkflowEditor()
  const { graph } = useEditorState()
  const isBetween = 'edge' in spot
  const isAlone = !isBetween && !('replace' in spot) && !('from' in spot)
  const offered = kinds.kinds.filter(
    kind =>
      (isAlone || kind.kind !== 'input') &&
      !((isBetween || 'replace' in spot) && kind.kind === 'end') &&
      !kind.hidden &&
      !isUsedIn(graph, kind),
  )
  const { x, y, width, height, scale } = camera.view()
  const add = (kind: KindRecord | undefined): void => {
    if (isBetween) close(kind && commands.insert(kind, spot.edge))
    if (isBetween) return
    if (!kind) {
      close(undefined)
      return
    }
    const place = { x: at.x, y: at.y - cardSize.height / 2 }
    if ('replace' in spot) {
      commands.replaceKind(
        spot.replace,
        kind,
        kinds.common.map(({ name }) => name),
      )
      close(spot.replace)
      return
    }
    const from = 'from' in spot ? { from: { id: spot.from, branch: spot.branch } } : {}
    close(commands.add(kind, { ...from, at: place, middle: place }))
  }
  return (
    <div
      className="canvas-add"
      style={{
        left: within((at.x - x) * scale, width * scale - pickerWidth - margin),
        top: within((at.y - y) * scale, height * scale - margin * 3),
      }}
    >
      <Select
        autoFocus
        defaultOpen
        showSearch={{
          filterOption: (sought, option) =>
            offered.some(kind => kind.kind === option?.value && matches(kind, sought.trim().toLowerCase())),
        }}
        aria-label={'replace' in spot ? words.replace : words.addHere}
        placeholder={'replace' in spot ? words.replace : words.addHere}
        popupMatchSelectWidth={240}
        listHeight={280}
        options={offered.map(kind => ({
          value: kind.kind,
          label: (
            <span className="canvas-add-kind">
              <KindIcon kind={kind.kind} group={kind.group} />
              {kind.title[language]}
            </span>
          ),
        }))}
        onSelect={(chosen: string) => add(offered.find(kind => kind.kind === chosen))}
        onBlur={() => close(undefined)}
        onKeyDown={event => event.key === 'Escape' && close(undefined)}
      />
    </div>
  )
}
