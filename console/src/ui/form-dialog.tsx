import type { UseMutationResult } from '@tanstack/react-query'
import { Form, type FormInstance } from 'antd'
import type { ReactNode } from 'react'
import { Dialog } from './dialog.tsx'
import { Failure } from './failure.tsx'
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
  onClose: () => void
  /** The fields of the form. */
  children: ReactNode
}

/** A form that is saved or cancelled. */
export function FormDialog<Fields extends object, Saved>(props: FormDialogProps<Fields, Saved>) {
  const { title, name, saving, form, initial, okText, isReady = true, onClose, children } = props
  const words = useWords()
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
      {saving.isError && <Failure error={saving.error} />}
      <Form<Fields>
        {...(form && { form })}
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
