import { useMutation } from '@tanstack/react-query'
import { App, InputNumber, Switch } from 'antd'
import { call } from '../../../api/call.ts'
import { useMay } from '../../../session/use-session.ts'
import { useFailureToast } from '../../../ui/failure.tsx'
import { defineWords } from '../../../ui/words.ts'
import { type KnowledgeBase, useRefreshKnowledge } from '../use-knowledge.ts'

const useWords = defineWords(
  {
    title: 'Check changes of settings',
    max: 'Questions that may be lost',
    about:
      'Before a new index (chunking or embedding) replaces the current one, all golden questions are searched in it. If more than this number are lost, the current index stays in use until you accept or discard the change. New search options apply at once; lost questions are reported, and you can restore the previous options.',
    off: 'Changes take effect without a check.',
    saved: 'Saved.',
  },
  {
    title: '检查设置的更改',
    max: '允许丢失的问题数',
    about:
      '新索引（切分或向量模型）替换现有索引之前，会用全部标准问题测试。如果丢失的问题超过此数，在你接受或放弃更改之前，仍使用现有索引。新的搜索选项立即生效；如有问题丢失会提示，可以恢复之前的选项。',
    off: '更改不经检查直接生效。',
    saved: '已保存。',
  },
)

const maxLost = 500

/** Sets whether a change that loses golden questions may go live. */
export function GoldenSetting({ base }: { base: KnowledgeBase }) {
  const words = useWords()
  const may = useMay()
  const { message } = App.useApp()
  const refresh = useRefreshKnowledge()
  const { golden_max_lost: current, knowledge_id: knowledgeId } = base
  const saving = useMutation({
    mutationFn: (value: number | null) =>
      call('POST /api/v1/knowledge/{knowledge_id}/update', {
        params: { knowledge_id: knowledgeId },
        body: { golden_max_lost: value },
      }),
    onSuccess: async () => {
      await refresh(knowledgeId)
      message.success(words.saved)
    },
    onError: useFailureToast(),
  })
  const value = saving.isPending ? saving.variables : current
  const isOn = value !== null
  const save = (typed: string): void => {
    const next = Number(typed)
    if (typed.trim() !== '' && Number.isInteger(next) && next >= 0 && next <= maxLost && next !== current)
      saving.mutate(next)
  }
  return (
    <section className="golden-setting" aria-label={words.title}>
      <div className="golden-setting-fields">
        <Switch
          aria-label={words.title}
          checked={isOn}
          disabled={!may.write}
          loading={saving.isPending}
          onChange={on => saving.mutate(on ? 0 : null)}
        />
        <strong>{words.title}</strong>
        {isOn && (
          <span className="golden-setting-number">
            <span>{words.max}</span>
            <InputNumber
              // Shows the saved value, also when another user changes it.
              key={value}
              aria-label={words.max}
              min={0}
              max={maxLost}
              precision={0}
              changeOnWheel={false}
              disabled={!may.write}
              defaultValue={value}
              onBlur={event => save(event.target.value)}
              onPressEnter={event => (event.target as HTMLInputElement).blur()}
            />
          </span>
        )}
      </div>
      <p className="soft small">{isOn ? words.about : words.off}</p>
    </section>
  )
}
