import { type InputVariable, type VariableType, variableTypes } from '../contract/input-variable.ts'
import type { LocalizedText } from '../contract/kind-operations.ts'
import { limits } from '../contract/limits.ts'
import {
  isMissing,
  maxLengthFor,
  problemOf,
  readVariable,
  readVariables,
} from '../workflow/input-variables.ts'
import { type Gap, type JsonRecord, ownValue } from '../workflow/node-kind.ts'
import { declaredBy, declaringFields } from './declared-values.ts'
import { checkUnique, gapAt, gapsOfEach } from './gaps.ts'
import { choice, defineKind, field, objects, wholeNumber } from './kind-definition.ts'
import { readNumber, readText } from './read-setting.ts'

const ownOutputs = ['query', 'text', 'result', 'files', 'inputs']

const typeLabels: Readonly<Record<VariableType, LocalizedText>> = {
  text: { en: 'Text', zh: '文本' },
  paragraph: { en: 'Paragraph', zh: '段落' },
  number: { en: 'Number', zh: '数字' },
  select: { en: 'Select', zh: '单选' },
  checkbox: { en: 'Checkbox', zh: '复选框' },
  file: { en: 'File', zh: '单个文件' },
  files: { en: 'Files', zh: '多个文件' },
  json: { en: 'JSON', zh: 'JSON 数据' },
}

export const input = defineKind({
  kind: 'input',
  nodeType: 'base',
  group: 'talk',
  en: ['Input', "Starts with the user's message, files and input variables."],
  zh: ['输入', '流程从这里开始，接收用户的消息、文件和输入变量。'],
  fields: {
    variables: field(
      objects(
        ['name', 'type'],
        {
          name: field(
            { is: 'text', input: 'line' },
            ['Name', 'Its name in `inputs`, and of the output of this node.'],
            ['名称', '在 `inputs` 中的名称，也是本节点的输出名称。'],
          ),
          type: field(choice(typeLabels), ['Type'], ['类型']),
          label: field(
            { is: 'text', input: 'line' },
            ['Label', 'Shown in forms; the name if empty.'],
            ['显示名称', '显示在表单中；不填时使用名称。'],
          ),
          description: field(
            { is: 'text', input: 'line' },
            ['Help text', 'Shown below the field.'],
            ['填写说明', '显示在输入框下方。'],
          ),
          required: field(
            { is: 'boolean' },
            ['Required', 'A run is refused without a value.'],
            ['必填', '没有值时不会运行。'],
          ),
          default: field(
            { is: 'anything', input: 'line' },
            ['Default', 'The value where none is given; not for files.'],
            ['默认值', '没有填写时使用的值；文件没有默认值。'],
          ),
          options: field(
            { is: 'list', of: { is: 'text', input: 'line' } },
            ['Options', 'The values of a select.'],
            ['选项', '单选的可选值。'],
          ),
          max_length: field(
            wholeNumber(1, limits.messageLength),
            ['Max length', 'Characters of a text or paragraph, or number of files.'],
            ['长度上限', '文本或段落的字数，或文件的个数。'],
          ),
        },
        checkVariables,
      ),
      ['Input variables', 'Values that a run needs. Refer to them as {{#input.name#}}.'],
      ['输入变量', '运行前需要填写的值，用 {{#input.名称#}} 引用。'],
    ),
    ...declaringFields,
  },
  required: [],
  initialData: {},
  declares: declaredBy,
  outputs: data => [...ownOutputs, ...readVariables(data).map(({ name }) => name)],
  variables: readVariables,
  run({ system: { query, files, inputs } }, data) {
    const values = readVariables(data).map(({ name }) => [name, ownValue(inputs, name)])
    return { outputs: { ...Object.fromEntries(values), query, text: query, result: query, files, inputs } }
  },
})

/** Letters, digits, `_` and `-`, so that no reference to it is ambiguous. */
const nameForm = /^[\p{L}\p{N}_-]{1,100}$/u

function checkVariables(list: readonly JsonRecord[]): Gap[] {
  if (list.length > limits.inputVariables)
    return [{ place: [], message: `Must have at most ${limits.inputVariables} variables.` }]
  const checkName = checkUnique(
    'name',
    'This variable needs a name.',
    name => `Another variable is already named ${JSON.stringify(name)}.`,
  )
  return gapsOfEach(list, record => [...checkName(record), ...checkForm(record), ...checkVariable(record)])
}

function checkForm(record: JsonRecord): Gap[] {
  const name = readText(record, 'name')
  if (ownOutputs.includes(name))
    return gapAt('name', `${JSON.stringify(name)} is an output of every input node; choose another name.`)
  if (name.trim() !== '' && !nameForm.test(name))
    return gapAt('name', 'A name has at most 100 letters, digits, "_" and "-".')
  return []
}

function checkVariable(record: JsonRecord): Gap[] {
  const type = readText(record, 'type')
  if (!variableTypes.some(each => each === type))
    return gapAt('type', `Must be one of ${variableTypes.join(', ')}.`)
  const variable = readVariable(record)
  const { options } = variable
  const gaps: Gap[] = []
  if (type === 'select' && options.length === 0)
    gaps.push(...gapAt('options', 'A select needs at least one option.'))
  if (new Set(options).size < options.length) gaps.push(...gapAt('options', 'Two options are the same.'))
  const most = maxLengthFor(type)
  const length = readNumber(record, 'max_length') ?? 1
  if (most !== undefined && !(Number.isInteger(length) && length >= 1 && length <= most))
    return [...gaps, ...gapAt('max_length', `Must be a whole number from 1 to ${most}, but is ${length}.`)]
  const problem = problemOfDefault(variable)
  return problem === undefined ? gaps : [...gaps, ...gapAt('default', `The default ${problem}.`)]
}

function problemOfDefault(variable: InputVariable): string | undefined {
  const isFile = variable.type === 'file' || variable.type === 'files'
  if (isFile && !isMissing(variable, variable.default)) return 'is not possible for files'
  return problemOf(variable, variable.default)
}
