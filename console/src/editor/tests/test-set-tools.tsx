import { useMutation } from '@tanstack/react-query'
import { Form, Input, Select } from 'antd'
import { call } from '../../api/call.ts'
import { DeleteButton } from '../../ui/delete-button.tsx'
import { useFailureToast } from '../../ui/failure.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { navigate } from '../../ui/router.ts'
import { defineWords } from '../../ui/words.ts'
import { type Gate, type TestSet, useRefreshTests } from './test-set-data.ts'
import { useTestWords } from './test-words.ts'

const useWords = defineWords(
  {
    renameTitle: 'Rename the test set',
    name: 'Name',
    nameNeeded: 'Enter a name',
    deleteSet: 'Delete the test set',
    deleteQuestion: 'Delete this test set?',
    deleteLost: 'Its cases and results will be deleted too.',
    deleted: 'The test set was deleted.',
  },
  {
    renameTitle: '重命名测试集',
    name: '名称',
    nameNeeded: '请填写名称',
    deleteSet: '删除测试集',
    deleteQuestion: '删除这个测试集？',
    deleteLost: '其中的用例和结果也会被删除。',
    deleted: '测试集已删除。',
  },
)

/** Selects what happens when a version is published that has not passed. */
export function GateSelect({ set, isFixed }: { set: TestSet; isFixed: boolean }) {
  const shared = useTestWords()
  const refresh = useRefreshTests()
  const showFailure = useFailureToast()
  const saving = useMutation({
    mutationFn: (gate: Gate) => call('POST /api/v1/test/update', { body: { id: set.id, gate } }),
    onSuccess: refresh,
    onError: showFailure,
  })
  const names = { off: shared.gateOff, warn: shared.gateWarn, refuse: shared.gateRefuse }
  return (
    <div className="test-gate">
      <span className="soft">{shared.gate}</span>
      <Select<Gate>
        aria-label={shared.gate}
        value={saving.isPending ? saving.variables : set.gate}
        disabled={isFixed}
        options={(['off', 'warn', 'refuse'] as const).map(value => ({ value, label: names[value] }))}
        onChange={gate => saving.mutate(gate)}
      />
    </div>
  )
}

export function DeleteSet({ set, listHref }: { set: TestSet; listHref: string }) {
  const words = useWords()
  const shared = useTestWords()
  const refresh = useRefreshTests()
  return (
    <DeleteButton
      text={shared.delete}
      label={words.deleteSet}
      question={words.deleteQuestion}
      lost={words.deleteLost}
      done={words.deleted}
      remove={() => call('POST /api/v1/test/delete', { body: { id: set.id } })}
      onRemoved={() => {
        navigate(listHref)
        return refresh()
      }}
    />
  )
}

export function RenameDialog({ set, onClose }: { set: TestSet; onClose(): void }) {
  const words = useWords()
  const refresh = useRefreshTests()
  const saving = useMutation({
    mutationFn: ({ name }: { name: string }) =>
      call('POST /api/v1/test/update', { body: { id: set.id, name: name.trim() } }),
    onSuccess: async () => {
      await refresh()
      onClose()
    },
  })
  return (
    <FormDialog
      title={words.renameTitle}
      name="rename-test-set"
      saving={saving}
      initial={{ name: set.name }}
      onClose={onClose}
    >
      <Form.Item
        name="name"
        label={words.name}
        rules={[{ required: true, whitespace: true, message: words.nameNeeded }]}
      >
        <Input autoFocus autoComplete="off" maxLength={100} />
      </Form.Item>
    </FormDialog>
  )
}
