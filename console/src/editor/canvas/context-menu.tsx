import { Dropdown, type MenuProps } from 'antd'
import { cutText } from '../../ui/cut-text.ts'
import type { Point } from '../model/graph.ts'
import { groupOf } from '../model/shapes.ts'
import { takesErrorBranch } from '../panels/case-edits.ts'
import { useEditorState, useWorkflowEditor } from '../workflow-editor.ts'
import { alignItems } from './align-menu.tsx'
import { useCanvasWords } from './canvas-words.ts'
import type { Commands } from './commands.ts'

/** The subject of a menu, and where on the canvas element it opens. */
export interface MenuSpot {
  on: { node: string } | { edge: string } | { shape: string } | 'ground'
  left: number
  top: number
  /** The same point in the drawing. */
  at: Point
}

export interface MenuActions {
  open(): void
  rename(id: string): void
  addAfter(): void
  addHere(at: Point): void
  connect(id: string): void
  replace(id: string, at: Point): void
  copy(): void
  removed(): void
  /** Edits the text of a note, or the name of a group. */
  editShape(id: string): void
  /** The links in the text of a note. */
  linksOf(id: string): HTMLAnchorElement[]
  fit(): void
  find(): void
}

interface ContextMenuProps {
  spot: MenuSpot
  commands: Commands
  actions: MenuActions
  onClose(): void
}

/** A note may hold any number of links of any length, but a menu has to fit the window. */
const [maxLinks, maxLinkText] = [8, 40]

type Entry = [label: string, run: () => void, keys?: string | undefined, danger?: boolean] | 'line' | 'align'

/** The menu of a node, an edge or the ground; by right click, Shift+F10 or the menu key. */
export function ContextMenu({ spot, commands, actions, onClose }: ContextMenuProps) {
  const entries = useEntries(spot, commands, actions)
  const words = useCanvasWords()
  const { selection, shapes } = useEditorState()
  const alignable =
    selection.nodes.size + [...selection.shapes].filter(id => shapes[id]?.type === 'note').length
  const items: MenuProps['items'] = entries.map((entry, index) => {
    if (entry === 'line') return { type: 'divider', key: index }
    if (entry === 'align')
      return {
        key: index,
        label: words.align,
        children: alignItems(words, alignable, commands) ?? [],
      }
    return { key: index, label: entry[0], danger: entry[3] ?? false, extra: entry[2] }
  })
  return (
    <Dropdown
      open
      autoFocus
      trigger={['click']}
      menu={{
        items,
        onClick: ({ key }) => {
          const entry = entries[Number(key)]
          onClose()
          if (entry && typeof entry !== 'string') entry[1]()
        },
      }}
      onOpenChange={isOpen => !isOpen && onClose()}
    >
      <span className="canvas-menu-spot" style={{ left: spot.left, top: spot.top }} />
    </Dropdown>
  )
}

function useEntries({ on, at }: MenuSpot, commands: Commands, actions: MenuActions): Entry[] {
  const words = useCanvasWords()
  const { mayWrite } = useWorkflowEditor()
  const { graph, selection, shapes } = useEditorState()
  const remove: [string, () => void, string, boolean] = [
    words.remove,
    () => {
      commands.remove()
      actions.removed()
    },
    'Del',
    true,
  ]
  const editNew = (id: string | undefined): void => {
    if (id !== undefined) actions.editShape(id)
  }
  const grouping: Entry[] = [
    [words.group, () => editNew(commands.shapes.group(words.newGroup)), 'Ctrl G'],
    ...([...selection.nodes, ...selection.shapes].some(id => groupOf(shapes, id) !== undefined)
      ? [[words.leaveGroup, commands.shapes.ungroup, 'Ctrl ⇧ G'] as Entry]
      : []),
  ]
  if (on !== 'ground' && 'shape' in on) {
    const isGroup = shapes[on.shape]?.type === 'group'
    const copying: Entry[] = [[words.copy, actions.copy, 'Ctrl C']]
    const links = actions.linksOf(on.shape).slice(0, maxLinks)
    const opening = links.map((link): Entry => {
      const text = link.textContent.trim() || link.href
      const shown = text.length > maxLinkText ? `${cutText(text, maxLinkText)}…` : text
      return [words.openLink(shown), () => link.click(), links.length === 1 ? 'O' : undefined]
    })
    if (!mayWrite) return [...opening, ...copying]
    return [
      ...opening,
      [isGroup ? words.rename : words.editNote, () => actions.editShape(on.shape), 'F2'],
      ...(isGroup ? [[words.ungroup, commands.shapes.ungroup, 'Ctrl ⇧ G'] as Entry] : grouping),
      'line',
      ...(selection.nodes.size + selection.shapes.size > 1 ? (['align'] as const) : []),
      ...copying,
      [words.duplicateNodes, commands.duplicate, 'Ctrl D'],
      isGroup ? [words.removeGroup, remove[1], 'Del', true] : remove,
    ]
  }
  if (on === 'ground')
    return [
      ...(mayWrite
        ? ([
            [words.addHere, () => actions.addHere(at)],
            [words.addNoteHere, () => editNew(commands.shapes.addNote(at)), 'S'],
          ] as Entry[])
        : []),
      [words.find, actions.find, 'Ctrl F'],
      [words.selectAll, commands.selectAll, 'Ctrl A'],
      [words.fit, actions.fit, '1'],
      ...(mayWrite ? [[words.tidyUp, commands.tidyUp] as Entry] : []),
    ]
  const open: Entry = [words.openSettings, actions.open, 'Enter']
  if ('edge' in on) return mayWrite ? [[words.insert, actions.addAfter, 'N'], open, 'line', remove] : [open]
  const node = graph.nodes.find(({ id }) => id === on.node)
  if (!node || !mayWrite) return [open, [words.copy, actions.copy, 'Ctrl C']]
  const isFixed = node.data.type === 'input' || node.data.type === 'end'
  const isOff = node.data['disabled'] === true
  const own: Entry[] = [
    [isOff ? words.enable : words.disable, () => commands.disable(!isOff), 'D'],
    [
      takesErrorBranch(node) ? words.withoutErrorBranch : words.withErrorBranch,
      () => commands.setErrorBranch(node.id, !takesErrorBranch(node)),
    ],
    [words.replace, () => actions.replace(node.id, at)],
  ]
  return [
    open,
    [words.rename, () => actions.rename(node.id), 'F2'],
    ...(node.data.type === 'end'
      ? []
      : ([
          [words.addAfter, actions.addAfter, 'N'],
          [words.connect, () => actions.connect(node.id), 'C'],
        ] as Entry[])),
    ...(isFixed ? [] : (['line', ...own] as Entry[])),
    'line',
    ...(selection.nodes.size + selection.shapes.size > 1 ? (['align'] as const) : []),
    ...grouping,
    [words.copy, actions.copy, 'Ctrl C'],
    [words.duplicateNodes, commands.duplicate, 'Ctrl D'],
    remove,
  ]
}
