import { EditOutlined } from '@ant-design/icons'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { App, Button, Input } from 'antd'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { Confirm } from '../../ui/confirm.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Failure, useFailureToast } from '../../ui/failure.tsx'
import { defineWords } from '../../ui/words.ts'
import { usePublication, usePublish } from '../publishing/use-publication.ts'
import { maxNoteLength, useWorkflowEditor } from '../workflow-editor.ts'
import type { VersionItem } from './use-versions.ts'

const useWords = defineWords(
  {
    publish: 'Publish',
    title: (version: number) => `Publish version ${version}?`,
    about: 'Agents, other workflows and programs will run this version. Your draft stays as it is.',
    isPublished: 'This version is published.',
    broken: 'This version could not run when it was saved.',
    done: (version: number) => `Version ${version} is published.`,
    cancel: 'Cancel',
  },
  {
    publish: '发布',
    title: (version: number) => `发布版本 ${version}？`,
    about: '智能体、其他工作流和程序将运行这个版本，你的草稿保持不变。',
    isPublished: '这个版本已发布。',
    broken: '保存时这个版本无法运行。',
    done: (version: number) => `版本 ${version} 已发布。`,
    cancel: '取消',
  },
)

/** Publishes an old version as it is. */
export function PublishVersionButton({ item }: { item: VersionItem }) {
  const words = useWords()
  const { message } = App.useApp()
  const showFailure = useFailureToast()
  const published = usePublication().version
  const { publish } = usePublish()
  const { version, runnable } = item
  const publishing = useMutation({
    mutationFn: () => publish({ version }),
    onSuccess: () => message.success(words.done(version)),
    onError: showFailure,
  })
  const reason = version === published ? words.isPublished : runnable ? undefined : words.broken
  return (
    <Confirm
      title={words.title(version)}
      description={<div className="roll-back-about">{words.about}</div>}
      okText={words.publish}
      cancelText={words.cancel}
      onConfirm={() => publishing.mutate()}
      disabled={reason !== undefined}
    >
      <Button disabled={reason !== undefined} loading={publishing.isPending} title={reason}>
        {words.publish}
      </Button>
    </Confirm>
  )
}

const useNoteWords = defineWords(
  {
    edit: 'Edit note',
    title: (version: number) => `Note of version ${version}`,
    about: 'A version with a note stays in the history.',
    save: 'Save',
    cancel: 'Cancel',
  },
  {
    edit: '编辑说明',
    title: (version: number) => `版本 ${version} 的说明`,
    about: '有说明的版本会一直保留在历史中。',
    save: '保存',
    cancel: '取消',
  },
)

/** Edits the note of a version. */
export function NoteButton({ item }: { item: VersionItem }) {
  const words = useNoteWords()
  const { workflowId } = useWorkflowEditor()
  const queries = useQueryClient()
  /** The note as it is typed; undefined while the dialog is closed. */
  const [note, setNote] = useState<string>()
  const { version } = item
  const saving = useMutation({
    mutationFn: () =>
      call('POST /api/v1/workflow/note', { body: { id: workflowId, version, note: note?.trim() ?? '' } }),
    onSuccess: async () => {
      close()
      await queries.invalidateQueries({ queryKey: ['workflow-versions', workflowId] })
    },
  })
  const close = (): void => {
    setNote(undefined)
    saving.reset()
  }
  return (
    <>
      <Button icon={<EditOutlined aria-hidden />} onClick={() => setNote(item.note)}>
        {words.edit}
      </Button>
      <Dialog
        open={note !== undefined}
        title={words.title(version)}
        okText={words.save}
        cancelText={words.cancel}
        confirmLoading={saving.isPending}
        onOk={() => saving.mutate()}
        onCancel={close}
        destroyOnHidden
      >
        <div className="publish-form">
          <p className="soft">{words.about}</p>
          <Input.TextArea
            aria-label={words.title(version)}
            value={note}
            maxLength={maxNoteLength}
            autoSize={{ minRows: 2, maxRows: 6 }}
            onChange={event => setNote(event.target.value)}
          />
          {saving.isError && <Failure error={saving.error} />}
        </div>
      </Dialog>
    </>
  )
}
