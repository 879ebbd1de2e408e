import { parsedJson } from '../../../kernel/parsed-json.ts'
import type { JsonRecord } from '../../../workflow/json-record.ts'
import { numberAt, recordAt, recordsAt, setMembers, textAt } from '../read.ts'
import { agentServers, agentTools, plainParameters } from './agent-tools.ts'
import { asBase, type Convert, type ConvertedNode, type NodeConversion, Unmapped } from './kind.ts'
import { modelSettings } from './model.ts'

/** Strategies in which a model calls tools until it has the answer. */
const toolStrategies = /function_calling|function_call|react|tool/i

export const agent: Convert = given => {
  const parameters = plainParameters(given, recordAt(given.data, 'agent_parameters'))
  const strategy = textAt(given.data, 'agent_strategy_name')
  const fields = dialogueFields(parameters)
  if (fields.length > 0) return dialogue(given, fields)
  if (!toolStrategies.test(strategy)) throw new Unmapped('no_strategy', { strategy: strategy.slice(0, 100) })
  const { sources, hints } = agentTools(
    given,
    recordsAt(parameters, 'tools'),
    agentServers(given, parameters),
  )
  const persona = [given.text(textAt(parameters, 'instruction')), ...hints].filter(text => text !== '')
  if (Object.keys(modelSettings(given, recordAt(parameters, 'model'))).length > 0)
    given.note('model_has_settings')
  return asBase(
    setMembers({
      type: 'agent',
      persona: persona.join('\n\n') || 'Answer the user.',
      query: given.text(textAt(parameters, 'query')) || '{{#sys.query#}}',
      tools: sources,
      max_rounds: rounds(numberAt(parameters, 'maximum_iterations')),
    }),
  )
}

export const rounds = (given: number | undefined): number | undefined =>
  given === undefined ? undefined : Math.min(Math.max(Math.round(given), 1), 50)

/** A strategy that collects information gives a schema of the fields to ask for. */
function dialogueFields(parameters: JsonRecord): readonly JsonRecord[] {
  const text = textAt(parameters, 'task_schema') || textAt(parameters, 'information_schema')
  return recordsAt({ schema: parsedJson(text) }, 'schema', 'fields')
}

function dialogue(given: NodeConversion, fields: readonly JsonRecord[]): ConvertedNode {
  given.note('information_dialogue')
  return {
    type: 'embody',
    data: {
      type: 'multimodal_dialogue_and_information_extractor',
      id: given.id,
      parameters: fields.map(each => ({
        name: textAt(each, 'name'),
        type: 'string',
        description: textAt(each, 'question'),
        required: each['required'] !== false,
      })),
    },
  }
}
