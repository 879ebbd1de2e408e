import { type Gap, type JsonRecord, ownValue } from '../workflow/node-kind.ts'
import { defineKind, field, line, modelField, number, paragraph, wholeNumber } from './kind-definition.ts'
import { answerSchema } from './llm/answer-schema.ts'
import { answerWithModel, modelOutputs, modelTask } from './llm/answer-with-model.ts'
import { sharedToolsIn } from './llm/shared-tools.ts'
import { knowledgeIn, sourceGaps, sourceList, sourcesField } from './llm/sources.ts'

export const llm = defineKind({
  kind: 'llm',
  nodeType: 'base',
  group: 'model',
  en: ['Language model', 'Calls a language model, with knowledge bases and tools if needed.'],
  zh: ['语言模型', '调用语言模型，并可让它使用给定的知识和工具。'],
  fields: {
    prompt_template: field(
      paragraph,
      ['Prompt', 'The message to the model.'],
      ['提示词', '交给模型的内容。'],
    ),
    [sourcesField]: field(
      sourceList,
      [
        'Knowledge and tools',
        'Knowledge bases to search, and tools that the model may call: HTTP APIs, workflows, MCP servers, web search.',
      ],
      ['知识与工具', '模型可以查阅的知识库，以及可以调用的工具：HTTP 接口、工作流、MCP 服务和联网搜索。'],
    ),
    model: modelField,
    temperature: field(
      number(0, 2),
      [
        'Temperature',
        'From 0 to 2: the higher, the more varied the answers. Uses the default of the model if empty.',
      ],
      ['温度', '0 到 2，越高越发散。不填时按模型的设置。'],
    ),
    max_tokens: field(
      wholeNumber(1, 10_000_000),
      ['Max tokens', 'Limit of the answer, in tokens.'],
      ['回答长度上限', '以 token 计。'],
    ),
    system_prompt: field(
      paragraph,
      ['System prompt', 'The role of the model and the rules it follows.'],
      ['系统提示词', '模型的身份和须遵守的规则。'],
    ),
    history_turns: field(
      wholeNumber(0, 50),
      ['Conversation history (turns)', 'How many earlier turns the model sees, 0 to 50; none if empty.'],
      ['历史轮数', '让模型看到之前的多少轮对话，0 到 50；不填则不带历史。'],
    ),
    json_schema: field(
      { is: 'dictionary', input: 'json' },
      [
        'JSON schema of the answer',
        'If set, the model answers with JSON of this schema, available as the output "object".',
      ],
      ['回答的 JSON Schema', '设置后模型按此格式回答 JSON，结果在输出 object 中。'],
    ),
    attach_files: field(
      { is: 'boolean' },
      ['Attach files', 'Whether the model sees the files of the user. Yes if empty.'],
      ['附上文件', '是否让模型看到用户发来的文件。不填时视为“是”。'],
    ),
    files: field(
      { is: 'list', of: line },
      [
        'Files',
        'Files the model sees instead of the files of the message: references to files such as {{#input.picture#}}, or ids of uploaded files.',
      ],
      [
        '文件',
        '代替消息中的文件给模型看的文件：填写对文件的引用，如 {{#input.picture#}}，或已上传文件的 ID。',
      ],
    ),
  },
  required: ['prompt_template'],
  initialData: { prompt_template: '{{#sys.query#}}', [sourcesField]: [] },
  gaps: data => [...schemaGaps(data), ...sourceGaps(data, sourcesField)],
  sharedTools: data => sharedToolsIn(data, sourcesField),
  knowledge: data => knowledgeIn(data, sourcesField),
  outputs: data => [...modelOutputs, ...(answerSchema(data) ? ['object'] : [])],
  streams: ['text', 'result'],
  timeoutMilliseconds: 120_000,
  attempts: 3,
  run: async (step, data, services) => answerWithModel(step, services, await modelTask(step, data, services)),
})

function schemaGaps(data: JsonRecord): Gap[] {
  const type = ownValue(answerSchema(data) ?? {}, 'type')
  if (type === undefined || type === 'object') return []
  const message = 'Must describe an object: {"type": "object", "properties": {…}}.'
  return [{ place: ['json_schema', 'type'], message }]
}
