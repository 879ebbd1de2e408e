import { useMutation } from '@tanstack/react-query'
import { App, Button, Form } from 'antd'
import { type ReactNode, useState } from 'react'
import { call } from '../../api/call.ts'
import { useMay } from '../../session/use-session.ts'
import { Failure } from '../../ui/failure.tsx'
import { defineWords } from '../../ui/words.ts'
import { type SettingsForm, settingsOf, type Wishes, wishesOf, withFields } from './settings-form.ts'
import { type KnowledgeBase, useRefreshKnowledge } from './use-knowledge.ts'

const useWords = defineWords(
  {
    save: 'Save',
    saveIndex: 'Save and index anew',
    saved: 'Saved.',
    savedIndex: 'Saved. Everything is being indexed anew.',
    confirm: 'Index everything anew?',
    confirmAbout: (documents: number) =>
      `${documents === 1 ? '1 document is' : `All ${documents} documents are`} read again in the background. Corrections made to passages by hand are lost.`,
    cancel: 'Cancel',
  },
  {
    save: '保存',
    saveIndex: '保存并重建索引',
    saved: '已保存。',
    savedIndex: '已保存，正在重建索引。',
    confirm: '重建全部索引？',
    confirmAbout: (documents: number) =>
      `将在后台重新读取全部 ${documents} 个文档，对片段所做的手工修改会丢失。`,
    cancel: '取消',
  },
)

interface SettingsSectionProps {
  base: KnowledgeBase
  title: string
  about?: string

  /** Whether a change indexes everything anew. */
  isIndex?: boolean
  children: ReactNode
}

/** A part of the settings with a form of its own; only what was changed in it is sent. */
export function SettingsSection({ base, title, about, isIndex = false, children }: SettingsSectionProps) {
  const words = useWords()
  const may = useMay()
  const { message, modal } = App.useApp()
  const refresh = useRefreshKnowledge()
  const [form] = Form.useForm<SettingsForm>()
  const [isChanged, setIsChanged] = useState(false)
  const before = settingsOf(base)
  const wishes = (): Wishes => wishesOf(withFields(before, form.getFieldsValue()), before)
  const update = useMutation({
    mutationFn: (body: Wishes) =>
      call('POST /api/v1/knowledge/{knowledge_id}/update', {
        params: { knowledge_id: base.knowledge_id },
        body,
      }),
    onSuccess: async saved => {
      message.success(saved.reindexing ? words.savedIndex : words.saved)
      form.setFieldsValue(settingsOf(saved))
      setIsChanged(false)
      await refresh(base.knowledge_id)
    },
  })
  const submit = (): void => {
    if (!isIndex || base.document_count === 0) update.mutate(wishes())
    else
      modal.confirm({
        title: words.confirm,
        content: words.confirmAbout(base.document_count),
        okText: words.saveIndex,
        cancelText: words.cancel,
        onOk: () => update.mutate(wishes()),
      })
  }
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      {about !== undefined && <p className="soft">{about}</p>}
      <Form
        form={form}
        layout="vertical"
        initialValues={before}
        disabled={!may.write}
        onValuesChange={() => setIsChanged(Object.keys(wishes()).length > 0)}
        onFinish={submit}
      >
        {children}
        {update.isError && <Failure error={update.error} />}
        {may.write && (
          <Button type="primary" htmlType="submit" disabled={!isChanged} loading={update.isPending}>
            {isIndex ? words.saveIndex : words.save}
          </Button>
        )}
      </Form>
    </section>
  )
}
