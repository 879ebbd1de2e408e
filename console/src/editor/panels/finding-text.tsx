import { type Language, useLanguage } from '../../ui/preferences.ts'
import { explainField, factsIn } from '../../ui/server-texts/message-facts.ts'
import { chineseRules } from '../../ui/server-texts/rule-texts.ts'
import { type CheckFinding, type KindRecord, useEditorState, useWorkflowEditor } from '../workflow-editor.ts'
import { placeInData } from './use-checks.ts'

const unreachable = 'No path of connections leads here from an input node, so this node never runs.'

/** Sentences about missing settings that say what to do. */
const chineseGaps: Readonly<Record<string, string>> = {
  'Choose an agent, or enter a persona.': '请选择智能体，或填写角色设定。',
  'Set the message, or the files to send.': '请填写消息，或选择要发送的文件。',
  'Set at least one value, or add a change.': '请至少填写一个值，或添加一项变更。',
  'A value needs a name.': '请填写名称。',
  'A field of a form needs a name.': '请填写表单字段的名称。',
  'A field has a value or a file; remove one of them.': '一个表单字段只能有值或文件，请移除其中一个。',
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

const exclusiveSettings = /^(.*?); remove "(\w+)" or "(\w+)"\.$/

/** Chinese beginnings of sentences about settings of which only one may be set. */
const chineseConflicts: readonly (readonly [RegExp, string])[] = [
  [/^The agent in /, '所选的智能体有自己的设置'],
  [/^A request has one body/, '一个请求只能有一个请求体'],
]

/** A sentence of the server about settings of a node, with their labels in place of their keys. */
function withLabels(language: Language, finding: CheckFinding, fields: KindRecord['fields']): string {
  const labelOf = (name: string | undefined): string | undefined =>
    fields.find(field => field.name === name)?.label[language]
  const { message } = finding
  const [, , first, second] = exclusiveSettings.exec(message) ?? []
  const [one, other] = [labelOf(first), labelOf(second)]
  const conflict = chineseConflicts.find(([begin]) => begin.test(message))
  if (language === 'zh' && one !== undefined && other !== undefined && conflict)
    return `${conflict[1]}，请移除“${one}”或“${other}”。`
  if (language === 'zh') return findingText(language, finding)
  const labelled = message.replace(/"(\w+)"/g, (quoted, name: string) => {
    const label = labelOf(name)
    return label === undefined ? quoted : `“${label}”`
  })
  return findingText(language, { ...finding, message: labelled })
}

/** Like `findingText`, but names the settings of the node by their labels in the form. */
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
      : kind && finding.rule === 'missing_setting'
        ? withLabels(language, finding, kind.fields)
        : findingText(language, finding)
  }
}

export const FindingText = ({ finding }: { finding: CheckFinding }) => useFindingText()(finding)
