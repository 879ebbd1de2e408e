import { ExpandOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import { lazy, type ReactNode, Suspense, useRef, useState } from 'react'
import { Dialog } from '../dialog.tsx'
import { defineWords } from '../words.ts'
import type { CodeMirrorProps, EditorHandle } from './code-mirror.tsx'
import './text-editor.css'

/** CodeMirror is a script of its own, which pages without a text to edit never load. */
const loadCodeMirror = async () => ({ default: (await import('./code-mirror.tsx')).CodeMirror })
const CodeMirror = lazy(loadCodeMirror)

/** Loads the editor before the first text is shown. */
export const preloadTextEditor = (): void => void loadCodeMirror().catch(() => undefined)

const useWords = defineWords(
  {
    insert: (label: string) => `Insert a reference into ${label} (Ctrl+Space)`,
    large: (label: string) => `Open ${label} in the large editor`,
    done: 'Done',
    keys: 'Tab indents. To leave the editor, press Escape, then Tab.',
    references: 'References',
    completions: 'Suggestions',
  },
  {
    insert: (label: string) => `在${label}中插入引用（Ctrl+空格）`,
    large: (label: string) => `在大编辑器中打开${label}`,
    done: '完成',
    keys: 'Tab 键用于缩进。先按 Esc 再按 Tab 可离开编辑器。',
    references: '可引用的内容',
    completions: '补全建议',
  },
)

interface TextEditorProps
  extends Pick<
    CodeMirrorProps,
    | 'text'
    | 'onText'
    | 'look'
    | 'language'
    | 'references'
    | 'inputs'
    | 'isReadOnly'
    | 'maxLength'
    | 'placeholder'
    | 'onFocus'
  > {
  id: string
  label: string
  isInvalid?: boolean | undefined
  describedBy?: string | undefined
  /** An additional button in the corner. */
  corner?: ReactNode
}

/** A prompt, template or code: a field that grows with its text, and a large view of it. */
export function TextEditor(props: TextEditorProps) {
  const { id, label, look, isInvalid = false, isReadOnly = false, describedBy, corner, ...text } = props
  const words = useWords()
  const [isLarge, setLarge] = useState(false)
  const handle = useRef<EditorHandle>(null)
  const isCode = look === 'code'
  const keysId = `${id}-keys`
  const describing = [describedBy, isCode ? keysId : undefined].filter(each => each !== undefined).join(' ')
  const attributes = {
    'aria-label': label,
    spellcheck: String(look === 'paragraph'),
    ...(look === 'line' && { 'aria-multiline': 'false' }),
    ...(isInvalid && { 'aria-invalid': 'true' }),
    ...(describing !== '' && { 'aria-describedby': describing }),
  }
  const shared = {
    ...text,
    look,
    isReadOnly,
    hasLineNumbers: isCode,
    phrases: { Completions: text.references ? words.references : words.completions },
  }
  return (
    <div
      className={`text-editor is-${look}`}
      data-wrong={isInvalid || undefined}
      data-corners={1 + (corner === undefined ? 0 : 1) + (text.references ? 1 : 0)}
    >
      <Suspense fallback={<div className="code-mirror" aria-busy="true" />}>
        <CodeMirror {...shared} attributes={{ ...attributes, id }} handle={handle} />
      </Suspense>
      {isCode && (
        <span className="visually-hidden" id={keysId}>
          {words.keys}
        </span>
      )}
      <div className="template-corner">
        {corner}
        {text.references && !isReadOnly && (
          <InsertButton label={words.insert(label)} onInsert={() => handle.current?.complete()} />
        )}
        {look !== 'line' && (
          <button
            type="button"
            className="corner-button"
            aria-label={words.large(label)}
            title={words.large(label)}
            onClick={() => setLarge(true)}
          >
            <ExpandOutlined />
          </button>
        )}
      </div>
      <Dialog
        open={isLarge}
        title={label}
        onCancel={() => setLarge(false)}
        afterClose={() => handle.current?.focus()}
        destroyOnHidden
        width="100%"
        wrapClassName="large-editor"
        footer={
          <div className="large-editor-foot">
            <span className="soft small">{isCode && words.keys}</span>
            <Button type="primary" onClick={() => setLarge(false)}>
              {words.done}
            </Button>
          </div>
        }
      >
        <LargeView {...shared} attributes={attributes} insertLabel={words.insert(label)} />
      </Dialog>
    </div>
  )
}

/** A second view of the same text, as large as the window. */
function LargeView({ insertLabel, ...shared }: CodeMirrorProps & { insertLabel: string }) {
  const handle = useRef<EditorHandle>(null)
  return (
    <div className={`text-editor is-large is-${shared.look}`} data-corners="1">
      <CodeMirror {...shared} hasLineNumbers autoFocus handle={handle} />
      <div className="template-corner">
        {shared.references && !shared.isReadOnly && (
          <InsertButton label={insertLabel} onInsert={() => handle.current?.complete()} />
        )}
      </div>
    </div>
  )
}

const InsertButton = ({ label, onInsert }: { label: string; onInsert: () => void }) => (
  <button
    type="button"
    className="corner-button insert"
    aria-label={label}
    title={label}
    // The text keeps the focus.
    onMouseDown={event => event.preventDefault()}
    onClick={onInsert}
  />
)
