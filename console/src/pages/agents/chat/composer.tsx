import { ArrowUpOutlined, PaperClipOutlined } from '@ant-design/icons'
import { Button, Input } from 'antd'
import type { TextAreaRef } from 'antd/es/input/TextArea'
import { type KeyboardEvent, type RefObject, useRef, useState } from 'react'
import { defineWords } from '../../../ui/words.ts'
import { AttachmentStrip } from './attachment-strip.tsx'
import type { Outgoing } from './chat-state.ts'
import { dataTypeFor } from './message-form.ts'
import type { useAttachments } from './use-attachments.ts'

const useWords = defineWords(
  {
    message: 'Message',
    placeholder: (name: string) => `Message ${name}`,
    hint: 'Enter sends, Shift+Enter begins a new line',
    attach: 'Attach files',
    send: 'Send',
    stop: 'Stop',
  },
  {
    message: '消息',
    placeholder: (name: string) => `给 ${name} 发消息`,
    hint: 'Enter 发送，Shift+Enter 换行',
    attach: '添加文件',
    send: '发送',
    stop: '停止',
  },
)

interface ComposerProps {
  agentName: string
  /** Where the person types, for whoever moves the focus there. */
  input: RefObject<TextAreaRef | null>
  files: ReturnType<typeof useAttachments>
  isAnswering: boolean
  onSend: (outgoing: Outgoing) => void
  onStop: () => void
}

/** Where the next message is written. */
export function Composer({ agentName, input, files, isAnswering, onSend, onStop }: ComposerProps) {
  const words = useWords()
  const [text, setText] = useState('')
  const picker = useRef<HTMLInputElement>(null)
  const uploaded = files.attachments.flatMap(each => each.uploaded ?? [])
  const isComplete = uploaded.length === files.attachments.length
  const canSend = !isAnswering && isComplete && (text.trim() !== '' || uploaded.length > 0)

  const send = (): void => {
    if (!canSend) return
    const type = dataTypeFor(uploaded.map(({ mimeType }) => mimeType))
    onSend({ type, content: text.trim(), fileIds: uploaded.map(({ fileId }) => fileId) })
    setText('')
    files.clear()
    input.current?.focus()
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    // Enter also chooses a word while Chinese is being typed.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    send()
  }

  return (
    <form
      className="composer"
      onSubmit={event => {
        event.preventDefault()
        send()
      }}
    >
      <AttachmentStrip attachments={files.attachments} onRemove={files.remove} />
      <Input.TextArea
        ref={input}
        variant="borderless"
        autoSize={{ minRows: 1, maxRows: 8 }}
        maxLength={100_000}
        aria-label={words.message}
        placeholder={words.placeholder(agentName)}
        value={text}
        onChange={event => setText(event.target.value)}
        onKeyDown={onKeyDown}
        onPaste={event => {
          if (event.clipboardData.files.length === 0) return
          event.preventDefault()
          files.add(event.clipboardData.files)
        }}
      />
      <div className="composer-bar">
        <input
          ref={picker}
          type="file"
          multiple
          hidden
          onChange={event => {
            files.add(event.target.files ?? [])
            event.target.value = ''
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
        <span className="soft small composer-hint">{words.hint}</span>
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
            disabled={!canSend}
          />
        )}
      </div>
    </form>
  )
}
