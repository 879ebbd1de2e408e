import type { Gap, JsonRecord } from '../workflow/node-kind.ts'
import { findReferences } from '../workflow/references.ts'
import type { Outcome, Step } from '../workflow/step.ts'
import { gapAt } from './gaps.ts'
import { choice, defineKind, field, paragraph, valuesByName } from './kind-definition.ts'
import type { NodeServices } from './node-services.ts'
import { readRecord, readText } from './read-setting.ts'

export const template = defineKind({
  kind: 'template',
  nodeType: 'base',
  group: 'data',
  en: ['Template', 'Builds text for later nodes.'],
  zh: ['文本模板', '拼出一段文字供后面的节点使用，不会发给用户。'],
  fields: {
    template: field(
      paragraph,
      ['Text', 'References are replaced by their values. In Jinja2, write {{ name }} for an input.'],
      ['文本', '其中的引用会被替换。使用 Jinja2 时用 {{ 名称 }} 引用输入。'],
    ),
    syntax: field(
      choice({
        plain: { en: 'Plain text with references', zh: '纯文本加引用' },
        jinja2: { en: 'Jinja2: conditions, loops and filters', zh: 'Jinja2（条件、循环、过滤器）' },
      }),
      ['Syntax', 'Plain if empty.'],
      ['语法', '不填时为纯文本。'],
    ),
    inputs: field(
      valuesByName,
      ['Inputs', 'Variables of a Jinja2 template, by name.'],
      ['输入', 'Jinja2 模板的变量，按名称填写。'],
    ),
  },
  required: ['template'],
  initialData: { template: '{{#sys.query#}}' },
  gaps: data => (isJinja(data) ? checkJinja(readText(data, 'template')) : []),
  outputs: () => ['text', 'result'],
  waitsForTurn: true,
  run(step, data, services) {
    if (isJinja(data)) return render(step, data, services)
    return outcomeOf(step.text(readText(data, 'template')))
  },
})

const isJinja = (data: JsonRecord): boolean => readText(data, 'syntax') === 'jinja2'

const outcomeOf = (text: string): Outcome => ({ outputs: { text, result: text } })

/** Inserted into the text, values would become code of the template, so they are passed as inputs. */
async function render(step: Step, data: JsonRecord, services: NodeServices): Promise<Outcome> {
  const { workspaceId, signal } = step
  const variables = step.fill(readRecord(data, 'inputs')) as JsonRecord
  const call = {
    workspaceId,
    template: readText(data, 'template'),
    variables,
    onStart: () => step.startTimeout(),
  }
  return outcomeOf(await services.jinja.render(call, signal))
}

function checkJinja(text: string): Gap[] {
  const [first] = findReferences(text, 1)
  if (!first) return []
  const message = `A Jinja2 template has no references: add ${first.text.slice(0, 80)} to "inputs", and write {{ name }} here.`
  return gapAt('template', message)
}
