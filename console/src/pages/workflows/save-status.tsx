import {
  CheckCircleOutlined,
  CloseCircleOutlined,
  ExclamationCircleOutlined,
  EyeOutlined,
  LoadingOutlined,
  PauseCircleOutlined,
} from '@ant-design/icons'
import { Button, Tooltip } from 'antd'
import type { ReactNode } from 'react'
import { WorkflowDeleted } from '../../editor/model/autosave-ports.ts'
import { RescueButtons } from '../../editor/saving/rescue-buttons.tsx'
import { type SaveStatus as Status, useWorkflowEditor } from '../../editor/workflow-editor.ts'
import { useFailureWords } from '../../ui/failure-words.ts'
import { useTellFailure } from '../../ui/use-tell-failure.ts'
import { useEditorWords } from './editor-words.ts'

const icons: Readonly<Record<Status, ReactNode>> = {
  saved: <CheckCircleOutlined />,
  changed: <PauseCircleOutlined />,
  saving: <LoadingOutlined />,
  conflict: <ExclamationCircleOutlined />,
  failed: <CloseCircleOutlined />,
}

/** Whether the server has everything, in words. */
export function SaveStatus() {
  const words = useEditorWords()
  const { saving, mayWrite, store, workflowId, name } = useWorkflowEditor()
  const failureWords = useFailureWords()
  const tellFailure = useTellFailure()
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
        <Button size="small" onClick={() => saving.flush().catch(tellFailure)}>
          {words.again}
        </Button>
      )}
    </span>
  )
}
