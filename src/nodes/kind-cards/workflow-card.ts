import type { KindCard } from './kind-card.ts'

export const workflowCard: KindCard = {
  group: 'logic',
  title: { en: 'Workflow', zh: '子工作流' },
  about: {
    en: 'Runs another stored workflow in place of this node.',
    zh: '在此处运行另一个已保存的工作流。',
  },
  fields: {
    workflow_id: {
      label: { en: 'Workflow', zh: '工作流' },
      help: { en: 'The one that is run.', zh: '要运行的工作流。' },
    },
    inputs: {
      label: { en: 'Inputs', zh: '输入' },
      help: {
        en: 'What it is handed, by name. Without them it is asked what this one was asked.',
        zh: '交给它的内容，按名称填写。不填时沿用当前的提问和文件。',
      },
    },
    speaks: {
      label: { en: 'May speak', zh: '允许说话' },
      help: {
        en: 'Whether the user hears what it says. Yes where it is not set.',
        zh: '它说的话是否让用户看到。不填时视为“是”。',
      },
    },
  },
  data: { workflow_id: '', inputs: { query: '{{#sys.query#}}' }, speaks: true },
}
