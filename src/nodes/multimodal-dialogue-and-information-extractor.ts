import { type Gap, isJsonRecord, type JsonRecord, type NodeKind, ownValue } from '../workflow/node-kind.ts'

/** Leads a dialogue that fills parameters one by one. */
export const multimodalDialogueAndInformationExtractor: NodeKind = {
  kind: 'multimodal_dialogue_and_information_extractor',
  nodeType: 'embody',
  title: 'Information extractor',
  fields: {
    parameters: {
      is: 'list',
      of: {
        is: 'object',
        fields: {
          name: { is: 'text' },
          type: { is: 'text' },
          description: { is: 'text' },
          options: { is: 'dictionary', of: { is: 'text' } },
        },
      },
    },
    instruction: { is: 'text' },
    role: { is: 'text' },
  },
  repeatsNodeId: 'id',
  templates: ['instruction', 'role'],
  required: ['parameters'],
  gaps: data => parametersOf(data).flatMap(findGaps),
  outputs: data => [...new Set([...parametersOf(data).flatMap(nameOf), 'result', 'text'])],
}

function parametersOf(data: JsonRecord): JsonRecord[] {
  const parameters = ownValue(data, 'parameters')
  return Array.isArray(parameters) ? parameters.filter(isJsonRecord) : []
}

function nameOf(parameter: JsonRecord): string[] {
  const name = ownValue(parameter, 'name')
  return typeof name === 'string' && name.trim() !== '' ? [name] : []
}

function findGaps(parameter: JsonRecord, index: number): Gap[] {
  const gaps: Gap[] = []
  if (nameOf(parameter).length === 0) {
    const message = 'This parameter needs a name, which is also the name of its output.'
    gaps.push({ place: ['parameters', index, 'name'], message })
  }
  const options = ownValue(parameter, 'options')
  const hasOptions = isJsonRecord(options) && Object.keys(options).length > 0
  if (ownValue(parameter, 'type') === 'select' && !hasOptions) {
    const message = 'A parameter of the type "select" needs at least one option to select from.'
    gaps.push({ place: ['parameters', index, 'options'], message })
  }
  return gaps
}
