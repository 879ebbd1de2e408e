import { stepFailed } from '../workflow/step.ts'
import { gapAt } from './gaps.ts'
import { defineKind, field } from './kind-definition.ts'
import { readText } from './read-setting.ts'

const replaceIt = 'This node could not be imported. Replace it by other nodes, or remove it.'

/** Keeps what an import could not map; the workflow cannot run until it is replaced. */
export const unmapped = defineKind({
  kind: 'unmapped',
  nodeType: 'base',
  group: 'tools',
  isHidden: true,
  en: [
    'Not imported',
    'Keeps the settings of a node that could not be imported. Replace it with other nodes.',
  ],
  zh: ['未能导入', '保存了未能导入的节点的原始设置，请用其他节点代替它。'],
  fields: {
    message: field(
      { is: 'text', input: 'paragraph' },
      ['Reason', 'Why it could not be imported, and what to do.'],
      ['原因', '为什么未能导入，以及如何处理。'],
    ),
    original: field(
      { is: 'anything', input: 'json' },
      ['Original settings', 'As they were in the file.'],
      ['原始设置', '文件中的原始内容。'],
    ),
    source: field(
      { is: 'text', input: 'line' },
      ['Source', 'Where the file came from.'],
      ['来源', '文件来自哪个平台。'],
    ),
  },
  required: [],
  initialData: { message: '', original: {} },
  gaps: data => gapAt('type', readText(data, 'message').trim() || replaceIt),
  // The outputs are those of the original node.
  outputs: () => undefined,
  run(_, data) {
    throw stepFailed(readText(data, 'message').trim() || replaceIt)
  },
})
