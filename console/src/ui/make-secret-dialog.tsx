import type { UseMutationResult } from '@tanstack/react-query'
import { Form, type FormInstance, Modal } from 'antd'
import type { ReactNode } from 'react'
import { Failure } from './failure.tsx'

interface MakeSecretDialogProps<Fields extends object, Made> {
  create: UseMutationResult<Made, Error, Fields>
  form: FormInstance<Fields>
  /** Names the form's fields in the page. */
  name: string
  initial?: Partial<Fields>
  words: { title: string; ready: (made: Made) => string; create: string; cancel: string; done: string }
  onClose: () => void
  /** The fields of the form. */
  children: ReactNode
  /** Shows the secret. */
  made: (made: Made) => ReactNode
}

/** Asks for what is needed to make something, then shows its secret, which nobody can see a second time. */
export function MakeSecretDialog<Fields extends object, Made>(props: MakeSecretDialogProps<Fields, Made>) {
  const { create, form, name, initial, words, onClose, children } = props
  const made = create.data
  return (
    <Modal
      open
      title={made ? words.ready(made) : words.title}
      okText={made ? words.done : words.create}
      cancelText={words.cancel}
      confirmLoading={create.isPending}
      // Neither a stray click nor a stray key may throw away what is shown only once, or is about to be.
      mask={{ closable: false }}
      keyboard={!made && !create.isPending}
      closable={!create.isPending}
      cancelButtonProps={{ disabled: create.isPending, ...(made && { style: { display: 'none' } }) }}
      onOk={made ? onClose : form.submit}
      onCancel={onClose}
    >
      {create.isError && <Failure error={create.error} />}
      {made ? (
        props.made(made)
      ) : (
        <Form
          form={form}
          name={name}
          layout="vertical"
          requiredMark={false}
          {...(initial && { initialValues: initial })}
          onFinish={fields => create.mutate(fields)}
        >
          {children}
        </Form>
      )}
    </Modal>
  )
}
