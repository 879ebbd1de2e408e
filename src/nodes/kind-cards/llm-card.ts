import { sourcesField } from '../llm/source.ts'
import type { KindCard } from './kind-card.ts'

export const llmCard: KindCard = {
  group: 'model',
  title: { en: 'Language model', zh: '大模型' },
  about: {
    en: 'Asks the language model, with the knowledge and the tools that it may use.',
    zh: '向大模型提问，并让它使用给定的知识和工具。',
  },
  fields: {
    prompt_template: {
      label: { en: 'Prompt', zh: '提示词' },
      help: { en: 'What the model is asked.', zh: '交给模型的内容。' },
    },
    [sourcesField]: {
      label: { en: 'Knowledge and tools', zh: '知识与工具' },
      help: {
        en: 'Knowledge bases to look things up in, and tools that the model may call: addresses, workflows, MCP servers, web search.',
        zh: '模型可以查阅的知识库，以及可以调用的工具：HTTP 接口、工作流、MCP 服务和联网搜索。',
      },
    },
    model: {
      label: { en: 'Model', zh: '模型' },
      help: { en: 'The default model where it is not set.', zh: '不填时使用默认模型。' },
    },
    temperature: {
      label: { en: 'Temperature', zh: '温度' },
      help: {
        en: 'From 0 to 2: the higher, the freer its words. As the model is set up where it is not set.',
        zh: '0 到 2，越高越发散。不填时按模型的设置。',
      },
    },
    max_tokens: {
      label: { en: 'Longest answer', zh: '最大回答长度' },
      help: { en: 'In tokens.', zh: '以 token 计。' },
    },
    system_prompt: {
      label: { en: 'System prompt', zh: '系统提示词' },
      help: { en: 'Who the model is and what it keeps to.', zh: '模型的身份和须遵守的规则。' },
    },
    history_turns: {
      label: { en: 'Earlier turns', zh: '历史轮数' },
      help: {
        en: 'How many earlier turns of the conversation the model sees, 0 to 50; none where it is not set.',
        zh: '让模型看到之前的多少轮对话，0 到 50；不填则不带历史。',
      },
    },
    json_schema: {
      label: { en: 'JSON schema of the answer', zh: '回答的 JSON Schema' },
      help: {
        en: 'With it the model answers in JSON of this form, which the output "object" holds.',
        zh: '设置后模型按此格式回答 JSON，结果在输出 object 中。',
      },
    },
    attach_files: {
      label: { en: 'Show files', zh: '附上文件' },
      help: {
        en: 'Whether the model sees the files that the user sent. Yes where it is not set.',
        zh: '是否让模型看到用户发来的文件。不填时视为“是”。',
      },
    },
  },
  data: { prompt_template: '{{#sys.query#}}', [sourcesField]: [] },
}
