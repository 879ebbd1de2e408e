import type { UseMutationResult } from '@tanstack/react-query'
import { Alert, Form, type FormInstance } from 'antd'
import type { ReactNode } from 'react'
import { CopyButton } from './copy-button.tsx'
import { Dialog } from './dialog.tsx'
import { Failure } from './failure.tsx'
import { defineWords } from './words.ts'
import './secret-once.css'

const useWords = defineWords(
  {
    once: 'Copy it now. You cannot view it again.',
    token: 'Token',
    tokenAbout: 'For programs, in the Authorization: Bearer … header',
    copyToken: 'Copy token',
    link: 'Sign-in link',
    linkAbout: 'For people: opening it in a browser signs in. Anyone who has the link has the token.',
    copyLink: 'Copy link',
  },
  {
    once: '请立即复制，关闭后无法再次查看。',
    token: '令牌',
    tokenAbout: '给程序使用，放在请求头 Authorization: Bearer … 中',
    copyToken: '复制令牌',
    link: '登录链接',
    linkAbout: '给人使用：在浏览器中打开即可登录。拿到链接就等于拿到令牌。',
    copyLink: '复制链接',
  },
)

/** Shows a new token, which cannot be viewed again. */
export function SecretOnce({ secret, withLink }: { secret: string; withLink: boolean }) {
  const words = useWords()
  const { origin, pathname } = window.location
  const link = `${origin}${pathname}#token=${encodeURIComponent(secret)}`
  const token = { title: words.token, text: secret, copy: words.copyToken, about: words.tokenAbout }
  const signIn = { title: words.link, text: link, copy: words.copyLink, about: words.linkAbout }
  return <SecretLines once={words.once} lines={withLink ? [token, signIn] : [token]} />
}

interface SecretLine {
  title: string
  text: string
  /** The name of the button that copies the text. */
  copy: string
  about?: string
}

/** Texts to copy, with the warning that they cannot be viewed again. */
export function SecretLines({ once, lines }: { once: string; lines: readonly SecretLine[] }) {
  return (
    <div className="secret-once">
      <Alert type="warning" showIcon title={once} />
      {lines.map(({ title, text, copy, about }) => (
        <section key={title}>
          <h3>{title}</h3>
          <div className="secret-line">
            <code>{text}</code>
            <CopyButton text={text} label={copy} />
          </div>
          {about !== undefined && <span className="soft small">{about}</span>}
        </section>
      ))}
    </div>
  )
}

interface MakeSecretDialogProps<Fields extends object, Made> {
  create: UseMutationResult<Made, Error, Fields>
  form: FormInstance<Fields>
  /** The id of the form in the page. */
  name: string
  initial?: Partial<Fields>
  words: { title: string; ready: (made: Made) => string; create: string; cancel: string; done: string }
  onClose: () => void
  /** The fields of the form. */
  children: ReactNode
  /** Shows the secret. */
  made: (made: Made) => ReactNode
}

/** A form that creates something with a secret, then shows the secret, which cannot be viewed again. */
export function MakeSecretDialog<Fields extends object, Made>(props: MakeSecretDialogProps<Fields, Made>) {
  const { create, form, name, initial, words, onClose, children } = props
  const made = create.data
  return (
    <Dialog
      open
      title={made ? words.ready(made) : words.title}
      okText={made ? words.done : words.create}
      cancelText={words.cancel}
      confirmLoading={create.isPending}
      // A stray key must not dismiss a secret that is shown only once.
      keyboard={!made && !create.isPending}
      closable={!create.isPending}
      cancelButtonProps={{ disabled: create.isPending, ...(made && { style: { display: 'none' } }) }}
      // The button belongs to the form, so that Enter in a field submits it.
      {...(made ? { onOk: onClose } : { okButtonProps: { htmlType: 'submit', form: name } })}
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
    </Dialog>
  )
}
