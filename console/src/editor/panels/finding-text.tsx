import { type Language, useLanguage } from '../../ui/preferences.ts'
import { explainField, factsIn } from '../../ui/server-texts/message-facts.ts'
import { chineseRules } from '../../ui/server-texts/rule-texts.ts'
import { type CheckFinding, useEditorState, useWorkflowEditor } from '../workflow-editor.ts'
import { placeInData } from './use-checks.ts'

const unreachable = 'No path of connections leads here from an input node, so this node never runs.'

/** Sentences about missing settings that say what to do. */
const chineseGaps: Readonly<Record<string, string>> = {
  'Choose an agent, or enter a persona.': '请选择智能体，或填写角色设定。',
}

/** The text of a finding, in the language of the console. */
export function findingText(language: Language, { rule, path, message }: CheckFinding): string {
  // The server names the node by its id.
  if (language === 'en') return rule === 'unreachable' ? unreachable : message
  if (Object.hasOwn(chineseGaps, message)) return chineseGaps[message]!
  const known = rule !== undefined && Object.hasOwn(chineseRules, rule) ? chineseRules[rule] : undefined
  if (known === undefined) return explainField(language, path, message)
  // The advice after a broken reference names other values, which are not wrong.
  const facts = /^(reference|secret|credential)_/.test(rule ?? '')
    ? factsIn(message).filter(fact => message.startsWith(fact))
    : factsIn(message)
  return facts.length > 0 ? `${known}（${facts.join('、')}）` : known
}

const required = {
  en: (field: string) => `${field} ${/[^s]s$/.test(field) ? 'are' : 'is'} required.`,
  zh: (field: string) => `请填写“${field}”。`,
}

/** Like `findingText`, but names a required setting by its label in the form. */
export function useFindingText(): (finding: CheckFinding) => string {
  const language = useLanguage()
  const { kinds } = useWorkflowEditor()
  const { graph } = useEditorState()
  return finding => {
    const node = graph.nodes.find(({ id }) => id === finding.nodeId)
    const kind = kinds.kinds.find(each => each.kind === node?.data.type)
    const field = kind?.fields.find(({ name }) => `/${name}` === placeInData(finding))
    // Other problems of the field have sentences of their own.
    return field && finding.message.endsWith(' is set.')
      ? required[language](field.label[language])
      : findingText(language, finding)
  }
}

export const FindingText = ({ finding }: { finding: CheckFinding }) => useFindingText()(finding)
