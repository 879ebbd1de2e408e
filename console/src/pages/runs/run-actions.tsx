import { useMutation } from '@tanstack/react-query'
import { App, Button, Dropdown, Form, Input, Modal } from 'antd'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { saveTrace } from '../../api/save-file.ts'
import { parseInputs } from '../../editor/runs/run-texts.ts'
import { isOver, type RunDetails } from '../../editor/runs/run-view.ts'
import { useMay } from '../../session/use-session.ts'
import { Failure } from '../../ui/failure.tsx'
import { navigate, pathTo } from '../../ui/router.ts'
import { defineWords } from '../../ui/words.ts'

const useWords = defineWords(
  {
    again: 'Run again',
    edit: 'Edit and run',
    editTitle: 'Run again with other inputs',
    question: 'Question',
    more: 'Other inputs (JSON)',
    invalid: 'Not a valid JSON object',
    run: 'Run',
    cancel: 'Cancel',
    compare: 'Compare with the earlier run',
    export: 'Export',
    json: 'Run with all steps (JSON)',
    otlp: 'Trace for OpenTelemetry (OTLP)',
    failed: 'Export failed',
  },
  {
    again: '重新运行',
    edit: '修改后运行',
    editTitle: '修改输入后重新运行',
    question: '问题',
    more: '其他输入（JSON）',
    invalid: '不是有效的 JSON 对象',
    run: '运行',
    cancel: '取消',
    compare: '与之前的运行对比',
    export: '导出',
    json: '运行及全部步骤（JSON）',
    otlp: 'OpenTelemetry 追踪（OTLP）',
    failed: '导出失败',
  },
)

type Inputs = Record<string, unknown>

function useRerun(runId: string) {
  return useMutation({
    mutationFn: (inputs: Inputs | undefined) =>
      call('POST /api/v1/workflow/runs/{run_id}/rerun', {
        params: { run_id: runId },
        body: { wait: 0, ...(inputs && { inputs }) },
      }),
    onSuccess: ({ run_id }) => navigate(pathTo('runs', run_id)),
  })
}

/** Repeats a run, compares it with the one it repeats, and exports it. */
export function RunActions({ details }: { details: RunDetails }) {
  const words = useWords()
  const may = useMay()
  const { message } = App.useApp()
  const [isEditing, setIsEditing] = useState(false)
  const rerun = useRerun(details.run_id)
  const save = (format: 'json' | 'otlp') =>
    saveTrace(details.run_id, format).catch(() => message.error(words.failed))
  return (
    <>
      {rerun.isError && !isEditing && <Failure error={rerun.error} />}
      {may.write && isOver(details.status) && details.trigger !== 'debug' && (
        <>
          <Button type="primary" loading={rerun.isPending} onClick={() => rerun.mutate(undefined)}>
            {words.again}
          </Button>
          <Button onClick={() => setIsEditing(true)}>{words.edit}</Button>
        </>
      )}
      {details.rerun_of !== '' && (
        <Button href={`${pathTo('runs', 'compare')}?a=${details.rerun_of}&b=${details.run_id}`}>
          {words.compare}
        </Button>
      )}
      <Dropdown
        trigger={['click']}
        menu={{
          items: [
            { key: 'json', label: words.json, onClick: () => void save('json') },
            { key: 'otlp', label: words.otlp, onClick: () => void save('otlp') },
          ],
        }}
      >
        <Button aria-haspopup="menu">{words.export}</Button>
      </Dropdown>
      {isEditing && <EditInputs details={details} onClose={() => setIsEditing(false)} />}
    </>
  )
}

interface Fields {
  query: string
  more: string
}

function EditInputs({ details, onClose }: { details: RunDetails; onClose(): void }) {
  const words = useWords()
  const rerun = useRerun(details.run_id)
  const { query, files, ...more } = (details.inputs ?? {}) as Inputs
  const others = Object.keys(more).length > 0 ? JSON.stringify(more, null, 2) : ''
  const start = (fields: Fields): void => {
    const given = parseInputs(fields.more)
    if (given) rerun.mutate({ ...given, query: fields.query, ...(Array.isArray(files) && { files }) })
  }
  return (
    <Modal
      open
      title={words.editTitle}
      okText={words.run}
      cancelText={words.cancel}
      confirmLoading={rerun.isPending}
      okButtonProps={{ htmlType: 'submit', form: 'rerun' }}
      onCancel={onClose}
    >
      {rerun.isError && <Failure error={rerun.error} />}
      <Form<Fields>
        name="rerun"
        layout="vertical"
        initialValues={{ query: typeof query === 'string' ? query : '', more: others }}
        onFinish={start}
      >
        <Form.Item name="query" label={words.question}>
          <Input.TextArea autoSize={{ minRows: 2, maxRows: 10 }} autoFocus />
        </Form.Item>
        <Form.Item
          name="more"
          label={words.more}
          rules={[
            {
              validator: (_, text: string) =>
                parseInputs(text ?? '') ? Promise.resolve() : Promise.reject(new Error(words.invalid)),
            },
          ]}
        >
          <Input.TextArea className="rerun-json" autoSize={{ minRows: 2, maxRows: 12 }} spellCheck={false} />
        </Form.Item>
      </Form>
    </Modal>
  )
}
