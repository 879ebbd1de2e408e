import {
  AppstoreOutlined,
  ArrowLeftOutlined,
  CaretRightFilled,
  ExportOutlined,
  HistoryOutlined,
  PartitionOutlined,
  QuestionOutlined,
  RedoOutlined,
  SettingOutlined,
  UndoOutlined,
} from '@ant-design/icons'
import { Button, Tooltip } from 'antd'
import type { ReactNode } from 'react'
import type { Autosave } from '../../editor/saving/use-autosave.ts'
import { useEditorState, useWorkflowEditor } from '../../editor/workflow-editor.ts'
import { pathTo } from '../../ui/router.ts'
import { useTellFailure } from '../../ui/use-tell-failure.ts'
import { useEditorWords } from './editor-words.ts'
import { exportWorkflow } from './export-workflow.ts'
import { SaveStatus } from './save-status.tsx'
import { WorkflowName } from './workflow-name.tsx'

export interface Panes {
  hasPalette: boolean
  hasPanel: boolean
  setHasPalette(has: boolean): void
  setHasPanel(has: boolean): void
}

interface EditorHeaderProps {
  autosave: Autosave
  panes: Panes
  onName(name: string): void
  onTidy(): void
  onShow(what: 'history' | 'keys'): void
  onRun(): void
}

export function EditorHeader({ autosave, panes, onName, onTidy, onShow, onRun }: EditorHeaderProps) {
  const words = useEditorWords()
  const { workflowId, store, mayWrite } = useWorkflowEditor()
  const { canUndo, canRedo } = useEditorState()
  const tellFailure = useTellFailure()
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
      <div className="editor-tools">
        {mayWrite && (
          <>
            <Tool title={words.undo} icon={<UndoOutlined />} disabled={!canUndo} onClick={store.undo} />
            <Tool title={words.redo} icon={<RedoOutlined />} disabled={!canRedo} onClick={store.redo} />
            <Tool title={words.tidy} icon={<PartitionOutlined />} onClick={onTidy} />
          </>
        )}
        <Tool title={words.history} icon={<HistoryOutlined />} onClick={() => onShow('history')} />
        <Tool title={words.export} icon={<ExportOutlined />} onClick={() => save().catch(tellFailure)} />
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
        <Button type="primary" icon={<CaretRightFilled />} onClick={onRun}>
          {words.run}
        </Button>
      </div>
    </header>
  )
}

interface ToolProps {
  title: string
  icon: ReactNode
  disabled?: boolean
  /** Of a button that shows or hides something. */
  isOn?: boolean
  onClick(): void
}

function Tool({ title, icon, disabled = false, isOn, onClick }: ToolProps) {
  return (
    <Tooltip title={title}>
      <Button
        type="text"
        icon={icon}
        disabled={disabled}
        aria-label={title}
        {...(isOn !== undefined && { 'aria-pressed': isOn, className: isOn ? 'is-on' : '' })}
        onClick={onClick}
      />
    </Tooltip>
  )
}
