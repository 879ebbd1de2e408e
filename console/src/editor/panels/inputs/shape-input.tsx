import { fitsShape } from '../fits-shape.ts'
import { BooleanInput, ModelInput, NumberInput, OptionsInput, TextInput } from './basic-inputs.tsx'
import { CodeInput } from './code-input.tsx'
import { DictionaryInput } from './dictionary-input.tsx'
import type { InputProps } from './input-props.ts'
import { JsonInput } from './json-input.tsx'
import { ListInput } from './list-input.tsx'
import {
  AgentInput,
  KnowledgeInput,
  KnowledgeListInput,
  SharedToolInput,
  WorkflowInput,
} from './named-id-select.tsx'
import { ObjectInput } from './object-input.tsx'
import { ServerArgumentsInput, ServerToolInput, ServerToolListInput } from './server-tool-inputs.tsx'
import { SourcesInput } from './sources-input.tsx'
import { TemplateInput } from './template-input.tsx'
import { TreeInput, TreeOptionsInput } from './tree-input.tsx'

/** The input for a shape. A value of another shape is shown as JSON, so that it can be seen and fixed. */
export function ShapeInput(props: InputProps) {
  const { shape, value } = props
  if (!fitsShape(shape, value)) return <JsonInput {...props} hasReferences />
  switch (shape.is) {
    case 'number':
      return <NumberInput {...props} />
    case 'boolean':
      return <BooleanInput {...props} />
    case 'anything':
      return shape.input === 'line' ? <TreeInput {...props} /> : <JsonInput {...props} />
    case 'tree':
      return <TreeShapeInput {...props} />
    case 'list':
      return <ListShapeInput {...props} />
    case 'dictionary':
      return shape.of ? <DictionaryInput {...props} /> : <JsonInput {...props} must="object" />
    case 'object':
      return <ObjectInput {...props} fields={shape.fields ?? []} isOptional />
    default:
      return <WordsInput {...props} />
  }
}

function TreeShapeInput(props: InputProps) {
  if (props.shape.options) return <TreeOptionsInput {...props} />
  return props.shape.input === 'mcp_arguments' ? (
    <ServerArgumentsInput {...props} />
  ) : (
    <TreeInput {...props} />
  )
}

function ListShapeInput(props: InputProps) {
  const { shape, value } = props
  const isAllText = ((value ?? []) as unknown[]).every(each => typeof each === 'string')
  if (shape.of?.input === 'knowledge' && isAllText) return <KnowledgeListInput {...props} />
  if (shape.of?.input === 'mcp_tool' && isAllText) return <ServerToolListInput {...props} />
  if (shape.of?.input === 'source') return <SourcesInput {...props} />
  return shape.of ? <ListInput {...props} /> : <JsonInput {...props} must="list" />
}

/** A text or a template. */
function WordsInput(props: InputProps) {
  const { shape, value, onChange, pointer, label } = props
  if (shape.options) return <OptionsInput {...props} />
  switch (shape.input) {
    case 'model':
      return <ModelInput {...props} />
    case 'knowledge':
      return <KnowledgeInput {...props} />
    case 'workflow':
      return <WorkflowInput {...props} />
    case 'mcp_tool':
      return <ServerToolInput {...props} />
    case 'agent':
      return <AgentInput {...props} />
    case 'tool':
      return <SharedToolInput {...props} />
  }
  if (shape.is === 'text' && isCode(shape.input)) return <CodeInput {...props} />
  if (shape.is === 'text') return <TextInput {...props} />
  const look = shape.input === 'paragraph' ? 'paragraph' : isCode(shape.input) ? 'code' : 'line'
  return (
    <TemplateInput
      text={typeof value === 'string' ? value : ''}
      onText={onChange}
      pointer={pointer}
      label={label}
      look={look}
      language={shape.input === 'json' ? 'json' : undefined}
      hasSecrets={shape.secrets ?? false}
    />
  )
}

const isCode = (input: string | undefined): boolean => input === 'code' || input === 'json'
