import {
  ArrowUpOutlined,
  CloseOutlined,
  FileOutlined,
  PaperClipOutlined,
  ReloadOutlined,
} from '@ant-design/icons'
import { Button, Input, Progress } from 'antd'
import type { TextAreaRef } from 'antd/es/input/TextArea'
import { type KeyboardEvent, type RefObject, useRef } from 'react'
import { FileInput } from '../../../ui/file-input.tsx'
import { useSendWhenReady } from '../../../ui/use-send-when-ready.ts'
import { useUnsavedInput } from '../../../ui/use-unsaved-input.ts'
import { defineWords } from '../../../ui/words.ts'
import type { Outgoing } from './chat-state.ts'
import { dataTypeFor } from './message-form.ts'
import type { Attachment, useAttachments } from './use-attachments.ts'

const useWords = defineWords(
  {
    message: 'Message',
    placeholder: (name: string) => `Message ${name}`,
    hint: 'Enter to send, Shift+Enter for a new line',
    awaited: 'Sent when the files are uploaded and the answer is complete. Esc to cancel.',
    attach: 'Attach files',
    send: 'Send',
    stop: 'Stop',
    leftOut: (count: number) =>
      `A message can have up to ${maxFiles} files; ${count} could not be added. Send them with your next message.`,
    failed: 'Retry or remove the failed upload before you send.',
    tooLong: (over: number) =>
      `${over} ${over === 1 ? 'character' : 'characters'} too long. Shorten the message, or attach the text as a file.`,
  },
  {
    message: '消息',
    placeholder: (name: string) => `给 ${name} 发消息`,
    hint: 'Enter 发送，Shift+Enter 换行',
    awaited: '文件上传完成、回答结束后发送，按 Esc 取消',
    attach: '添加文件',
    send: '发送',
    stop: '停止',
    leftOut: (count: number) =>
      `一条消息最多附带 ${maxFiles} 个文件，有 ${count} 个未添加，请在下一条消息中发送。`,
    failed: '请先重新上传或移除失败的文件，再发送。',
    tooLong: (over: number) => `超出 ${over} 个字符，请缩短内容，或作为文件添加。`,
  },
)

/** The server's limits for one message. */
export const maxFiles = 20
const longestText = 100_000

interface ComposerProps {
  agentId: string
  agentName: string
  /** The last turn. Opening another conversation changes it; a new conversation getting its id does not. */
  lastTurnId: string | undefined
  /** The text field, for moving the focus there. */
  input: RefObject<TextAreaRef | null>
  files: ReturnType<typeof useAttachments>
  isAnswering: boolean
  /** False while the conversation is loading. */
  isReady: boolean
  onSend: (outgoing: Outgoing) => void
  onStop: () => void
}

/** The input for the next message. */
export function Composer(props: ComposerProps) {
  const { agentId, agentName, lastTurnId, input, files, isAnswering, isReady, onSend, onStop } = props
  const words = useWords()
  const [text = '', keepText] = useUnsavedInput<string>(`message ${agentId}`)
  const picker = useRef<HTMLInputElement>(null)
  const uploaded = files.attachments.flatMap(each => each.uploaded ?? [])
  const isUploading = uploaded.length < files.attachments.length
  const hasFailed = files.attachments.some(({ problem }) => problem !== undefined)
  const over = text.trim().length - longestText
  const hasSomething = text.trim() !== '' || files.attachments.length > 0
  const isAllowed = isReady && !hasFailed && over <= 0 && hasSomething
  const state = !isAllowed ? 'blocked' : isUploading || isAnswering ? 'pending' : 'ready'

  const send = (): void => {
    const type = dataTypeFor(uploaded.map(({ mimeType }) => mimeType))
    onSend({ type, content: text.trim(), fileIds: uploaded.map(({ fileId }) => fileId) })
    keepText(undefined)
    files.clear()
    input.current?.focus()
  }
  const sending = useSendWhenReady(state, JSON.stringify([lastTurnId, text]), send)
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') sending.cancel()
    if (event.key !== 'Enter' || event.shiftKey) return
    event.preventDefault()
    sending.request()
  }

  return (
    <form
      className="composer"
      onSubmit={event => {
        event.preventDefault()
        sending.request()
      }}
    >
      <AttachmentStrip attachments={files.attachments} onRemove={files.remove} onRetry={files.retry} />
      <ComposerProblems leftOut={files.leftOut} hasFailed={hasFailed} over={over} />
      <Input.TextArea
        ref={input}
        variant="borderless"
        autoSize={{ minRows: 1, maxRows: 8 }}
        aria-label={words.message}
        placeholder={words.placeholder(agentName)}
        value={text}
        onChange={event => keepText(event.target.value || undefined)}
        onKeyDown={onKeyDown}
        onPaste={event => {
          if (event.clipboardData.files.length === 0) return
          event.preventDefault()
          files.add(event.clipboardData.files)
        }}
      />
      <div className="composer-bar">
        <FileInput
          ref={picker}
          onFiles={chosen => {
            files.add(chosen)
            input.current?.focus()
          }}
        />
        <Button
          type="text"
          icon={<PaperClipOutlined />}
          aria-label={words.attach}
          title={words.attach}
          onClick={() => picker.current?.click()}
        />
        <span className="soft small composer-hint" role="status">
          {sending.isAwaited ? words.awaited : words.hint}
        </span>
        {isAnswering ? (
          <Button
            shape="circle"
            icon={<i className="stop-square" />}
            aria-label={words.stop}
            title={words.stop}
            onClick={() => {
              onStop()
              input.current?.focus()
            }}
          />
        ) : (
          <Button
            type="primary"
            shape="circle"
            htmlType="submit"
            icon={<ArrowUpOutlined />}
            aria-label={words.send}
            title={words.send}
            disabled={!isAllowed}
          />
        )}
      </div>
    </form>
  )
}

/** Why the message cannot be sent. */
function ComposerProblems({
  leftOut,
  hasFailed,
  over,
}: {
  leftOut: number
  hasFailed: boolean
  over: number
}) {
  const words = useWords()
  const problems = [
    over > 0 && words.tooLong(over),
    leftOut > 0 && words.leftOut(leftOut),
    hasFailed && words.failed,
  ].filter(problem => problem !== false)
  return (
    <div className="small composer-problems" role="status">
      {problems.map(problem => (
        <p key={problem}>{problem}</p>
      ))}
    </div>
  )
}

const useAttachmentStripWords = defineWords(
  {
    files: 'Files to send',
    remove: (name: string) => `Remove ${name}`,
    retry: (name: string) => `Upload ${name} again`,
    uploading: (name: string) => `Uploading ${name}`,
  },
  {
    files: '待发送的文件',
    remove: (name: string) => `移除 ${name}`,
    retry: (name: string) => `重新上传 ${name}`,
    uploading: (name: string) => `正在上传 ${name}`,
  },
)

interface AttachmentStripProps {
  attachments: readonly Attachment[]
  onRemove: (attachment: Attachment) => void
  onRetry: (attachment: Attachment) => void
}

function AttachmentStrip({ attachments, onRemove, onRetry }: AttachmentStripProps) {
  const words = useAttachmentStripWords()
  if (attachments.length === 0) return null
  return (
    <ul className="attachments" aria-label={words.files}>
      {attachments.map(attachment => (
        <li key={attachment.key} className={attachment.problem === undefined ? undefined : 'failed'}>
          {attachment.preview === undefined ? <FileOutlined /> : <img src={attachment.preview} alt="" />}
          <span className="attachment-name" title={attachment.file.name}>
            {attachment.file.name}
            {attachment.problem !== undefined && <em role="alert">{attachment.problem}</em>}
            {attachment.problem === undefined && !attachment.uploaded && (
              <Progress
                percent={Math.round(attachment.progress * 100)}
                size="small"
                showInfo={false}
                aria-label={words.uploading(attachment.file.name)}
              />
            )}
          </span>
          {attachment.problem !== undefined && (
            <Button
              type="text"
              size="small"
              icon={<ReloadOutlined />}
              aria-label={words.retry(attachment.file.name)}
              title={words.retry(attachment.file.name)}
              onClick={() => onRetry(attachment)}
            />
          )}
          <Button
            type="text"
            size="small"
            icon={<CloseOutlined />}
            aria-label={words.remove(attachment.file.name)}
            onClick={() => onRemove(attachment)}
          />
        </li>
      ))}
    </ul>
  )
}
