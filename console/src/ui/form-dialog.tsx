import type { UseMutationResult } from '@tanstack/react-query'
import { Form, type FormInstance } from 'antd'
import { type ReactNode, useEffect, useEffectEvent } from 'react'
import { ApiFailure } from '../api/api-failure.ts'
import { Dialog } from './dialog.tsx'
import { Failure } from './failure.tsx'
import { useLanguage } from './preferences.ts'
import { explainRefusal } from './server-texts/message-facts.ts'
import { defineWords } from './words.ts'

const useWords = defineWords({ save: 'Save', cancel: 'Cancel' }, { save: '保存', cancel: '取消' })

interface FormDialogProps<Fields extends object, Saved> {
  title: string
  /** The id of the form in the page. */
  name: string
  saving: UseMutationResult<Saved, Error, Fields>
  form?: FormInstance<Fields>
  initial?: Partial<Fields>
  /** Text of the button that submits the form, if not "Save". */
  okText?: string
  /** Whether the form can be submitted. */
  isReady?: boolean
  /** Whether the fields have the names of the request, so that the server's refusals are shown below them. */
  isNamedAsRequest?: boolean
  onClose: () => void
  /** The fields of the form. */
  children: ReactNode
}

/** A form that is saved or cancelled. */
export function FormDialog<Fields extends object, Saved>(props: FormDialogProps<Fields, Saved>) {
  const { title, name, saving, initial, okText, isReady = true, onClose, children } = props
  const words = useWords()
  const [own] = Form.useForm<Fields>()
  const form = props.form ?? own
  const isAtFields = useRefusedFields(form, props.isNamedAsRequest ? saving.error : null)
  return (
    <Dialog
      open
      title={title}
      okText={okText ?? words.save}
      cancelText={words.cancel}
      confirmLoading={saving.isPending}
      // The button belongs to the form, so that Enter in a field submits it.
      okButtonProps={{ htmlType: 'submit', form: name, disabled: !isReady }}
      onCancel={onClose}
    >
      {saving.isError && !isAtFields && <Failure error={saving.error} />}
      <Form<Fields>
        form={form}
        name={name}
        layout="vertical"
        requiredMark={false}
        {...(initial && { initialValues: initial })}
        onFinish={fields => saving.mutate(fields)}
      >
        {children}
      </Form>
    </Dialog>
  )
}

/** Shows below each field why the server refused it; true if that explains the whole failure. */
function useRefusedFields(form: FormInstance, error: Error | null): boolean {
  const language = useLanguage()
  const errors = error instanceof ApiFailure ? error.errors : []
  const refused = errors.flatMap(({ path, message }) => {
    const name = path.split('/').slice(1)
    return form.getFieldInstance(name) ? [{ name, errors: [explainRefusal(language, message)] }] : []
  })
  const show = useEffectEvent(() => {
    form.setFields(refused)
    if (refused[0]) form.focusField(refused[0].name)
  })
  // Once for every failure: later input clears it.
  useEffect(() => {
    if (error) show()
  }, [error])
  return refused.length > 0 && refused.length === errors.length
}
