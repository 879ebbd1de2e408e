import { useMutation } from '@tanstack/react-query'
import { Alert, App, Button, Input } from 'antd'
import { useId, useState } from 'react'
import { ApiFailure } from '../../api/api-failure.ts'
import { Confirm } from '../../ui/confirm.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Failure, useFailureToast } from '../../ui/failure.tsx'
import { When } from '../../ui/when.tsx'
import { defineWords } from '../../ui/words.ts'
import { GuardList, useGuards } from '../tests/publish-gate.tsx'
import { maxNoteLength, type Publication, useWorkflowEditor } from '../workflow-editor.ts'
import { usePublication, usePublish } from './use-publication.ts'
import { UsedBy } from './used-by.tsx'

const useWords = defineWords(
  {
    title: 'Publish',
    never:
      'This workflow is not published: agents, other workflows and programs run every saved change at once. Once it is published, they run the published version, and your changes stay a draft.',
    same: (version: number) => `Version ${version} is published, and nothing has changed since.`,
    differs: (version: number) =>
      `Agents, other workflows and programs run version ${version}. Your changes since then are a draft.`,
    gap: ' ',
    publishedAt: 'Published',
    note: 'What is new (optional)',
    publish: 'Publish',
    done: (version: number) => `Version ${version} is published.`,
    problems: 'Fix the problems in Checks before you publish.',
    close: 'Close',
    unpublish: 'Unpublish',
    unpublishTitle: 'Unpublish this workflow?',
    unpublishAbout:
      'Agents, other workflows and programs will run the newest version, and every change takes effect at once.',
    unpublished: 'The workflow is no longer published.',
    cancel: 'Cancel',
    reason: 'Reason to publish although tests have not passed',
    reasonAbout: 'A test set blocks this version. The reason is written to the audit log.',
    refused: 'Not published: a test set has not passed. Fix the failed cases, or enter a reason above.',
    anyway: 'Publish anyway',
    warned: (version: number) => `Version ${version} is published, although tests have not passed with it.`,
  },
  {
    title: '发布',
    never:
      '这个工作流尚未发布：每次保存的修改都会立即对智能体、其他工作流和程序生效。发布后它们只运行已发布的版本，之后的修改只是草稿。',
    same: (version: number) => `版本 ${version} 已发布，此后没有修改。`,
    differs: (version: number) => `智能体、其他工作流和程序运行的是版本 ${version}，此后的修改只是草稿。`,
    gap: '',
    publishedAt: '发布时间',
    note: '更新说明（可选）',
    publish: '发布',
    done: (version: number) => `版本 ${version} 已发布。`,
    problems: '请先解决“检查”中的问题再发布。',
    close: '关闭',
    unpublish: '取消发布',
    unpublishTitle: '取消发布这个工作流？',
    unpublishAbout: '智能体、其他工作流和程序将运行最新版本，每次修改都会立即生效。',
    unpublished: '已取消发布。',
    cancel: '取消',
    reason: '测试未通过仍要发布的原因',
    reasonAbout: '有测试集阻止发布此版本。原因会写入审计日志。',
    refused: '未发布：有测试集未通过。请修复问题，或在上方填写原因。',
    anyway: '仍然发布',
    warned: (version: number) => `版本 ${version} 已发布，但测试尚未全部通过。`,
  },
)

const maxReasonLength = 300

/** Whether publishing was refused because of tests: their failures are already listed. */
const isRefusal = (error: unknown): boolean => error instanceof ApiFailure && error.reason === 'tests_failed'

/** Whether the edited graph is the published one. */
export function useIsPublished({ version }: Publication): boolean {
  const { saving } = useWorkflowEditor()
  return version === saving.version && saving.status === 'saved'
}

/** Shows the published version and what uses it; editors publish the edited graph here. */
export function PublishDialog({ open, onClose }: { open: boolean; onClose(): void }) {
  const words = useWords()
  const { workflowId, saving, checks, mayWrite } = useWorkflowEditor()
  const { message } = App.useApp()
  const publication = usePublication()
  const isPublished = useIsPublished(publication)
  const { publish } = usePublish()
  const [note, setNote] = useState('')
  const [reason, setReason] = useState('')
  // An unsaved change becomes a new version, which no test has run with.
  const version = saving.status === 'saved' ? saving.version : 0
  const { guards, isRefused } = useGuards(workflowId, version, { enabled: open })
  const publishing = useMutation({
    mutationFn: async () => {
      const version = await saving.flush()
      const warnings = await publish({
        version,
        ...(note.trim() !== '' && { note: note.trim() }),
        ...(isRefused && reason.trim() !== '' && { force_reason: reason.trim() }),
      })
      return { version, warnings }
    },
    onSuccess: ({ version, warnings }) => {
      if (warnings.length > 0) message.warning(words.warned(version))
      else message.success(words.done(version))
      close()
    },
  })
  const close = (): void => {
    setNote('')
    setReason('')
    publishing.reset()
    onClose()
  }
  const isBroken = !checks.runnable && !checks.isPending
  const noteId = useId()
  const reasonId = useId()
  const isPublishable = mayWrite && !isPublished
  return (
    <Dialog
      open={open}
      title={words.title}
      onCancel={close}
      destroyOnHidden
      footer={
        <>
          {mayWrite && publication.version !== null && <UnpublishButton onDone={close} />}
          <Button onClick={close}>{words.close}</Button>
          {isPublishable && (
            <Button
              type="primary"
              disabled={isBroken}
              loading={publishing.isPending}
              onClick={() => publishing.mutate()}
            >
              {isRefused && reason.trim() !== '' ? words.anyway : words.publish}
            </Button>
          )}
        </>
      }
    >
      <div className="publish-form">
        <PublishedText publication={publication} isPublished={isPublished} />
        {isPublishable && isBroken && <p>{words.problems}</p>}
        {isPublishable && (
          <div className="publish-note">
            <label htmlFor={noteId}>{words.note}</label>
            <Input.TextArea
              id={noteId}
              value={note}
              maxLength={maxNoteLength}
              autoSize={{ minRows: 2, maxRows: 6 }}
              onChange={event => setNote(event.target.value)}
            />
          </div>
        )}
        {isPublishable && <GuardList guards={guards} />}
        {isPublishable && isRefused && (
          <div className="publish-note">
            <label htmlFor={reasonId}>{words.reason}</label>
            <Input.TextArea
              id={reasonId}
              value={reason}
              maxLength={maxReasonLength}
              autoSize={{ minRows: 1, maxRows: 4 }}
              aria-describedby={`${reasonId}-about`}
              onChange={event => setReason(event.target.value)}
            />
            <span id={`${reasonId}-about`} className="soft small">
              {words.reasonAbout}
            </span>
          </div>
        )}
        {publishing.isError &&
          (isRefusal(publishing.error) ? (
            <Alert type="error" showIcon role="alert" title={words.refused} />
          ) : (
            <Failure error={publishing.error} />
          ))}
        {open && <UsedBy workflowId={workflowId} />}
      </div>
    </Dialog>
  )
}

function PublishedText({ publication, isPublished }: { publication: Publication; isPublished: boolean }) {
  const words = useWords()
  const { version, at } = publication
  if (version === null) return <p>{words.never}</p>
  return (
    <p>
      {isPublished ? words.same(version) : words.differs(version)}
      {at !== null && (
        <span className="soft small">
          {words.gap}
          {words.publishedAt} <When time={at} />
        </span>
      )}
    </p>
  )
}

function UnpublishButton({ onDone }: { onDone(): void }) {
  const words = useWords()
  const { message } = App.useApp()
  const showFailure = useFailureToast()
  const { unpublish } = usePublish()
  const unpublishing = useMutation({
    mutationFn: unpublish,
    onSuccess: () => {
      message.success(words.unpublished)
      onDone()
    },
    onError: showFailure,
  })
  return (
    <Confirm
      title={words.unpublishTitle}
      description={<div className="roll-back-about">{words.unpublishAbout}</div>}
      okText={words.unpublish}
      cancelText={words.cancel}
      onConfirm={() => unpublishing.mutate()}
    >
      <Button danger loading={unpublishing.isPending}>
        {words.unpublish}
      </Button>
    </Confirm>
  )
}
