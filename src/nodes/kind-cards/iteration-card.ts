import type { KindCard } from './kind-card.ts'

export const iterationCard: KindCard = {
  group: 'logic',
  title: { en: 'Iteration', zh: '循环' },
  about: {
    en: 'Runs a stored workflow for every item of a list.',
    zh: '对列表中的每一项运行一次指定的工作流。',
  },
  fields: {
    items: {
      label: { en: 'Items', zh: '列表' },
      help: {
        en: 'A list of up to 500 items, usually a reference to one.',
        zh: '最多 500 项的列表，通常是一个引用。',
      },
    },
    workflow_id: {
      label: { en: 'Workflow', zh: '工作流' },
      help: {
        en: 'Run for each item, which it finds in sys.item and sys.query.',
        zh: '对每一项运行的工作流，其中用 sys.item 或 sys.query 取得该项。',
      },
    },
    parallel: {
      label: { en: 'At the same time', zh: '并行数' },
      help: { en: 'From 1 to 10; one by one where it is not set.', zh: '1 到 10；不填则逐个进行。' },
    },
  },
  data: { items: '{{#sys.files#}}', workflow_id: '', parallel: 1 },
}
