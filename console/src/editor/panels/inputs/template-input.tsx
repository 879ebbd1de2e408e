import { type ChangeEvent, type KeyboardEvent, type ReactNode, useRef } from 'react'
import { defineWords } from '../../../ui/words.ts'
import { declaredNames } from '../../model/references.ts'
import { nodeOfPath } from '../../model/rewrite-references.ts'
import { useEditorState, useWorkflowEditor } from '../../workflow-editor.ts'
import { inputId, useControl, useNodeForm } from '../node-form.ts'
import { useNodeTitle } from '../use-node-title.ts'
import { CompletionList } from './completion-list.tsx'
import { useCompletion } from './use-completion.ts'

const useWords = defineWords(
  { insert: (label: string) => `Insert a reference into ${label} (Ctrl+Space)` },
  { insert: (label: string) => `在${label}中插入引用（Ctrl+空格）` },
)

interface TemplateInputProps {
  text: string
  onText(text: string): void
  pointer: string
  label: string
  look: 'line' | 'paragraph' | 'code'
  hasReferences?: boolean
  /** References that start with this name are values of the node itself. */
  local?: string | undefined
  /** Whether it may refer to secrets. */
  hasSecrets?: boolean
  isWrong?: boolean
  /** An additional button in the corner. */
  corner?: ReactNode
}

/** A text with references: highlighted, labelled with the names of their nodes, and completed while typing. */
export function TemplateInput(props: TemplateInputProps) {
  const { text, onText, pointer, label, look, corner } = props
  const { hasReferences = true, hasSecrets = false, isWrong = false, local } = props
  const words = useWords()
  const area = useRef<HTMLTextAreaElement>(null)
  const mirror = useRef<HTMLDivElement>(null)
  const { nodeId } = useNodeForm()
  const control = useControl(pointer)
  const completion = useCompletion({
    area,
    mirror,
    nodeId,
    isEnabled: hasReferences && !control.disabled,
    hasSecrets,
    onText,
  })
  const listId = `${inputId(pointer)}-offers`
  const change = (event: ChangeEvent<HTMLTextAreaElement>): void => {
    const next = event.target.value
    // A single-line field; existing line breaks are kept.
    onText(look === 'line' && !text.includes('\n') ? next.replaceAll('\n', ' ') : next)
    completion.follow(next, event.target.selectionStart)
  }
  const press = (event: KeyboardEvent<HTMLTextAreaElement>): void => {
    if (completion.press(event)) return
    if (event.key === 'Enter' && look === 'line' && !text.includes('\n')) event.preventDefault()
  }
  return (
    <div className="template">
      <div
        className={`template-box ${look}${corner === undefined ? '' : ' has-corner'}`}
        data-wrong={isWrong || control['aria-invalid'] || undefined}
      >
        <div className="template-scroll">
          <div className="template-mirror" aria-hidden="true" ref={mirror}>
            {piecesOf(text).map((piece, index) =>
              piece.reference === undefined ? (
                piece.text
              ) : (
                // biome-ignore lint/suspicious/noArrayIndexKey: pieces have no other name than their place
                <mark key={index}>{piece.text}</mark>
              ),
            )}
            {'\u200b'}
          </div>
          <textarea
            {...control}
            aria-invalid={isWrong || control['aria-invalid']}
            ref={area}
            aria-label={label}
            value={text}
            rows={1}
            spellCheck={look === 'paragraph'}
            autoComplete="off"
            onChange={change}
            onKeyDown={press}
            onSelect={event => completion.settle(event.currentTarget.selectionStart)}
            onBlur={completion.close}
            {...(hasReferences && {
              role: 'combobox',
              'aria-autocomplete': 'list' as const,
              'aria-haspopup': 'listbox' as const,
              'aria-expanded': completion.isOpen,
              'aria-controls': completion.isOpen ? listId : undefined,
              'aria-activedescendant':
                completion.isOpen && completion.offers.length > 0
                  ? `${listId}-${completion.active}`
                  : undefined,
            })}
          />
        </div>
        <div className="template-corner">
          {corner}
          {hasReferences && (
            <button
              type="button"
              className="corner-button insert"
              aria-label={words.insert(label)}
              title={words.insert(label)}
              disabled={control.disabled}
              onMouseDown={event => event.preventDefault()}
              onClick={completion.ask}
            />
          )}
        </div>
      </div>
      {hasReferences && <ReferenceNames text={text} local={local} />}
      {completion.isOpen && <CompletionList id={listId} {...completion} onChoose={completion.choose} />}
    </div>
  )
}

const useReferenceNamesWords = defineWords(
  {
    refers: 'References',
    system: 'System',
    memory: 'Memory',
    environment: 'Environment',
    secret: 'Secret',
    local: 'This node',
    unknown: 'unknown',
  },
  {
    refers: '引用',
    system: '系统',
    memory: '记忆',
    environment: '环境变量',
    secret: '密钥',
    local: '本节点',
    unknown: '未知',
  },
)

interface Name {
  reference: string
  title: string
  output: string
  isKnown: boolean
}

/** The references of a text by node name, which says more than an id. */
function ReferenceNames({ text, local }: { text: string; local: string | undefined }) {
  const words = useReferenceNamesWords()
  const titleOf = useNodeTitle()
  const { kinds, checks } = useWorkflowEditor()
  const { graph } = useEditorState()
  if (!text.includes('{{#')) return null
  const nodes = new Map(graph.nodes.map(node => [node.id, node]))
  const references = new Set(piecesOf(text).flatMap(({ reference }) => reference ?? []))
  const nameOf = (reference: string): Name => {
    if (local !== undefined && reference.startsWith(`${local}.`))
      return { reference, title: words.local, output: reference.slice(local.length + 1), isKnown: true }
    const id = nodeOfPath(reference, nodes)
    const node = id === undefined ? undefined : nodes.get(id)
    if (node)
      return { reference, title: titleOf(node), output: reference.slice(node.id.length + 1), isKnown: true }
    const [first = '', second = '', ...rest] = reference.split('.')
    const output = [second, ...rest].join('.')
    if ((first === 'memory' || first === 'secret') && second !== '')
      return { reference, title: words[first], output, isKnown: true }
    if (first === 'env' && declaredNames(checks.outline, 'environment').includes(second))
      return { reference, title: words.environment, output, isKnown: true }
    const isSystem = first === 'sys' && kinds.system.some(({ name }) => name === second)
    if (isSystem) return { reference, title: words.system, output, isKnown: true }
    return { reference, title: words.unknown, output: reference, isKnown: false }
  }
  const names = [...references].map(nameOf)
  if (names.length === 0) return null
  return (
    <ul className="reference-names" aria-label={words.refers}>
      {names.map(({ reference, title, output, isKnown }) => (
        <li key={reference} title={`{{#${reference}#}}`} data-unknown={!isKnown || undefined}>
          {title} <b>{output}</b>
        </li>
      ))}
    </ul>
  )
}

/** A text split at its references, for highlighting. */
interface Piece {
  text: string
  /** The path of a reference: `node.output`. */
  reference: string | undefined
}

function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = []
  let position = 0
  // Of several openings before a closing the last one counts, as on the server.
  for (const found of text.matchAll(/\{\{#((?:(?!\{\{#)[\s\S])*?)#\}\}/g)) {
    if (found.index > position) pieces.push({ text: text.slice(position, found.index), reference: undefined })
    pieces.push({ text: found[0], reference: (found[1] ?? '').trim() })
    position = found.index + found[0].length
  }
  if (position < text.length) pieces.push({ text: text.slice(position), reference: undefined })
  return pieces
}
