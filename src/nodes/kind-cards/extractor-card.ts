import type { FieldWords, KindCard } from './kind-card.ts'

const parameterFields: Readonly<Record<string, FieldWords>> = {
  name: {
    label: { en: 'Name', zh: '名称' },
    help: { en: 'Also the name of the output that holds its value.', zh: '也是保存它的值的输出名。' },
  },
  type: {
    label: { en: 'Type', zh: '类型' },
    help: { en: 'Text where it is not set.', zh: '不填时按文本处理。' },
    options: {
      select: { en: 'One of the options', zh: '单选' },
      array: { en: 'List', zh: '列表' },
      multi_select: { en: 'Several of the options', zh: '多选' },
      string: { en: 'Text', zh: '文本' },
      number: { en: 'Number', zh: '数字' },
      boolean: { en: 'Yes or no', zh: '是或否' },
      date: { en: 'Date', zh: '日期' },
    },
  },
  description: {
    label: { en: 'Description', zh: '说明' },
    help: {
      en: 'What is meant by it, for the model that listens and asks.',
      zh: '它指的是什么，供模型理解和提问时参考。',
    },
  },
  options: {
    label: { en: 'Options', zh: '选项' },
    help: {
      en: 'What the user sees, and the value that each stands for.',
      zh: '左边是用户看到的文字，右边是它代表的值。',
    },
  },
  required: {
    label: { en: 'Must be known', zh: '必须得到' },
    help: {
      en: 'The dialogue goes on until it is known. Yes where it is not set.',
      zh: '没有得到就会继续追问。不填时视为“是”。',
    },
  },
  default: {
    label: { en: 'Value where nothing is said', zh: '默认值' },
    help: { en: 'It is then not asked for.', zh: '有默认值时不会追问。' },
  },
}

export const extractorCard: KindCard = {
  group: 'talk',
  title: { en: 'Information extractor', zh: '信息收集' },
  about: {
    en: 'Leads a dialogue that fills parameters one by one, from what the user says and sends.',
    zh: '与用户对话，从其话语和文件中逐项收集所需的信息。',
  },
  fields: {
    parameters: {
      label: { en: 'Parameters', zh: '要收集的信息' },
      help: { en: 'What the dialogue finds out.', zh: '对话要弄清楚的各项内容。' },
      fields: parameterFields,
    },
    instruction: {
      label: { en: 'Instruction', zh: '对话要求' },
      help: { en: 'How the dialogue is led.', zh: '对话应当怎样进行。' },
    },
    role: {
      label: { en: 'Role', zh: '角色' },
      help: { en: 'Who speaks to the user.', zh: '以什么身份和用户说话。' },
    },
    model: {
      label: { en: 'Model', zh: '模型' },
      help: { en: 'The default model where it is not set.', zh: '不填时使用默认模型。' },
    },
    max_turns: {
      label: { en: 'Most turns', zh: '最多轮数' },
      help: {
        en: 'Replies of the user after which it gives up, 1 to 100; 10 where it is not set.',
        zh: '用户回答多少轮后放弃，1 到 100；不填时为 10。',
      },
    },
  },
  data: { parameters: [{ name: 'name', type: 'string', description: '', required: true }] },
}
