import { CloseOutlined } from '@ant-design/icons'
import { Button, Input } from 'antd'
import { type KeyboardEvent, useMemo, useState } from 'react'
import { useLanguage } from '../../ui/preferences.ts'
import { useEditorState, useWorkflowEditor } from '../workflow-editor.ts'
import { useCanvasWords } from './canvas-words.ts'
import { boxOfCard, type Canvas } from './create-canvas.ts'

/** Finds nodes by title, id, kind and settings; Enter goes to the next match, Shift+Enter to the previous one. */
export function FindNode({ canvas, onClose }: { canvas: Canvas; onClose(): void }) {
  const words = useCanvasWords()
  const language = useLanguage()
  const { graph } = useEditorState()
  const { store, kinds } = useWorkflowEditor()
  const [sought, setSought] = useState('')
  const [current, setCurrent] = useState<string>()
  const texts = useMemo(() => {
    const titles = new Map(kinds.kinds.map(kind => [kind.kind, kind.title[language]]))
    return graph.nodes.map(({ id, data }) => ({
      id,
      text: [id, data.title, titles.get(data.type ?? ''), JSON.stringify(data)].join('\n').toLowerCase(),
    }))
  }, [graph, kinds, language])
  const matching = (text: string): string[] => {
    const word = text.trim().toLowerCase()
    return word === '' ? [] : texts.filter(each => each.text.includes(word)).map(({ id }) => id)
  }
  const found = matching(sought)
  const here = current === undefined ? -1 : found.indexOf(current)
  const show = (id: string | undefined): void => {
    setCurrent(id)
    if (id === undefined) return
    store.select([id])
    const card = canvas.scene().cards.find(each => each.id === id)
    if (card) canvas.camera.reveal(boxOfCard(card))
  }
  const close = (): void => {
    onClose()
    canvas.focus(current)
  }
  const press = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') close()
    if (event.key !== 'Enter' || found.length === 0) return
    event.preventDefault()
    const step = event.shiftKey ? -1 : 1
    show(found[(here + step + found.length) % found.length])
  }
  return (
    <search className="canvas-find">
      <Input
        autoFocus
        variant="borderless"
        aria-label={words.find}
        placeholder={words.findHint}
        value={sought}
        onChange={event => {
          setSought(event.target.value)
          show(matching(event.target.value)[0])
        }}
        onKeyDown={press}
      />
      <span className="small soft" role="status">
        {sought.trim() === '' ? '' : words.foundOf(here + 1, found.length)}
      </span>
      <Button type="text" size="small" icon={<CloseOutlined />} aria-label={words.close} onClick={close} />
    </search>
  )
}
