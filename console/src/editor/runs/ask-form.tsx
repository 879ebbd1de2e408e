import { CaretRightFilled, CloseOutlined, PaperClipOutlined } from '@ant-design/icons'
import { Button, Input, InputNumber, Progress } from 'antd'
import { type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { upload } from '../../api/upload.ts'
import { useFailureWords } from '../../ui/failure.tsx'
import { FileInput } from '../../ui/file-input.tsx'
import { useSendWhenReady } from '../../ui/use-send-when-ready.ts'
import { useVariableForm } from '../../ui/variables/use-variable-form.ts'
import { variablesIn } from '../../ui/variables/variable-entry.ts'
import { VariableFields } from '../../ui/variables/variable-fields.tsx'
import { defineWords } from '../../ui/words.ts'
import { useEditorState, useWorkflowEditor } from '../workflow-editor.ts'
import type { StartRequest } from './run-server.ts'
import { parseInputs } from './run-texts.ts'
import { StopButton } from './stop-button.tsx'
import { isBusy, type WatchedRun } from './use-run.ts'

const useWords = defineWords(
  {
    ask: 'Ask the workflow',
    question: 'Question',
    placeholder: 'Ask something',
    run: 'Run',
    keys: 'Enter to run, Shift+Enter for a new line',
    uploading: 'Starts when all files are uploaded',
    awaited: 'Starts when all files are uploaded. Press Esc to cancel.',
    incomplete: 'Complete the fields above first.',
  },
  {
    ask: '向工作流提问',
    question: '问题',
    placeholder: '输入问题',
    run: '运行',
    keys: 'Enter 运行，Shift+Enter 换行',
    uploading: '文件上传完成后开始运行',
    awaited: '文件上传完成后开始运行，按 Esc 取消。',
    incomplete: '请先完成上面的填写。',
  },
)

const questionId = 'run-question'

/** Moves the focus to the question, once the form is in the page. */
export const focusQuestion = (): void =>
  void requestAnimationFrame(() => document.getElementById(questionId)?.focus())

/** The input form of a run: question, files and other inputs. `more` is shown beside the buttons. */
export function AskForm({ run, more }: { run: WatchedRun; more?: ReactNode }) {
  const words = useWords()
  const { workflowId, checks, saving, mayWrite } = useWorkflowEditor()
  const [query, setQuery] = useState('')
  const [json, setJson] = useState('')
  const [version, setVersion] = useState<number | null>(null)
  const files = useAttachments()
  const form = useRunVariables()
  const inputs = parseInputs(json)
  // The selected old version is runnable; problems of the newest do not matter.
  const isRunnable = checks.runnable || checks.isPending || version !== null
  // An old version may have other variables.
  const isComplete = form.isComplete || version !== null
  const isAllowed = mayWrite && isRunnable && inputs !== undefined && isComplete && !isBusy(run)

  const start = (): void => {
    const { attachments, fileIds } = files
    const request = async (): Promise<StartRequest> => {
      const saved = await saving.flush()
      return {
        id: workflowId,
        inputs: { ...form.inputs, ...inputs, query, ...(fileIds.length > 0 && { files: fileIds }) },
        // The graph shown here is the one that runs, even if another user has saved a newer one.
        version: version ?? saved,
      }
    }
    // If the run does not start, the files stay for the next attempt.
    const forgetSent = (): void => {
      for (const { key } of attachments) files.remove(key)
    }
    void run.watch.start(request, forgetSent)
  }
  const state = !isAllowed ? 'blocked' : files.isUploading ? 'pending' : 'ready'
  // A file that failed to upload cancels the start: the user decides whether to run without it.
  const content = JSON.stringify([query, json, form.inputs, version, files.hasFailed])
  const sending = useSendWhenReady(state, content, start)
  return (
    <form
      className="run-ask"
      aria-label={words.ask}
      onSubmit={event => {
        event.preventDefault()
        // The button is replaced.
        if ((event.nativeEvent as SubmitEvent).submitter === document.activeElement) focusQuestion()
        sending.request()
      }}
    >
      <VariableFields form={form} />
      <Input.TextArea
        value={query}
        onChange={event => setQuery(event.target.value)}
        onKeyDown={event => {
          if (event.key === 'Escape') sending.cancel()
          if (event.key !== 'Enter' || event.shiftKey) return
          event.preventDefault()
          sending.request()
        }}
        id={questionId}
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
        <span className="soft small" role="status">
          {sending.isAwaited ? words.awaited : !isComplete && words.incomplete}
        </span>
        {isBusy(run) ? (
          <StopButton run={run} />
        ) : (
          <Button
            type="primary"
            htmlType="submit"
            icon={<CaretRightFilled aria-hidden />}
            disabled={!isAllowed}
            title={files.isUploading ? words.uploading : words.keys}
          >
            {words.run}
          </Button>
        )}
      </div>
    </form>
  )
}

/** The form for the input variables of the graph that is shown. */
function useRunVariables() {
  const { graph } = useEditorState()
  const variables = graph.nodes.flatMap(({ data }) => (data.type === 'input' ? variablesIn(data) : []))
  return useVariableForm(variables, (file, signal) => upload(file, { signal }))
}

const useAdvancedInputsWords = defineWords(
  {
    advanced: 'Advanced',
    inputs: 'Additional inputs (JSON)',
    about: 'A JSON object. Nodes read its fields from sys.inputs.',
    wrong: 'Not a valid JSON object. Example: {"city": "Berlin"}',
    version: 'Version',
    newest: 'newest',
  },
  {
    advanced: '高级',
    inputs: '更多输入（JSON）',
    about: '一个 JSON 对象；节点可从 sys.inputs 读取各字段。',
    wrong: '不是有效的 JSON 对象。例如：{"city": "北京"}',
    version: '版本',
    newest: '最新',
  },
)

interface AdvancedInputsProps {
  json: string
  onJson(json: string): void
  isWrong: boolean
  /** The version to run; null for the newest. */
  version: number | null
  onVersion(version: number | null): void
}

/** Rarely needed options: additional inputs, and an old version. */
function AdvancedInputs({ json, onJson, isWrong, version, onVersion }: AdvancedInputsProps) {
  const words = useAdvancedInputsWords()
  const { saving, mayWrite } = useWorkflowEditor()
  const id = useId()
  return (
    <details className="run-advanced">
      <summary>{words.advanced}</summary>
      <label htmlFor={`${id}-inputs`}>{words.inputs}</label>
      <Input.TextArea
        id={`${id}-inputs`}
        className="run-json"
        value={json}
        onChange={event => onJson(event.target.value)}
        autoSize={{ minRows: 2, maxRows: 10 }}
        spellCheck={false}
        disabled={!mayWrite}
        {...(isWrong && { status: 'error' })}
        aria-invalid={isWrong}
        aria-describedby={`${id}-about`}
      />
      <span id={`${id}-about`} className={isWrong ? 'small run-wrong' : 'small soft'}>
        {isWrong ? words.wrong : words.about}
      </span>
      <label htmlFor={`${id}-version`}>{words.version}</label>
      <InputNumber
        id={`${id}-version`}
        min={1}
        max={saving.version}
        precision={0}
        value={version}
        onChange={onVersion}
        placeholder={words.newest}
        disabled={!mayWrite}
      />
    </details>
  )
}

const useAttachFilesWords = defineWords(
  {
    attach: 'Attach files',
    choose: 'Files to attach',
    files: 'Attached files',
    remove: (name: string) => `Remove ${name}`,
    progress: (name: string) => `Upload of ${name}`,
  },
  {
    attach: '添加文件',
    choose: '要添加的文件',
    files: '已添加的文件',
    remove: (name: string) => `移除 ${name}`,
    progress: (name: string) => `${name} 的上传进度`,
  },
)

/** The button that attaches files. */
function AttachButton({ onFiles, disabled }: { onFiles(files: File[]): void; disabled: boolean }) {
  const words = useAttachFilesWords()
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <FileInput ref={input} label={words.choose} onFiles={onFiles} />
      <Button
        type="text"
        icon={<PaperClipOutlined aria-hidden />}
        aria-label={words.attach}
        title={words.attach}
        disabled={disabled}
        onClick={() => input.current?.click()}
      />
    </>
  )
}

/** The attached files with their upload progress. */
function AttachedFiles({ attachments, remove }: ReturnType<typeof useAttachments>) {
  const words = useAttachFilesWords()
  if (attachments.length === 0) return null
  return (
    <ul className="attached" aria-label={words.files}>
      {attachments.map(each => (
        <li key={each.key}>
          <AttachedFile attachment={each} />
          <Button
            type="text"
            size="small"
            icon={<CloseOutlined aria-hidden />}
            aria-label={words.remove(each.name)}
            title={words.remove(each.name)}
            onClick={() => remove(each.key)}
          />
        </li>
      ))}
    </ul>
  )
}

function AttachedFile({ attachment }: { attachment: Attachment }) {
  const words = useAttachFilesWords()
  const wordsOf = useFailureWords()
  const { name, progress, fileId, error } = attachment
  return (
    <div className="attached-file">
      <span>{name}</span>
      {error !== undefined && (
        <span className="attached-error small" role="alert">
          {wordsOf(error).title}
        </span>
      )}
      {error === undefined && fileId === undefined && (
        <Progress
          percent={Math.round(progress * 100)}
          size="small"
          showInfo={false}
          aria-label={words.progress(name)}
        />
      )}
    </div>
  )
}

interface Attachment {
  key: number
  name: string
  /** Upload progress, from 0 to 1. */
  progress: number
  /** Undefined until it is uploaded. */
  fileId: string | undefined
  error: unknown
}

let lastKey = 0

/** Files of the next question. They are uploaded as soon as they are chosen. */
function useAttachments() {
  const [attachments, setAttachments] = useState<readonly Attachment[]>([])
  const controllers = useRef(new Map<number, AbortController>())
  useEffect(() => {
    const { current } = controllers
    return () => {
      for (const controller of current.values()) controller.abort()
    }
  }, [])
  const change = (key: number, part: Partial<Attachment>): void =>
    setAttachments(all => all.map(each => (each.key === key ? { ...each, ...part } : each)))

  const add = async (file: File): Promise<void> => {
    lastKey += 1
    const key = lastKey
    const controller = new AbortController()
    controllers.current.set(key, controller)
    const fresh: Attachment = { key, name: file.name, progress: 0, fileId: undefined, error: undefined }
    setAttachments(all => [...all, fresh])
    try {
      const onProgress = (progress: number) => change(key, { progress })
      const uploaded = await upload(file, { onProgress, signal: controller.signal })
      change(key, { fileId: uploaded.file_id, progress: 1 })
    } catch (error) {
      if (!controller.signal.aborted) change(key, { error })
    }
  }
  const remove = (key: number): void => {
    controllers.current.get(key)?.abort()
    setAttachments(all => all.filter(each => each.key !== key))
  }
  return {
    attachments,
    add: (files: Iterable<File>) => void Promise.all([...files].map(add)),
    remove,
    fileIds: attachments.flatMap(({ fileId }) => fileId ?? []),
    hasFailed: attachments.some(({ error }) => error !== undefined),
    isUploading: attachments.some(({ fileId, error }) => fileId === undefined && error === undefined),
  }
}
