import type { KindRecord, LocalizedText } from '../contract/kind-operations.ts'
import type { NodeKind } from '../workflow/node-kind.ts'
import type { Shape } from '../workflow/shape.ts'
import type { NodeServices } from './node-services.ts'

/** How the editor asks for a value. Nothing is refused because of it. */
interface Presentation {
  readonly input?: 'line' | 'paragraph' | 'code' | 'json' | 'model' | 'knowledge' | 'workflow' | 'address'
  /** The only texts that have a meaning here, with their labels. */
  readonly options?: Readonly<Record<string, LocalizedText>>
}

/** What a value must be, labelled down to the innermost field. */
export type FieldShape =
  | (Exclude<Shape, { is: 'list' | 'dictionary' | 'object' }> & Presentation)
  | { readonly is: 'list'; readonly of?: FieldShape }
  | { readonly is: 'dictionary'; readonly of?: FieldShape; readonly input?: Presentation['input'] }
  | { readonly is: 'object'; readonly fields: KindFields; readonly required?: readonly string[] }

/** A field of `data`: what is checked, and what the editor and the reference show, in one place. */
export type KindFields = Readonly<
  Record<string, FieldShape & { readonly label: LocalizedText; readonly help?: LocalizedText }>
>

/** A kind of node with the texts of the editor: one file, and one line in the registry. */
export interface KindDefinition<Services = NodeServices>
  extends NodeKind<Services>,
    Pick<KindRecord, 'group' | 'about'> {
  readonly label: LocalizedText
  readonly fields: KindFields
  /** Settings that a new node starts with. */
  readonly initialData: Readonly<Record<string, unknown>>
}

/** The field of every kind that calls a language model. */
export const modelField: KindFields[string] = {
  is: 'template',
  input: 'model',
  label: { en: 'Model', zh: '模型' },
  help: { en: 'Uses the default model if empty.', zh: '不填时使用默认模型。' },
}

/** The field that edges name in `data.case`. */
export const caseIdField: KindFields[string] = {
  is: 'text',
  input: 'line',
  label: { en: 'ID', zh: '标识' },
  help: { en: 'Edges refer to the branch by this ID.', zh: '连线通过此标识对应分支。' },
}
