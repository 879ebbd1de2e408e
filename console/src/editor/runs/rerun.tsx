import { useMutation } from '@tanstack/react-query'
import { Form, Input } from 'antd'
import { call } from '../../api/call.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Failure } from '../../ui/failure.tsx'
import { defineWords } from '../../ui/words.ts'
import { parseInputs } from './run-texts.ts'
import { isOver, type RunDetails } from './run-view.ts'
import './run-panel.css'

export const useRerunWords = defineWords(
  {
    again: 'Run again',
    edit: 'Edit and run',
    editTitle: 'Run again with other inputs',
    question: 'Question',
    more: 'Other inputs (JSON)',
    invalid: 'Not a valid JSON object',
    run: 'Run',
    cancel: 'Cancel',
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
  },
)

type Inputs = Record<string, unknown>

/** The test of a single node cannot be repeated. */
export const isRepeatable = ({ status, trigger }: RunDetails): boolean =>
  isOver(status) && trigger !== 'debug'

interface RerunOptions {
  /** The version to run, read when the run starts; by default that of the repeated run. */
  version?: () => Promise<number>
  onStarted(runId: string): unknown
}

/** Repeats a run with its own inputs, or with others. */
export function useRerun(runId: string, { version, onStarted }: RerunOptions) {
  return useMutation({
    mutationFn: async (inputs: Inputs | undefined) =>
      call('POST /api/v1/workflow/runs/{run_id}/rerun', {
        params: { run_id: runId },
        body: { wait: 0, ...(inputs && { inputs }), ...(version && { version: await version() }) },
      }),
    onSuccess: ({ run_id }) => onStarted(run_id),
  })
}

interface Fields {
  query: string
  more: string
}

interface EditInputsProps {
  details: RunDetails
  rerun: ReturnType<typeof useRerun>
  onClose(): void
}

/** Changes the inputs before the run is repeated. */
export function EditInputs({ details, rerun, onClose }: EditInputsProps) {
  const words = useRerunWords()
  const { query, files, ...more } = (details.inputs ?? {}) as Inputs
  const others = Object.keys(more).length > 0 ? JSON.stringify(more, null, 2) : ''
  const start = (fields: Fields): void => {
    const given = parseInputs(fields.more)
    if (given) rerun.mutate({ ...given, query: fields.query, ...(Array.isArray(files) && { files }) })
  }
  return (
    <Dialog
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
    </Dialog>
  )
}
