import { App } from 'antd'
import {
  type DragEvent,
  type KeyboardEvent,
  type MouseEvent,
  useEffect,
  useEffectEvent,
  useRef,
  useState,
} from 'react'
import { copyToClipboard } from '../../ui/copy-text.ts'
import { useFailureToast } from '../../ui/failure.tsx'
import { useWorkflowEditor } from '../workflow-editor.ts'
import type { Area } from './camera-gestures.ts'
import { newNodeSpot, pressKey } from './canvas-keys.ts'
import { useCanvasWords } from './canvas-words.ts'
import { cardSize } from './card-size.ts'
import type { Commands } from './commands.ts'
import { ContextMenu, type MenuActions, type MenuSpot } from './context-menu.tsx'
import type { Canvas } from './create-canvas.ts'
import { cardSelector } from './create-graph.ts'
import { FindNode } from './find-node.tsx'
import { InlineRename } from './inline-rename.tsx'
import { Minimap } from './minimap.tsx'
import { type NewNodeSpot, NodePicker } from './node-picker.tsx'
import { draggedKind } from './palette.tsx'
import type { Scene } from './scene.ts'
import { ConnectDialog, SelectionBar } from './selection-bar.tsx'
import { newNote } from './shape-commands.ts'
import { ShapeEditor } from './shape-editor.tsx'
import { spotForNote } from './spot-for-note.ts'
import { useCanvas } from './use-canvas.ts'
import { ZoomBar } from './zoom-bar.tsx'
import './canvas.css'
import './card.css'
import './kind-colours.css'
import './shapes.css'

interface WorkflowCanvasProps {
  scene: Scene
  commands: Commands
  onReady(canvas: Canvas | undefined): void
  onOpenNode(id: string): void
  onClickNode(id: string): void
  onOpenEdge(): void
  onSearchKinds(): void
}

/** The workflow canvas. */
export function WorkflowCanvas({ scene, commands, onReady, ...props }: WorkflowCanvasProps) {
  const words = useCanvasWords()
  const { store, mayWrite, kinds } = useWorkflowEditor()
  const { message } = App.useApp()
  const showFailure = useFailureToast()
  const element = useRef<HTMLDivElement>(null)
  const [band, setBand] = useState<Area>()
  const [connecting, setConnecting] = useState<string>()
  const [spot, setSpot] = useState<NewNodeSpot>()
  const [menu, setMenu] = useState<MenuSpot>()
  const [renamed, setRenamed] = useState<string>()
  const [isFinding, setIsFinding] = useState(false)
  const [editedShape, setEditedShape] = useState<string>()
  const canvas = useCanvas(element, {
    commands,
    onOpenNode: props.onOpenNode,
    onClickNode: props.onClickNode,
    onOpenEdge: props.onOpenEdge,
    onLooseEnd: setSpot,
    onInsert: (edge, at) => setSpot({ edge, at }),
    onBand: setBand,
    onEditShape: setEditedShape,
  })
  useShowScene(canvas, scene, element.current)
  useEffect(() => onReady(canvas), [canvas, onReady])
  useClipboard(element.current, canvas, commands)

  /** The menu of a card, of the selected edge, or of the ground. */
  const openMenuOf = (shown: Canvas, id: string | undefined): void => {
    const card = shown.scene().cards.find(each => each.id === id)
    const wire = shown.scene().wires.find(each => each.isSelected)
    const end = shown.scene().cards.find(each => each.id === wire?.to)
    const shape = (card ?? wire) ? undefined : shown.scene().shapes.find(each => each.isSelected)
    const { x, y, scale } = shown.camera.view()
    const at = card
      ? { x: card.x + 24, y: card.y + card.shape.height }
      : end
        ? { x: end.x, y: end.y }
        : shape
          ? { x: shape.x + 24, y: shape.y + 24 }
          : { x: x + 24, y: y + 24 }
    const on = card
      ? { node: card.id }
      : wire
        ? { edge: wire.key }
        : shape
          ? { shape: shape.id }
          : ('ground' as const)
    setMenu({ on, at, left: (at.x - x) * scale, top: (at.y - y) * scale })
  }
  const openMenu = (event: MouseEvent<HTMLElement>): void => {
    if (!canvas || !(event.target instanceof Element)) return
    event.preventDefault()
    const { selection } = store.state()
    const node = event.target.closest(cardSelector)?.getAttribute('data-cell-id')
    const shape = shapeAt(event.target)
    const edge = event.target.closest('.x6-edge, .wire-handles') ? canvas.edgeAt(event) : undefined
    if (node != null && !selection.nodes.has(node)) store.select([node])
    if (edge !== undefined) store.select([], [edge])
    if (shape !== undefined && !selection.shapes.has(shape)) store.select([], [], [shape])
    const box = event.currentTarget.getBoundingClientRect()
    const on =
      node != null
        ? { node }
        : edge !== undefined
          ? { edge }
          : shape !== undefined
            ? { shape }
            : ('ground' as const)
    const at = canvas.camera.toLocal(event)
    setMenu({ on, at, left: event.clientX - box.left, top: event.clientY - box.top })
  }
  const menuActions = (shown: Canvas, { on }: MenuSpot): MenuActions => ({
    open: () => {
      if (on !== 'ground' && 'node' in on) props.onOpenNode(on.node)
      else props.onOpenEdge()
    },
    rename: setRenamed,
    addAfter: () => {
      const card = shown.scene().cards.find(each => on !== 'ground' && 'node' in on && each.id === on.node)
      setSpot(newNodeSpot(shown.scene(), card))
    },
    addHere: at => setSpot({ at }),
    connect: setConnecting,
    replace: (replace, at) => setSpot({ replace, at }),
    copy: () => {
      const text = commands.copied()
      if (text !== undefined)
        void copyToClipboard(text).then(() => message.success(words.copied), showFailure)
    },
    removed: () => shown.focus(undefined),
    editShape: setEditedShape,
    linksOf: shown.linksOf,
    fit: () => shown.camera.fit(),
    find: () => setIsFinding(true),
  })
  const addNote = ({ camera }: Canvas): void => {
    const spot = spotForNote(scene, camera.view())
    camera.reveal({ ...spot, width: newNote.width, height: newNote.height })
    setEditedShape(commands.shapes.addNote(spot))
  }
  const press = (event: KeyboardEvent): void => {
    if (!canvas) return
    const isUnderstood = pressKey(event.nativeEvent, {
      canvas,
      commands,
      mayWrite,
      select: (ids, shapeIds) => store.select(ids, [], shapeIds),
      selectEdge: key => store.select([], [key]),
      onOpenNode: props.onOpenNode,
      onOpenEdge: props.onOpenEdge,
      onConnectFrom: setConnecting,
      onAdd: setSpot,
      onFind: () => setIsFinding(true),
      onRename: setRenamed,
      onMenu: id => openMenuOf(canvas, id),
      onSearchKinds: props.onSearchKinds,
      onAddNote: () => addNote(canvas),
      onGroup: () => setEditedShape(commands.shapes.group(words.newGroup)),
      onEditShape: setEditedShape,
    })
    if (isUnderstood) event.preventDefault()
  }
  const drop = (event: DragEvent): void => {
    const kind = kinds.kinds.find(each => each.kind === event.dataTransfer.getData(draggedKind))
    if (!canvas || !kind) return
    event.preventDefault()
    const { x, y } = canvas.camera.toLocal(event)
    const at = { x: x - cardSize.width / 2, y: y - cardSize.height / 2 }
    const edge = canvas.edgeAt(event)
    canvas.highlightEdge(undefined)
    const inserted = edge === undefined ? undefined : commands.insert(kind, edge, at)
    const added = inserted ?? commands.add(kind, { at, middle: at })
    canvas.focus(added)
    if (added !== undefined) props.onClickNode(added)
  }
  const dragOver = (event: DragEvent): void => {
    if (!event.dataTransfer.types.includes(draggedKind)) return
    event.preventDefault()
    canvas?.highlightEdge(canvas.edgeAt(event))
  }
  return (
    <div className="canvas">
      <div className="canvas-dots" />
      <div
        ref={element}
        className="canvas-ground"
        role="application"
        data-skip-target
        aria-label={words.canvas}
        aria-describedby="canvas-how-to"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a canvas is worked on with keys of its own
        tabIndex={0}
        onKeyDown={press}
        onDragOver={dragOver}
        onDragLeave={() => canvas?.highlightEdge(undefined)}
        onDrop={drop}
        onContextMenu={openMenu}
      />
      <p id="canvas-how-to" className="visually-hidden">
        {words.howTo}
      </p>
      {band && <Band area={band} ground={element.current} />}
      {scene.cards.length + scene.shapes.length === 0 && (
        <div className="canvas-empty">
          <h2>{words.emptyTitle}</h2>
          <p className="soft">{words.empty}</p>
        </div>
      )}
      {canvas && (
        <div className="canvas-corner">
          <Minimap canvas={canvas} scene={scene} />
          <ZoomBar camera={canvas.camera} onAddNote={mayWrite ? () => addNote(canvas) : undefined} />
        </div>
      )}
      <SelectionBar
        commands={commands}
        onConnect={setConnecting}
        onEditShape={setEditedShape}
        onRemoved={() => canvas?.focus(undefined)}
      />
      {canvas && isFinding && <FindNode canvas={canvas} onClose={() => setIsFinding(false)} />}
      {canvas && renamed !== undefined && (
        <InlineRename key={renamed} id={renamed} canvas={canvas} onClose={() => setRenamed(undefined)} />
      )}
      {canvas && editedShape !== undefined && (
        <ShapeEditor
          key={editedShape}
          id={editedShape}
          canvas={canvas}
          scene={scene}
          commands={commands}
          onClose={() => setEditedShape(undefined)}
        />
      )}
      {canvas && menu && (
        <ContextMenu
          spot={menu}
          commands={commands}
          actions={menuActions(canvas, menu)}
          onClose={() => {
            setMenu(undefined)
            if (menu.on !== 'ground' && 'shape' in menu.on) canvas.focusShape(menu.on.shape)
            else canvas.focus(menu.on !== 'ground' && 'node' in menu.on ? menu.on.node : undefined)
          }}
        />
      )}
      {canvas && spot && (
        <NodePicker
          spot={spot}
          camera={canvas.camera}
          commands={commands}
          onClose={added => {
            setSpot(undefined)
            canvas.focus(added ?? ('from' in spot ? spot.from : undefined))
            if (added !== undefined) props.onClickNode(added)
          }}
        />
      )}
      {connecting && (
        <ConnectDialog from={connecting} commands={commands} onClose={() => setConnecting(undefined)} />
      )}
    </div>
  )
}

const shapeAt = (target: Element): string | undefined =>
  target.closest('.x6-node')?.querySelector('[data-shape-id]')?.getAttribute('data-shape-id') ?? undefined

const mod = (value: number, by: number): number => ((value % by) + by) % by

/** Draws each new scene, and adapts the grid and the level of detail to the zoom. */
function useShowScene(canvas: Canvas | undefined, scene: Scene, element: HTMLElement | null): void {
  useEffect(() => canvas?.render(scene), [canvas, scene])
  useEffect(() => {
    const dots = element?.previousElementSibling
    if (!canvas || !element || !(dots instanceof HTMLElement)) return
    const follow = (): void => {
      const { x, y, scale } = canvas.camera.view()
      // The dots are farther apart at a low zoom, where they would otherwise merge into a grey area.
      const gap = 24 * scale * 2 ** Math.max(0, Math.ceil(Math.log2(16 / (24 * scale))))
      const size = `${gap}px ${gap}px`
      // The grid is only moved, because repainting the gradient is the slowest part of a frame.
      if (dots.style.backgroundSize !== size) dots.style.backgroundSize = size
      dots.style.transform = `translate(${-mod(x * scale, gap)}px, ${-mod(y * scale, gap)}px)`
      // Text that is too small to read is not drawn.
      element.classList.toggle('is-far', scale < 0.45)
      element.classList.toggle('is-very-far', scale < 0.25)
    }
    follow()
    return canvas.camera.subscribe(follow)
  }, [canvas, element])
}

function Band({ area, ground }: { area: Area; ground: HTMLElement | null }) {
  const box = ground?.getBoundingClientRect() ?? { left: 0, top: 0 }
  return (
    <div
      className="canvas-band"
      style={{
        left: area.left - box.left,
        top: area.top - box.top,
        width: area.right - area.left,
        height: area.bottom - area.top,
      }}
    />
  )
}

/** Copy, cut and paste through the system clipboard while the canvas has the focus. */
function useClipboard(element: HTMLElement | null, canvas: Canvas | undefined, commands: Commands): void {
  const isHere = (): boolean => element?.contains(document.activeElement) ?? false
  const onCopy = useEffectEvent((event: ClipboardEvent): void => {
    const text = isHere() ? commands.copied() : undefined
    if (text === undefined) return
    event.clipboardData?.setData('text/plain', text)
    event.preventDefault()
    if (event.type !== 'cut') return
    commands.remove()
    canvas?.focus(undefined)
  })
  const onPaste = useEffectEvent((event: ClipboardEvent): void => {
    const text = isHere() ? event.clipboardData?.getData('text/plain') : undefined
    if (text) commands.paste(text)
  })
  useEffect(() => {
    const copy = (event: ClipboardEvent): void => onCopy(event)
    const paste = (event: ClipboardEvent): void => onPaste(event)
    document.addEventListener('copy', copy)
    document.addEventListener('cut', copy)
    document.addEventListener('paste', paste)
    return () => {
      document.removeEventListener('copy', copy)
      document.removeEventListener('cut', copy)
      document.removeEventListener('paste', paste)
    }
  }, [])
}
