import {
  AppstoreOutlined,
  ArrowLeftOutlined,
  CaretRightFilled,
  CheckCircleOutlined,
  CloseCircleOutlined,
  ExclamationCircleOutlined,
  ExperimentOutlined,
  ExportOutlined,
  EyeOutlined,
  HistoryOutlined,
  LoadingOutlined,
  PartitionOutlined,
  PauseCircleOutlined,
  QuestionOutlined,
  RedoOutlined,
  SettingOutlined,
  ShareAltOutlined,
  UndoOutlined,
} from '@ant-design/icons'
import { useQueryClient } from '@tanstack/react-query'
import { Button, Input, Tooltip } from 'antd'
import { createContext, type ReactNode, useContext, useRef, useState } from 'react'
import { call } from '../../api/call.ts'
import { WorkflowDeleted } from '../../editor/model/autosave-ports.ts'
import { PublishState } from '../../editor/publishing/publish-state.tsx'
import { RescueButtons } from '../../editor/saving/rescue-buttons.tsx'
import type { Autosave } from '../../editor/saving/use-autosave.ts'
import { tagOf } from '../../editor/saving/workflow-ports.ts'
import { type SaveStatus as Status, useEditorState, useWorkflowEditor } from '../../editor/workflow-editor.ts'
import { Presence } from '../../session/presence.tsx'
import { useFailureToast, useFailureWords } from '../../ui/failure.tsx'
import { pathTo } from '../../ui/router.ts'
import { useEditorWords } from './editor-words.ts'
import { exportWorkflow } from './export-workflow.ts'

interface Panes {
  hasPalette: boolean
  hasPanel: boolean
  setHasPalette(has: boolean): void
  setHasPanel(has: boolean): void
}

export type ShownDialog = 'history' | 'keys' | 'publish' | 'share'

/** A tooltip over a dialog would take the Escape key from it, so no tooltip opens while a dialog is open. */
const DialogOpenContext = createContext(false)

interface EditorHeaderProps {
  autosave: Autosave
  isDialogOpen: boolean
  panes: Panes
  onName(name: string): void
  /** Undoes or redoes, and shows what has changed. */
  onTravel(step: () => void): void
  onTidy(): void
  onShow(dialog: ShownDialog): void
  onRun(): void
}

export function EditorHeader(props: EditorHeaderProps) {
  const { autosave, isDialogOpen, panes, onName, onTravel, onTidy, onShow, onRun } = props
  const words = useEditorWords()
  const { workflowId, store, mayWrite } = useWorkflowEditor()
  const { canUndo, canRedo } = useEditorState()
  const showFailure = useFailureToast()
  const save = async (): Promise<void> => {
    if (mayWrite) await autosave.flush()
    await exportWorkflow(workflowId)
  }
  return (
    <header className="editor-head">
      <Tooltip title={words.back}>
        <Button type="text" icon={<ArrowLeftOutlined />} href={pathTo('workflows')} aria-label={words.back} />
      </Tooltip>
      <WorkflowName autosave={autosave} onName={onName} />
      <SaveStatus />
      <PublishState hasHint={!isDialogOpen} onOpen={() => onShow('publish')} />
      <Presence kind="workflow" id={workflowId} />
      <DialogOpenContext value={isDialogOpen}>
        <div className="editor-tools">
          {mayWrite && (
            <>
              <Tool
                title={words.undo}
                icon={<UndoOutlined />}
                disabled={!canUndo}
                onClick={() => onTravel(store.undo)}
              />
              <Tool
                title={words.redo}
                icon={<RedoOutlined />}
                disabled={!canRedo}
                onClick={() => onTravel(store.redo)}
              />
              <Tool title={words.tidy} icon={<PartitionOutlined />} onClick={onTidy} />
            </>
          )}
          <Tool title={words.history} icon={<HistoryOutlined />} onClick={() => onShow('history')} />
          <Tool
            title={words.tests}
            icon={<ExperimentOutlined />}
            href={pathTo('workflows', workflowId, 'tests')}
          />
          <Tool title={words.share} icon={<ShareAltOutlined />} onClick={() => onShow('share')} />
          <Tool title={words.export} icon={<ExportOutlined />} onClick={() => save().catch(showFailure)} />
          <Tool title={words.keys} icon={<QuestionOutlined />} onClick={() => onShow('keys')} />
          {mayWrite && (
            <Tool
              title={words.palette}
              icon={<AppstoreOutlined />}
              isOn={panes.hasPalette}
              onClick={() => panes.setHasPalette(!panes.hasPalette)}
            />
          )}
          <Tool
            title={words.panel}
            icon={<SettingOutlined />}
            isOn={panes.hasPanel}
            onClick={() => panes.setHasPanel(!panes.hasPanel)}
          />
          {mayWrite && <Button onClick={() => onShow('publish')}>{words.publish}</Button>}
          <Button type="primary" icon={<CaretRightFilled aria-hidden />} onClick={onRun}>
            {words.run}
          </Button>
        </div>
      </DialogOpenContext>
    </header>
  )
}

interface ToolProps {
  title: string
  icon: ReactNode
  disabled?: boolean
  /** State of a toggle button. */
  isOn?: boolean
  /** Target of a link to another page. */
  href?: string
  onClick?(): void
}

function Tool({ title, icon, disabled = false, isOn, href, onClick }: ToolProps) {
  const isDialogOpen = useContext(DialogOpenContext)
  return (
    <Tooltip title={isDialogOpen ? undefined : title}>
      <Button
        type="text"
        icon={icon}
        disabled={disabled}
        aria-label={title}
        {...(isOn !== undefined && { 'aria-pressed': isOn, className: isOn ? 'is-on' : '' })}
        {...(href !== undefined && { href })}
        {...(onClick && { onClick })}
      />
    </Tooltip>
  )
}

const icons: Readonly<Record<Status, ReactNode>> = {
  saved: <CheckCircleOutlined />,
  changed: <PauseCircleOutlined />,
  saving: <LoadingOutlined />,
  conflict: <ExclamationCircleOutlined />,
  failed: <CloseCircleOutlined />,
}

/** The save status in words. */
function SaveStatus() {
  const words = useEditorWords()
  const { saving, mayWrite, store, workflowId, name } = useWorkflowEditor()
  const failureWords = useFailureWords()
  const showFailure = useFailureToast()
  if (!mayWrite)
    return (
      <Tooltip title={words.readOnlyWhy}>
        <span className="save-status">
          <EyeOutlined /> {words.readOnly}
        </span>
      </Tooltip>
    )
  const { status, error } = saving
  const why = error === undefined || status === 'saved' ? undefined : failureWords(error).title
  return (
    <span className="save-status" data-status={status} role="status">
      <Tooltip title={why}>
        <span>
          {icons[status]} <span className="save-words">{words[status]}</span>
        </span>
      </Tooltip>
      {status === 'failed' && error instanceof WorkflowDeleted && (
        <RescueButtons
          name={name || workflowId}
          graph={store.state().graph}
          places={store.state().positions}
          size="small"
          onSaved={saving.abandon}
        />
      )}
      {status === 'failed' && !(error instanceof WorkflowDeleted) && (
        <Button size="small" onClick={() => saving.flush().catch(showFailure)}>
          {words.again}
        </Button>
      )}
    </span>
  )
}

/** Stores a new name with the server's graph, and returns the versions before and after. */
async function rename(id: string, name: string): Promise<{ before: number; after: number }> {
  const { workflow } = await call('GET /api/v1/workflow', { query: { id } })
  if (!workflow) throw new WorkflowDeleted()
  const { config, version } = workflow
  const headers = { 'if-match': tagOf(version) }
  const saved = await call('POST /api/v1/workflow/update', { body: { id, workflow: config, name }, headers })
  return { before: version, after: saved.version }
}

/** The name, edited in place. */
function WorkflowName({ autosave, onName }: { autosave: Autosave; onName(name: string): void }) {
  const words = useEditorWords()
  const { workflowId, name, mayWrite } = useWorkflowEditor()
  const [typed, setTyped] = useState<string>()
  const queries = useQueryClient()
  const showFailure = useFailureToast()
  // The version may increase while the name is being saved.
  const latest = useRef(autosave)
  latest.current = autosave

  const keep = async (): Promise<void> => {
    const next = typed?.trim()
    setTyped(undefined)
    if (!next || next === name) return
    onName(next)
    try {
      await autosave.flush()
      const versions = await rename(workflowId, next)
      // Changes of another user are found and merged by the next save.
      if (versions.before === latest.current.version) latest.current.settle(versions.after)
      await queries.invalidateQueries({ queryKey: ['workflows'] })
    } catch (error) {
      onName(name)
      showFailure(error)
    }
  }
  if (!mayWrite) return <h1 className="editor-name">{name || workflowId}</h1>
  return (
    <>
      <h1 className="visually-hidden">{name || workflowId}</h1>
      <Input
        className="editor-name"
        variant="borderless"
        maxLength={200}
        aria-label={words.name}
        title={words.name}
        placeholder={workflowId}
        value={typed ?? name}
        onChange={event => setTyped(event.target.value)}
        onBlur={keep}
        onKeyDown={event => {
          if (event.key === 'Escape') setTyped(undefined)
          if (event.key === 'Enter') event.currentTarget.blur()
        }}
      />
    </>
  )
}
