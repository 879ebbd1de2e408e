import { App, Badge, type InputRef, Tabs } from 'antd'
import { type CSSProperties, type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { cardSize } from '../../editor/canvas/card-size.ts'
import { createCommands } from '../../editor/canvas/commands.ts'
import { areaOf, boxOfCard, type Canvas } from '../../editor/canvas/create-canvas.ts'
import { KeyboardHelp } from '../../editor/canvas/keyboard-help.tsx'
import { Palette } from '../../editor/canvas/palette.tsx'
import { keepPlaces, usePlacedNodes, useScene } from '../../editor/canvas/scene.ts'
import { WorkflowCanvas } from '../../editor/canvas/workflow-canvas.tsx'
import { HistoryDrawer } from '../../editor/history/history-drawer.tsx'
import { createEditorStore } from '../../editor/model/editor-store.ts'
import type { Graph, Positions } from '../../editor/model/graph.ts'
import { type Draft, drawingOf } from '../../editor/model/join-drafts.ts'
import type { Shapes } from '../../editor/model/shapes.ts'
import { CheckList } from '../../editor/panels/check-list.tsx'
import { KeptStyles } from '../../editor/panels/kept-styles.tsx'
import { focusSettings, NodePanel } from '../../editor/panels/node-panel.tsx'
import { useChecks } from '../../editor/panels/use-checks.ts'
import { PublishDialog } from '../../editor/publishing/publish-dialog.tsx'
import { focusQuestion } from '../../editor/runs/ask-form.tsx'
import { RunPanel } from '../../editor/runs/run-panel.tsx'
import { Drafts } from '../../editor/saving/draft.ts'
import { MergeDialog } from '../../editor/saving/merge-dialog.tsx'
import { type Autosave, useAutosave } from '../../editor/saving/use-autosave.ts'
import { ShareDrawer } from '../../editor/share/share-drawer.tsx'
import {
  type KindRecord,
  type KindsData,
  type NodeMark,
  type Publication,
  useWorkflowEditor,
  type WorkflowEditor,
  WorkflowEditorContext,
} from '../../editor/workflow-editor.ts'
import { useMay, useSession } from '../../session/use-session.ts'
import { useDocumentTitle } from '../../ui/page.tsx'
import { useLanguage } from '../../ui/preferences.ts'
import { preloadTextEditor } from '../../ui/text-editor/text-editor.tsx'
import { EditorHeader, type ShownDialog } from './editor-header.tsx'
import { useEditorWords } from './editor-words.ts'
import { PanelResizer } from './panel-resizer.tsx'
import { useEditorKeys } from './use-editor-keys.ts'
import { usePanes } from './use-panes.ts'
import './editor.css'

export interface OpenedWorkflow {
  id: string
  name: string
  version: number
  graph: Graph
  /** Positions of the placed nodes. */
  positions: Positions
  shapes: Shapes
  published: Publication
}

interface OpenEditorProps {
  opened: OpenedWorkflow
  kinds: KindsData
  showsRun: boolean
}

const noMarks: ReadonlyMap<string, NodeMark> = new Map()

/** Connects the parts of the editor. */
export function OpenEditor({ opened, kinds, showsRun }: OpenEditorProps) {
  const { id, version, graph, positions, shapes } = opened
  const mayWrite = useMay().write
  const [name, setName] = useState(opened.name)
  useDocumentTitle(name || id)
  const { drafts, draft } = useDraft(id, mayWrite)
  const [store] = useState(() =>
    createEditorStore(draft ? drawingOf(draft, positions, shapes) : { graph, positions, shapes }),
  )
  useEffect(() => keepPlaces(store), [store])
  useEffect(preloadTextEditor, [])
  const loaded = useMemo(
    // Unsaved edits of an earlier visit are merged into the current version, as if they had just been made.
    () => ({
      id,
      positions,
      shapes,
      drafts,
      ...(draft ? { version: draft.version, graph: draft.base, sent: draft.sent } : { version, graph }),
    }),
    [id, version, graph, positions, shapes, drafts, draft],
  )
  const autosave = useAutosave(store, loaded, mayWrite)
  const checks = useChecks(store)
  const [marks, setMarks] = useState(noMarks)
  const [canvas, setCanvas] = useState<Canvas>()
  const editor: WorkflowEditor = {
    workflowId: id,
    name,
    store,
    kinds,
    mayWrite,
    published: opened.published,
    checks,
    saving: autosave,
    marks,
    setMarks,
    showNode: nodeId => {
      store.select([nodeId])
      const card = canvas?.scene().cards.find(each => each.id === nodeId)
      if (card) canvas?.camera.reveal(boxOfCard(card))
    },
  }
  return (
    <WorkflowEditorContext value={editor}>
      <EditorParts
        autosave={autosave}
        canvas={canvas}
        onCanvas={setCanvas}
        onName={setName}
        firstTab={showsRun ? 'run' : 'settings'}
      />
    </WorkflowEditorContext>
  )
}

/** Unsaved edits of an earlier visit in this browser. */
function useDraft(id: string, mayWrite: boolean): { drafts: Drafts; draft: Draft | undefined } {
  const words = useEditorWords()
  const { message } = App.useApp()
  const session = useSession()
  const [drafts] = useState(() => new Drafts(session.data?.workspace_id ?? '', id))
  // Claimed immediately, because a fast save would otherwise leave the draft behind.
  const [draft] = useState(() => (mayWrite ? drafts.claim() : undefined))
  const isRestored = draft !== undefined
  useEffect(() => {
    if (isRestored) message.info(words.restored, 6)
  }, [isRestored, message, words])
  return { drafts, draft }
}

interface EditorPartsProps {
  autosave: Autosave
  canvas: Canvas | undefined
  onCanvas(canvas: Canvas | undefined): void
  onName(name: string): void
  firstTab: SideTab
}

function EditorParts({ autosave, canvas, onCanvas, onName, firstTab }: EditorPartsProps) {
  const { store, mayWrite, checks, kinds } = useWorkflowEditor()
  const language = useLanguage()
  const positions = usePlacedNodes()
  const scene = useScene(positions)
  /** A new node is rendered, and a canvas beside an opened panel is resized, a moment later. */
  const revealSelection = useCallback((): void => {
    requestAnimationFrame(() => {
      const { cards = [], shapes = [] } = canvas?.scene() ?? {}
      const area = areaOf({
        cards: cards.filter(({ isSelected }) => isSelected),
        shapes: shapes.filter(({ isSelected }) => isSelected),
      })
      if (area) canvas?.camera.reveal(area)
    })
  }, [canvas])
  const commands = useMemo(
    () => createCommands({ store, mayWrite, positions, checks, kinds, language, onPaste: revealSelection }),
    [store, mayWrite, positions, checks, kinds, language, revealSelection],
  )
  const [tab, setTab] = useState<SideTab>(firstTab)
  const body = useRef<HTMLDivElement>(null)
  const panes = usePanes(body, firstTab !== 'settings')
  const [onlyNode, setOnlyNode] = useState<string>()
  const [shown, setShown] = useState<ShownDialog>()
  const searchBox = useRef<InputRef>(null)

  const openTab = (next: SideTab): void => {
    setTab(next)
    panes.setHasPanel(true)
  }
  /** Also moves the focus there, because all other nodes are before the settings. */
  const openSettings = (): void => {
    openTab('settings')
    focusSettings()
  }
  const travel = (step: () => void): void => {
    step()
    revealSelection()
  }
  const add = (kind: KindRecord): void => {
    const view = canvas?.camera.view()
    const middle = view
      ? { x: view.x + (view.width - cardSize.width) / 2, y: view.y + (view.height - cardSize.height) / 2 }
      : { x: 0, y: 0 }
    commands.add(kind, { middle })
    // Otherwise the palette, which has the focus, stays open for further nodes.
    if (panes.hasRoomForBoth()) openTab('settings')
    revealSelection()
  }
  const searchKinds = (): void => {
    panes.setHasPalette(true)
    requestAnimationFrame(() => searchBox.current?.focus({ cursor: 'all' }))
  }
  useEditorKeys({
    onHelp: () => setShown('keys'),
    onTravel: travel,
    onLeaveSettings: () => canvas?.focus([...store.state().selection.nodes][0]),
  })
  return (
    <div className="editor">
      <EditorHeader
        autosave={autosave}
        isDialogOpen={shown !== undefined}
        onName={onName}
        onTravel={travel}
        onTidy={() => {
          commands.tidyUp()
          requestAnimationFrame(() => canvas?.camera.fit())
        }}
        onShow={setShown}
        onRun={() => {
          openTab('run')
          setOnlyNode(undefined)
          focusQuestion()
        }}
        panes={panes}
      />
      <div
        ref={body}
        className="editor-body"
        style={{ '--panel-width': `${panes.panelWidth}px` } as CSSProperties}
      >
        {panes.hasPalette && mayWrite && <Palette searchBox={searchBox} onAdd={add} />}
        <WorkflowCanvas
          scene={scene}
          commands={commands}
          onReady={onCanvas}
          onOpenNode={nodeId => {
            store.select([nodeId])
            openSettings()
          }}
          onOpenEdge={openSettings}
          onClickNode={() => {
            openTab('settings')
            revealSelection()
          }}
          onSearchKinds={searchKinds}
        />
        <SidePanel
          tab={tab}
          isOpen={panes.hasPanel}
          onTab={openTab}
          width={panes.panelWidth}
          onWidth={panes.setPanelWidth}
          runPanel={<RunPanel onlyNode={onlyNode} onOnlyNode={setOnlyNode} />}
        />
      </div>
      <HistoryDrawer open={shown === 'history'} onClose={() => setShown(undefined)} />
      <ShareDrawer open={shown === 'share'} onClose={() => setShown(undefined)} />
      <PublishDialog open={shown === 'publish'} onClose={() => setShown(undefined)} />
      <KeyboardHelp open={shown === 'keys'} onClose={() => setShown(undefined)} />
      <MergeDialog autosave={autosave} />
    </div>
  )
}

type SideTab = 'settings' | 'checks' | 'run'

interface SidePanelProps {
  tab: SideTab
  isOpen: boolean
  onTab(tab: SideTab): void
  width: number
  /** Undefined resets to the usual width. */
  onWidth(width: number | undefined): void
  runPanel: ReactNode
}

/** The side panel: node settings, checks and run. */
function SidePanel({ tab, isOpen, onTab, width, onWidth, runPanel }: SidePanelProps) {
  const words = useEditorWords()
  const { checks } = useWorkflowEditor()
  const { findings } = checks
  const hasErrors = findings.some(({ severity }) => severity !== 'warning')
  // Collapsed, only the tabs are left; nothing is unmounted, so that a watched run continues.
  return (
    <aside
      className={isOpen ? 'editor-side' : 'editor-side is-collapsed'}
      aria-label={words.panel}
      {...(isOpen && { style: { width }, 'data-canvas-panel': true })}
    >
      <KeptStyles />
      {isOpen && <PanelResizer width={width} onResize={onWidth} />}
      <Tabs
        {...(isOpen ? { activeKey: tab } : { activeKey: '' })}
        onTabClick={key => onTab(key as SideTab)}
        items={[
          { key: 'settings', label: words.settings, children: <NodePanel /> },
          {
            key: 'checks',
            label: (
              <span>
                {words.checks}
                {findings.length > 0 && (
                  <Badge
                    className={hasErrors ? 'check-count has-errors' : 'check-count'}
                    count={findings.length}
                    size="small"
                    title={words.problems(findings.length)}
                  />
                )}
              </span>
            ),
            children: <CheckList onShow={() => onTab('settings')} />,
          },
          { key: 'run', label: words.run, children: runPanel },
        ]}
      />
    </aside>
  )
}
