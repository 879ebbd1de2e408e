import { Button, Input } from 'antd'
import type { KeyboardEvent } from 'react'
import { defineWords } from '../../ui/words.ts'

const useWords = defineWords(
  {
    save: 'Save',
    cancel: 'Cancel',
    lasts: 'Edits are lost when the document is re-processed. Ctrl+Enter saves, Esc cancels.',
  },
  { save: '保存', cancel: '取消', lasts: '重新处理文档时修改会丢失。Ctrl+Enter 保存，Esc 取消。' },
)

interface ChunkEditorProps {
  label: string
  /** As it is saved. */
  content: string
  text: string
  onChange: (text: string) => void
  isSaving: boolean
  onSave: (content: string) => void
  onCancel: () => void
}

/** Corrects the text of a chunk in its place. */
export function ChunkEditor(props: ChunkEditorProps) {
  const words = useWords()
  const { label, content, text, onChange, isSaving, onSave, onCancel } = props
  const canSave = text.trim() !== '' && text !== content
  const onKeyDown = (event: KeyboardEvent): void => {
    // While an input method composes, Escape and Enter belong to it.
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Escape') onCancel()
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && canSave) onSave(text)
  }
  return (
    <div className="kb-chunk-editor">
      <Input.TextArea
        value={text}
        autoFocus
        autoSize={{ minRows: 3, maxRows: 20 }}
        maxLength={40_000}
        aria-label={label}
        onChange={event => onChange(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <div className="kb-chunk-editor-foot">
        <span className="soft small">{words.lasts}</span>
        <Button onClick={onCancel}>{words.cancel}</Button>
        <Button type="primary" disabled={!canSave} loading={isSaving} onClick={() => onSave(text)}>
          {words.save}
        </Button>
      </div>
    </div>
  )
}
