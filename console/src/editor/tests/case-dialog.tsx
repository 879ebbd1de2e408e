import { DeleteOutlined, PlusOutlined } from '@ant-design/icons'
import { useMutation } from '@tanstack/react-query'
import { App, Button, Form, Input, Select } from 'antd'
import { call } from '../../api/call.ts'
import { cutText } from '../../ui/cut-text.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { defineWords } from '../../ui/words.ts'
import { parseInputs } from '../runs/run-texts.ts'
import { type Subject, type TestCase, type TestSet, useRefreshTests } from './test-set-data.ts'
import { checkTypes, expectedValue, useTestWords } from './test-words.ts'
import './tests.css'

const useWords = defineWords(
  {
    add: 'Add a test case',
    edit: 'Edit the test case',
    set: 'Test set',
    newSet: 'New test set',
    setName: 'Name of the new test set',
    setDefault: 'Frequent questions',
    name: 'Name (default: the question)',
    question: 'Question',
    needed: 'Enter a question or other inputs',
    more: 'Other inputs (JSON)',
    invalid: 'Not a valid JSON object',
    checks: 'Checks',
    checksAbout: 'All checks must pass. Without a check, the case passes if the run succeeds.',
    type: 'Type of check',
    value: 'Expected',
    valueNeeded: 'Enter the expected value',
    criterion: 'For example: names the number of days and is polite',
    addCheck: 'Add a check',
    removeCheck: 'Remove this check',
    added: 'The case was added.',
    saved: 'The case was saved.',
  },
  {
    add: '添加测试用例',
    edit: '编辑测试用例',
    set: '测试集',
    newSet: '新建测试集',
    setName: '新测试集的名称',
    setDefault: '常见问题',
    name: '名称（默认为问题）',
    question: '问题',
    needed: '请填写问题或其他输入',
    more: '其他输入（JSON）',
    invalid: '不是有效的 JSON 对象',
    checks: '检查',
    checksAbout: '所有检查都必须通过。没有检查时，运行成功即为通过。',
    type: '检查类型',
    value: '期望内容',
    valueNeeded: '请填写期望内容',
    criterion: '例如：说明天数，并且有礼貌',
    addCheck: '添加检查',
    removeCheck: '删除这项检查',
    added: '已添加用例。',
    saved: '已保存用例。',
  },
)

interface Fields {
  set?: string
  setName?: string
  name?: string
  query: string
  more?: string
  checks: { type: (typeof checkTypes)[number]; value: string }[]
}

/** The initial content of the dialog: a case of the set, or a run. */
export type CaseDraft = Pick<TestCase, 'inputs' | 'checks'> & { id?: string; name?: string }

const newSet = ''
const maxNameLength = 100

const fieldsOf = (draft: CaseDraft | undefined): Pick<Fields, 'name' | 'query' | 'more' | 'checks'> => {
  const { query, ...more } = draft?.inputs ?? {}
  const others = Object.entries(more).filter(([, value]) => !Array.isArray(value) || value.length > 0)
  return {
    name: draft?.name ?? '',
    query: typeof query === 'string' ? query : '',
    more: others.length > 0 ? JSON.stringify(Object.fromEntries(others), null, 2) : '',
    checks: draft?.checks.map(check => ({ type: check.type, value: expectedValue(check) })) ?? [
      { type: 'contains', value: '' },
    ],
  }
}

function caseOf({ name = '', query, more = '', checks }: Fields, unnamed: string) {
  const others = parseInputs(more) ?? {}
  return {
    name: cutText(name.trim() || query.trim() || unnamed, maxNameLength),
    inputs: { ...others, ...(query !== '' && { query }) },
    checks: checks.map(({ type, value }) =>
      type === 'json_schema' ? { type, schema: parseInputs(value) ?? {} } : { type, value },
    ),
  }
}

interface CaseDialogProps {
  /** Where the case goes. */
  to: { setId: string } | { subject: Subject; sets: readonly TestSet[] }
  draft?: CaseDraft | undefined
  onClose(): void
}

/** Adds or edits a case, by hand or from a run. */
export function CaseDialog({ to, draft, onClose }: CaseDialogProps) {
  const words = useWords()
  const { message } = App.useApp()
  const refresh = useRefreshTests()
  const [form] = Form.useForm<Fields>()
  const sets = 'sets' in to ? to.sets : []
  const chosen = Form.useWatch('set', form) ?? sets[0]?.id ?? newSet
  const saving = useMutation({
    mutationFn: async (fields: Fields) => {
      const id = 'setId' in to ? to.setId : fields.set || (await createSet(to.subject, fields))
      const body = { id, ...(draft?.id !== undefined && { case_id: draft.id }), ...caseOf(fields, words.add) }
      return call('POST /api/v1/test/saveCase', { body })
    },
    onSuccess: async () => {
      message.success(draft?.id === undefined ? words.added : words.saved)
      await refresh()
      onClose()
    },
  })
  const createSet = async (subject: Subject, { setName }: Fields): Promise<string> => {
    const body = { ...subject, name: setName?.trim() || words.setDefault }
    const { id } = await call('POST /api/v1/test/create', { body })
    // The case may be refused, and saving it again must not create another set.
    await refresh()
    form.setFieldValue('set', id)
    return id
  }
  const isObject = {
    validator: (_: unknown, text = '') =>
      parseInputs(text) ? Promise.resolve() : Promise.reject(new Error(words.invalid)),
  }
  return (
    <FormDialog
      title={draft?.id === undefined ? words.add : words.edit}
      name="test-case"
      saving={saving}
      form={form}
      initial={{ set: sets[0]?.id ?? newSet, ...fieldsOf(draft) }}
      onClose={onClose}
    >
      {'sets' in to && (
        <Form.Item name="set" label={words.set}>
          <Select
            options={[
              ...sets.map(({ id, name }) => ({ value: id, label: name })),
              { value: newSet, label: words.newSet },
            ]}
          />
        </Form.Item>
      )}
      {'sets' in to && chosen === newSet && (
        <Form.Item name="setName" label={words.setName}>
          <Input maxLength={maxNameLength} placeholder={words.setDefault} autoComplete="off" />
        </Form.Item>
      )}
      <Form.Item
        name="query"
        label={words.question}
        dependencies={['more']}
        rules={[
          ({ getFieldValue }) => ({
            validator: (_, text = '') =>
              text.trim() !== '' || (getFieldValue('more') ?? '').trim() !== ''
                ? Promise.resolve()
                : Promise.reject(new Error(words.needed)),
          }),
        ]}
      >
        <Input.TextArea autoSize={{ minRows: 2, maxRows: 8 }} autoFocus />
      </Form.Item>
      <Form.Item name="name" label={words.name}>
        <Input maxLength={maxNameLength} autoComplete="off" />
      </Form.Item>
      <Form.Item name="more" label={words.more} rules={[isObject]}>
        <Input.TextArea className="test-code" autoSize={{ minRows: 1, maxRows: 8 }} spellCheck={false} />
      </Form.Item>
      <Checks isObject={isObject} />
    </FormDialog>
  )
}

function Checks({ isObject }: { isObject: { validator(_: unknown, text?: string): Promise<void> } }) {
  const words = useWords()
  const shared = useTestWords()
  const form = Form.useFormInstance<Fields>()
  const checks = Form.useWatch('checks', form) ?? []
  return (
    <fieldset className="test-checks">
      <legend>{words.checks}</legend>
      <p className="soft small">{words.checksAbout}</p>
      <Form.List name="checks">
        {(fields, { add, remove }) => (
          <>
            {fields.map(field => {
              const type = checks[field.name]?.type
              return (
                <div key={field.key} className="test-check">
                  <Form.Item name={[field.name, 'type']} noStyle>
                    <Select
                      aria-label={words.type}
                      options={checkTypes.map(value => ({ value, label: shared[value] }))}
                    />
                  </Form.Item>
                  <Form.Item
                    name={[field.name, 'value']}
                    rules={[
                      { required: true, whitespace: true, message: words.valueNeeded },
                      ...(type === 'json_schema' ? [isObject] : []),
                    ]}
                  >
                    <Input.TextArea
                      aria-label={words.value}
                      autoSize={{ minRows: 1, maxRows: 8 }}
                      {...(type === 'judge' && { placeholder: words.criterion })}
                      className={type === 'json_schema' || type === 'regex' ? 'test-code' : ''}
                    />
                  </Form.Item>
                  <Button
                    type="text"
                    icon={<DeleteOutlined aria-hidden />}
                    aria-label={words.removeCheck}
                    title={words.removeCheck}
                    onClick={() => remove(field.name)}
                  />
                </div>
              )
            })}
            {fields.length < 10 && (
              <Button
                type="dashed"
                icon={<PlusOutlined aria-hidden />}
                onClick={() => add({ type: 'contains', value: '' })}
              >
                {words.addCheck}
              </Button>
            )}
          </>
        )}
      </Form.List>
    </fieldset>
  )
}
