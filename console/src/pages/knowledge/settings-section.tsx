import { useMutation } from '@tanstack/react-query'
import { App, Button, Form, type FormInstance } from 'antd'
import { type ReactNode, useEffect } from 'react'
import { call } from '../../api/call.ts'
import { useMay } from '../../session/use-session.ts'
import { Failure } from '../../ui/failure.tsx'
import { useUnsavedInput } from '../../ui/use-unsaved-input.ts'
import { defineWords } from '../../ui/words.ts'
import { patchOf, rebased, type SettingsForm, settingsOf, withFields } from './settings-form.ts'
import { type KnowledgeBase, useRefreshKnowledge } from './use-knowledge.ts'

const useWords = defineWords(
  {
    save: 'Save',
    saveIndex: 'Save and re-index',
    saved: 'Saved.',
    savedIndex: 'Saved. Re-indexing all documents.',
    confirm: 'Re-index all documents?',
    confirmAbout: (documents: number) =>
      `${documents === 1 ? '1 document is' : `All ${documents} documents are`} re-processed in the background. Edits made to passages will be lost.`,
    cancel: 'Cancel',
  },
  {
    save: '保存',
    saveIndex: '保存并重建索引',
    saved: '已保存。',
    savedIndex: '已保存，正在重建索引。',
    confirm: '重建全部索引？',
    confirmAbout: (documents: number) =>
      `将在后台重新处理全部 ${documents} 个文档，对段落所做的手工修改会丢失。`,
    cancel: '取消',
  },
)

interface SettingsSectionProps {
  base: KnowledgeBase
  /** Identifies the section's unsaved input. */
  name: string
  title: string
  about?: string
  /** Whether a change re-indexes all documents. */
  isIndex?: boolean
  /** Buttons beside the one that saves; `change` sets fields as if they were typed. */
  tools?: (form: FormInstance<SettingsForm>, change: (fields: Partial<SettingsForm>) => void) => ReactNode
  children: ReactNode
}

interface Edited {
  /** The settings when editing started. */
  start: SettingsForm
  fields: Partial<SettingsForm>
}

/** A section of the settings with its own form; only changed values are sent. */
export function SettingsSection(props: SettingsSectionProps) {
  const { base, name, title, about, isIndex = false, tools, children } = props
  const words = useWords()
  const may = useMay()
  const { message, modal } = App.useApp()
  const refresh = useRefreshKnowledge()
  const [form] = Form.useForm<SettingsForm>()
  const [edited, keep] = useUnsavedInput<Edited>(`settings ${base.knowledge_id} ${name}`)
  const saved = settingsOf(base)
  const start = edited?.start ?? saved
  const typed = (): SettingsForm => withFields(start, form.getFieldsValue())
  // biome-ignore lint/correctness/useExhaustiveDependencies: an unedited form follows the saved settings
  useEffect(() => {
    if (!edited) form.setFieldsValue(settingsOf(base))
  }, [base])
  const update = useMutation({
    mutationFn: (sent: SettingsForm) =>
      call('POST /api/v1/knowledge/{knowledge_id}/update', {
        params: { knowledge_id: base.knowledge_id },
        // Compared with the state when editing started, so that concurrent changes of others are not reverted.
        body: patchOf(sent, start),
      }),
    onSuccess: async (answer, sent) => {
      message.success(answer.reindexing ? words.savedIndex : words.saved)
      const now = settingsOf(answer)
      form.setFieldsValue(rebased(withFields(sent, form.getFieldsValue()), sent, now))
      remember(now)
      await refresh(base.knowledge_id)
    },
  })
  const remember = (before: SettingsForm): void => {
    const fields = form.getFieldsValue()
    const isChanged = Object.keys(patchOf(withFields(before, fields), before)).length > 0
    keep(isChanged ? { start: before, fields } : undefined)
  }
  const change = (fields: Partial<SettingsForm>): void => {
    form.setFieldsValue(fields)
    remember(start)
  }
  const submit = (): void => {
    if (!isIndex || base.document_count === 0) update.mutate(typed())
    else
      modal.confirm({
        title: words.confirm,
        content: words.confirmAbout(base.document_count),
        okText: words.saveIndex,
        cancelText: words.cancel,
        onOk: () => update.mutate(typed()),
      })
  }
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      {about !== undefined && <p className="soft">{about}</p>}
      <Form
        form={form}
        layout="vertical"
        initialValues={edited ? withFields(start, edited.fields) : saved}
        disabled={!may.write}
        onValuesChange={() => remember(start)}
        onFinish={submit}
      >
        {children}
        {update.isError && <Failure error={update.error} />}
        {may.write && (
          <div className="kb-settings-buttons">
            <Button type="primary" htmlType="submit" disabled={!edited} loading={update.isPending}>
              {isIndex ? words.saveIndex : words.save}
            </Button>
            {tools?.(form, change)}
          </div>
        )}
      </Form>
    </section>
  )
}
