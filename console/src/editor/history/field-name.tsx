import type { KindField } from '../../../../src/contract/kind-operations.ts'
import { useSay } from '../panels/node-form.ts'
import { useWorkflowEditor } from '../workflow-editor.ts'

/** What people call a field of a node: the words of its kind where it has some. */
export function FieldName({ path, kind }: { path: readonly string[]; kind: string | undefined }) {
  const say = useSay()
  const { kinds } = useWorkflowEditor()
  const [first, ...rest] = path
  if (first !== 'data' || rest.length === 0) return path.join(' › ')
  const known = [...(kinds.kinds.find(each => each.kind === kind)?.fields ?? []), ...kinds.common]
  const names: string[] = []
  let fields: readonly KindField[] = known
  for (const name of rest) {
    const field = fields.find(each => each.name === name)
    names.push(field ? say(field.label) : name)
    fields = field?.shape.fields ?? []
  }
  return names.join(' › ')
}
