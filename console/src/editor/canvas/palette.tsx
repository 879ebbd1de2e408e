import { SearchOutlined } from '@ant-design/icons'
import { Input, type InputRef } from 'antd'
import { type KeyboardEvent, type RefObject, useRef, useState } from 'react'
import { useLanguage } from '../../ui/preferences.ts'
import { defineWords } from '../../ui/words.ts'
import type { Graph } from '../model/graph.ts'
import { type KindRecord, useEditorState, useWorkflowEditor } from '../workflow-editor.ts'
import { KindIcon } from './kind-icon.tsx'
import './palette.css'

/** Data transfer type of a dragged node kind. */
export const draggedKind = 'application/x-banyan-kind'

const useWords = defineWords(
  {
    nodes: 'Nodes',
    search: 'Search nodes',
    none: 'No matching nodes.',
    one: 'A workflow can have only one of these.',
    talk: 'Conversation',
    model: 'Models',
    logic: 'Logic',
    data: 'Data',
    tools: 'Tools',
    hint: 'Drag onto the canvas, or press Enter to add it after the selected node.',
  },
  {
    nodes: '节点',
    search: '搜索节点',
    none: '没有匹配的节点。',
    one: '一个工作流里只能有一个。',
    talk: '对话',
    model: '模型',
    logic: '逻辑',
    data: '数据处理',
    tools: '工具',
    hint: '拖到画布上，或按 Enter 加在所选节点之后。',
  },
)

const groups = ['talk', 'model', 'logic', 'data', 'tools'] as const

interface PaletteProps {
  searchBox: RefObject<InputRef | null>
  onAdd(kind: KindRecord): void
}

/** The node kinds, to be dragged onto the canvas or added by keyboard. */
export function Palette({ searchBox, onAdd }: PaletteProps) {
  const words = useWords()
  const { kinds } = useWorkflowEditor()
  const { graph } = useEditorState()
  const [sought, setSought] = useState('')
  const list = useRef<HTMLDivElement>(null)
  const [current, setCurrent] = useState<string>()
  const language = useLanguage()
  const word = sought.trim().toLowerCase()
  const found = kinds.kinds.filter(kind => !kind.hidden && matches(kind, word))
  // Matches in the title come before matches in the description.
  const best = found.find(kind => kind.title[language].toLowerCase().includes(word)) ?? found[0]
  const isTaken = (kind: KindRecord): boolean => isUsedIn(graph, kind)
  const add = (kind: KindRecord | undefined): void => {
    if (kind && !isTaken(kind)) onAdd(kind)
  }
  // All kinds are one tab stop; arrow keys move between them.
  const stop =
    found.find(({ kind }) => kind === current) ?? found.find(({ group }) => group === groups[0]) ?? found[0]
  const press = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') setSought('')
    if (event.key === 'Enter' && word !== '') add(best)
    if (event.key !== 'ArrowDown') return
    event.preventDefault()
    list.current?.querySelector('button')?.focus()
  }
  return (
    <aside className="palette" aria-label={words.nodes} data-canvas-panel>
      <Input
        ref={searchBox}
        allowClear
        prefix={<SearchOutlined />}
        placeholder={words.search}
        aria-label={words.search}
        value={sought}
        onChange={event => setSought(event.target.value)}
        onKeyDown={press}
      />
      <div
        ref={list}
        role="toolbar"
        aria-label={words.nodes}
        aria-orientation="vertical"
        className="palette-list"
        onKeyDown={event => moveFocus(event, searchBox.current)}
        onFocus={event => setCurrent(event.target.dataset['kind'])}
      >
        {groups.map(group => (
          <PaletteGroup
            key={group}
            title={words[group]}
            kinds={found.filter(kind => kind.group === group)}
            best={word === '' ? undefined : best}
            stop={stop}
            whyNot={kind => (isTaken(kind) ? words.one : undefined)}
            onAdd={add}
          />
        ))}
        {found.length === 0 && <p className="soft small">{words.none}</p>}
      </div>
      <p className="soft small palette-hint">{words.hint}</p>
    </aside>
  )
}

/** Arrow keys, Home and End in the list of kinds; before the first is the search box. */
function moveFocus(event: KeyboardEvent<HTMLElement>, before: InputRef | null): void {
  const buttons = [...event.currentTarget.querySelectorAll('button')]
  const here = buttons.indexOf(event.target as HTMLButtonElement)
  const places: Record<string, number> = {
    ArrowDown: here + 1,
    ArrowRight: here + 1,
    ArrowUp: here - 1,
    ArrowLeft: here - 1,
    Home: 0,
    End: buttons.length - 1,
  }
  const next = places[event.key]
  if (next === undefined) return
  event.preventDefault()
  if (next < 0) before?.focus()
  else buttons[next]?.focus()
}

interface PaletteGroupProps {
  title: string
  kinds: KindRecord[]
  best: KindRecord | undefined
  /** The kind that Tab leads to. */
  stop: KindRecord | undefined
  whyNot(kind: KindRecord): string | undefined
  onAdd(kind: KindRecord): void
}

function PaletteGroup({ title, kinds, best, stop, whyNot, onAdd }: PaletteGroupProps) {
  const language = useLanguage()
  if (kinds.length === 0) return null
  return (
    <section>
      <h2>{title}</h2>
      <ul>
        {kinds.map(kind => {
          const refusal = whyNot(kind)
          return (
            <li key={kind.kind}>
              <button
                type="button"
                data-kind={kind.kind}
                tabIndex={kind === stop ? 0 : -1}
                draggable={refusal === undefined}
                aria-disabled={refusal !== undefined}
                className={kind === best ? 'is-best' : undefined}
                title={refusal ?? kind.about[language]}
                onClick={() => onAdd(kind)}
                onDragStart={event => {
                  event.dataTransfer.setData(draggedKind, kind.kind)
                  event.dataTransfer.effectAllowed = 'copy'
                }}
              >
                <KindIcon kind={kind.kind} group={kind.group} />
                {kind.title[language]}
              </button>
            </li>
          )
        })}
      </ul>
    </section>
  )
}

export const matches = ({ kind, title, about }: KindRecord, sought: string): boolean =>
  [kind, title.en, title.zh, about.en, about.zh].some(text => text.toLowerCase().includes(sought))

/** A workflow has at most one input and one end. */
export const isUsedIn = (graph: Graph, { kind }: KindRecord): boolean =>
  (kind === 'input' || kind === 'end') && graph.nodes.some(node => node.data.type === kind)
