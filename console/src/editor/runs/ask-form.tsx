import { CaretRightFilled } from '@ant-design/icons'
import { Button, Input } from 'antd'
import { type ReactNode, useState } from 'react'
import { defineWords } from '../../ui/words.ts'
import { useWorkflowEditor } from '../workflow-editor.ts'
import { AdvancedInputs } from './advanced-inputs.tsx'
import { AttachButton, AttachedFiles } from './attach-files.tsx'
import { parseInputs } from './parse-inputs.ts'
import type { StartRequest } from './run-server.ts'
import { isSettled } from './run-view.ts'
import { StopButton } from './stop-button.tsx'
import { useAttachments } from './use-attachments.ts'
import type { WatchedRun } from './use-run.ts'

const useWords = defineWords(
  {
    ask: 'Ask the workflow',
    question: 'Question',
    placeholder: 'Ask something',
    run: 'Run',
    keys: 'Ctrl or ⌘ + Enter',
    uploading: 'Wait until all files are uploaded',
  },
  {
    ask: '向工作流提问',
    question: '问题',
    placeholder: '输入问题',
    run: '运行',
    keys: 'Ctrl 或 ⌘ + Enter',
    uploading: '请等待文件上传完成',
  },
)

/** Asks the workflow something: words, files and whatever else it takes. `more` stands beside the buttons. */
export function AskForm({ run, more }: { run: WatchedRun; more?: ReactNode }) {
  const words = useWords()
  const { workflowId, checks, saving, mayWrite } = useWorkflowEditor()
  const [query, setQuery] = useState('')
  const [json, setJson] = useState('')
  const [version, setVersion] = useState<number | null>(null)
  const files = useAttachments()
  const inputs = parseInputs(json)
  // An old version ran before; what is wrong with the newest does not concern it.
  const isRunnable = checks.runnable || checks.isPending || version !== null
  const isBusy = run.view !== undefined && !isSettled(run.view.status) && run.connection !== 'lost'
  const isReady = mayWrite && isRunnable && inputs !== undefined && !files.isUploading && !isBusy

  const start = (): void => {
    if (!isReady) return
    const { attachments, fileIds } = files
    const request = async (): Promise<StartRequest> => {
      const saved = await saving.flush()
      return {
        id: workflowId,
        inputs: { ...inputs, query, ...(fileIds.length > 0 && { files: fileIds }) },
        // What is drawn here runs, also where somebody else has saved something newer.
        version: version ?? saved,
      }
    }
    // A run that never comes to be leaves them for the next try.
    const forgetSent = (): void => {
      for (const { key } of attachments) files.remove(key)
    }
    void run.watch.start(request, forgetSent)
  }
  return (
    <form
      className="run-ask"
      aria-label={words.ask}
      onSubmit={event => {
        event.preventDefault()
        start()
      }}
    >
      <Input.TextArea
        value={query}
        onChange={event => setQuery(event.target.value)}
        onKeyDown={event => {
          if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
          event.preventDefault()
          start()
        }}
        aria-label={words.question}
        placeholder={words.placeholder}
        autoSize={{ minRows: 2, maxRows: 8 }}
        disabled={!mayWrite}
      />
      <AttachedFiles {...files} />
      <AdvancedInputs
        json={json}
        onJson={setJson}
        isWrong={inputs === undefined}
        version={version}
        onVersion={setVersion}
      />
      <div className="run-buttons">
        <AttachButton onFiles={files.add} disabled={!mayWrite} />
        <span className="run-buttons-rest">{more}</span>
        {isBusy ? (
          <StopButton run={run} />
        ) : (
          <Button
            type="primary"
            htmlType="submit"
            icon={<CaretRightFilled aria-hidden />}
            disabled={!isReady}
            title={files.isUploading ? words.uploading : words.keys}
          >
            {words.run}
          </Button>
        )}
      </div>
    </form>
  )
}
