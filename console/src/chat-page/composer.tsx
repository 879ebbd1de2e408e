import { type KeyboardEvent, type RefObject, useEffect, useRef, useState } from 'react'
import { ApiFailure } from '../api/api-failure.ts'
import type { Outgoing } from '../pages/agents/chat/chat-state.ts'
import { dataTypeFor } from '../pages/agents/chat/message-form.ts'
import { type Attachment, useAttachments } from '../pages/agents/chat/use-attachments.ts'
import { FileInput } from '../ui/file-input.tsx'
import { useDroppedFiles } from '../ui/use-dropped-files.ts'
import { useSendWhenReady } from '../ui/use-send-when-ready.ts'
import { defineWords } from '../ui/words.ts'
import { failureText, useFailureWords } from './failure-words.ts'
import { IconButton, icons } from './icons.tsx'
import { canRecord, useRecorder } from './use-recorder.ts'
import type { Profile } from './visitor-api.ts'

const useWords = defineWords(
  {
    message: 'Message',
    placeholder: (name: string) => `Message ${name}`,
    attach: 'Attach files',
    drop: 'Drop files here to attach them',
    files: 'Files to send',
    leftOut: (most: number, count: number) =>
      `A message can have up to ${most} files; ${count} could not be added. Send them with your next message.`,
    remove: (name: string) => `Remove ${name}`,
    record: 'Record a voice message',
    finish: 'Send recording',
    discard: 'Discard recording',
    recording: 'Recording…',
    blocked: 'The microphone is not available. Allow it in your browser.',
    send: 'Send',
    stop: 'Stop',
  },
  {
    message: '消息',
    placeholder: (name: string) => `给 ${name} 发消息`,
    attach: '添加文件',
    drop: '拖到这里即可添加文件',
    files: '待发送的文件',
    leftOut: (most: number, count: number) =>
      `一条消息最多附带 ${most} 个文件，有 ${count} 个未添加，请在下一条消息中发送。`,
    remove: (name: string) => `移除 ${name}`,
    record: '录制语音消息',
    finish: '发送录音',
    discard: '取消录音',
    recording: '正在录音…',
    blocked: '无法使用麦克风，请在浏览器中允许访问。',
    send: '发送',
    stop: '停止',
  },
)

/** The server's limit for one message. */
const longestText = 100_000

/** Elsewhere the focus would open a keyboard on the screen. */
export const hasKeyboard = (): boolean => matchMedia('(pointer: fine)').matches

interface ComposerProps {
  input: RefObject<HTMLTextAreaElement | null>
  profile: Profile
  /** The unsent text, which stays when another conversation is shown. */
  draft: RefObject<string>
  isAnswering: boolean
  isReady: boolean
  upload: (file: File, signal: AbortSignal) => Promise<{ file_id: string; mime_type: string }>
  onSend: (outgoing: Outgoing) => void
  onStop: () => void
  onFailure: (error: unknown) => void
}

/** The input for the next message of one conversation. Attached files and a message that waits to be sent belong to it. */
export function Composer({
  input,
  profile,
  draft,
  isAnswering,
  isReady,
  upload,
  onSend,
  onStop,
  onFailure,
}: ComposerProps) {
  const words = useWords()
  const [text, setText] = useState(draft.current)
  const left = useRef(new AbortController())
  useEffect(() => {
    left.current = new AbortController()
    return () => left.current.abort()
  }, [])
  const change = (next: string): void => {
    draft.current = next
    setText(next)
  }
  const [problem, setProblem] = useState('')
  const picker = useRef<HTMLInputElement>(null)
  const failures = useFailureWords()
  const files = useAttachments({
    upload: async (file, { signal }) => {
      if (file.size > profile.max_file_bytes) throw new ApiFailure('', { reason: 'too_large' })
      return upload(file, signal)
    },
    maxFiles: profile.max_files,
    problemOf: error => failureText(failures, error),
  })
  const canAttach = profile.message_types.includes('file')
  const isOver = useDroppedFiles(data => files.add(data.files), canAttach)
  const uploaded = files.attachments.flatMap(each => each.uploaded ?? [])
  const hasSomething = text.trim() !== '' || files.attachments.length > 0
  const isAllowed = isReady && hasSomething && files.attachments.every(({ problem }) => problem === undefined)
  const isPending = isAnswering || uploaded.length < files.attachments.length
  const state = !isAllowed ? 'blocked' : isPending ? 'pending' : 'ready'

  const send = (): void => {
    const type = dataTypeFor(uploaded.map(({ mimeType }) => mimeType))
    onSend({ type, content: text.trim(), fileIds: uploaded.map(({ fileId }) => fileId) })
    change('')
    files.clear()
    input.current?.focus()
  }
  const sending = useSendWhenReady(state, text, send)
  const sendRecording = (file: File): void => {
    const { signal } = left.current
    upload(file, signal).then(
      ({ file_id }) => signal.aborted || onSend({ type: 'voice', content: '', fileIds: [file_id] }),
      error => signal.aborted || onFailure(error),
    )
  }
  const recorder = useRecorder(sendRecording, () => setProblem(words.blocked))
  // biome-ignore lint/correctness/useExhaustiveDependencies: the input is there again after a recording
  useEffect(() => {
    if (!hasKeyboard()) return
    const take = (): void => {
      if (document.activeElement === document.body) input.current?.focus()
    }
    if (document.hasFocus()) take()
    // A frame on a website gets the focus when it is opened, and loses it when it is closed.
    window.addEventListener('focus', take)
    return () => window.removeEventListener('focus', take)
  }, [input, recorder.isRecording])
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape' && sending.isAwaited) {
      event.preventDefault()
      sending.cancel()
    }
    if (event.key !== 'Enter' || event.shiftKey) return
    event.preventDefault()
    sending.request()
  }

  if (recorder.isRecording)
    return (
      <form
        className="composer recording"
        onSubmit={event => {
          event.preventDefault()
          recorder.end(true)
        }}
        onKeyDown={event => {
          if (event.key !== 'Escape') return
          event.preventDefault()
          recorder.end(false)
        }}
      >
        <span role="status">{words.recording}</span>
        <IconButton icon={icons.remove} label={words.discard} onClick={() => recorder.end(false)} />
        <button
          type="submit"
          // biome-ignore lint/a11y/noAutofocus: it takes the place of the button that was just pressed
          autoFocus
          className="send"
          aria-label={words.finish}
          title={words.finish}
        >
          {icons.send}
        </button>
      </form>
    )
  return (
    <form
      className="composer"
      onSubmit={event => {
        event.preventDefault()
        sending.request()
      }}
    >
      <Attachments attachments={files.attachments} onRemove={files.remove} />
      {problem !== '' && <p role="alert">{problem}</p>}
      {files.leftOut > 0 && <p role="alert">{words.leftOut(profile.max_files, files.leftOut)}</p>}
      <textarea
        ref={input}
        rows={1}
        maxLength={longestText}
        aria-label={words.message}
        placeholder={words.placeholder(profile.name)}
        value={text}
        onChange={event => change(event.target.value)}
        onKeyDown={onKeyDown}
        onPaste={event => {
          if (!canAttach || event.clipboardData.files.length === 0) return
          event.preventDefault()
          files.add(event.clipboardData.files)
        }}
      />
      {isOver && <div className="drop-cover">{words.drop}</div>}
      <div className="composer-bar">
        {canAttach && (
          <>
            <FileInput ref={picker} onFiles={files.add} />
            <IconButton icon={icons.attach} label={words.attach} onClick={() => picker.current?.click()} />
          </>
        )}
        {profile.message_types.includes('voice') && canRecord() && (
          <IconButton
            icon={icons.microphone}
            label={words.record}
            isDisabled={!isReady || isAnswering}
            onClick={() => {
              setProblem('')
              void recorder.start()
            }}
          />
        )}
        {isAnswering ? (
          <button
            type="button"
            className="send"
            aria-label={words.stop}
            title={words.stop}
            onClick={() => {
              onStop()
              if (hasKeyboard()) input.current?.focus()
            }}
          >
            {icons.stop}
          </button>
        ) : (
          <button
            type="submit"
            className="send"
            aria-label={words.send}
            title={words.send}
            disabled={state === 'blocked' || sending.isAwaited}
          >
            {icons.send}
          </button>
        )}
      </div>
    </form>
  )
}

interface AttachmentsProps {
  attachments: readonly Attachment[]
  onRemove: (attachment: Attachment) => void
}

function Attachments({ attachments, onRemove }: AttachmentsProps) {
  const words = useWords()
  if (attachments.length === 0) return null
  return (
    <ul className="attachments" aria-label={words.files}>
      {attachments.map(attachment => (
        <li key={attachment.key} className={attachment.problem === undefined ? undefined : 'failed'}>
          {attachment.preview === undefined ? icons.file : <img src={attachment.preview} alt="" />}
          <span className="attachment-name" title={attachment.file.name}>
            {attachment.file.name}
            {attachment.problem !== undefined && <em role="alert">{attachment.problem}</em>}
            {attachment.problem === undefined && !attachment.uploaded && <progress />}
          </span>
          <IconButton
            icon={icons.close}
            label={words.remove(attachment.file.name)}
            onClick={() => onRemove(attachment)}
          />
        </li>
      ))}
    </ul>
  )
}
