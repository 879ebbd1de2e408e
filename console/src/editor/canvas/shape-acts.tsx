import { BorderOuterOutlined, EditOutlined, UngroupOutlined } from '@ant-design/icons'
import { groupOf, shapeColors, shapeOf } from '../model/shapes.ts'
import { useEditorState } from '../workflow-editor.ts'
import { Act } from './act.tsx'
import { useCanvasWords } from './canvas-words.ts'
import type { Commands } from './commands.ts'

/** Buttons for the selected notes and groups, and for grouping nodes. */
export function ShapeActs({ commands, onEdit }: { commands: Commands; onEdit(id: string): void }) {
  const words = useCanvasWords()
  const { selection, shapes } = useEditorState()
  const chosen = [...selection.shapes].flatMap(id => shapeOf(shapes, id) ?? [])
  const [only] = chosen.length === 1 && selection.nodes.size === 0 ? selection.shapes : []
  const hasGroup = chosen.some(({ type }) => type === 'group')
  const isGroupable = selection.nodes.size + chosen.filter(({ type }) => type === 'note').length > 0
  const isInside = [...selection.nodes, ...selection.shapes].some(id => groupOf(shapes, id) !== undefined)
  return (
    <>
      {only !== undefined && (
        <Act
          title={hasGroup ? words.rename : words.editNote}
          icon={<EditOutlined />}
          onClick={() => onEdit(only)}
        />
      )}
      {chosen.length > 0 && (
        <fieldset className="shape-colors" aria-label={words.color}>
          {shapeColors.map(color => (
            <button
              key={color}
              type="button"
              className="shape-color"
              data-color={color}
              aria-label={words.colorName(color)}
              title={words.colorName(color)}
              aria-pressed={chosen.every(shape => shape.color === color)}
              onClick={() => commands.shapes.setColor(color)}
            />
          ))}
        </fieldset>
      )}
      {isGroupable && (
        <Act
          title={words.group}
          icon={<BorderOuterOutlined />}
          onClick={() => {
            const id = commands.shapes.group(words.newGroup)
            if (id !== undefined) onEdit(id)
          }}
        />
      )}
      {(hasGroup || isInside) && (
        <Act
          title={hasGroup ? words.ungroup : words.leaveGroup}
          icon={<UngroupOutlined />}
          onClick={commands.shapes.ungroup}
        />
      )}
    </>
  )
}
