import { CheckOutlined, CopyOutlined } from '@ant-design/icons'
import { App, Button } from 'antd'
import { useEffect, useState } from 'react'
import { defineWords } from './words.ts'

const useWords = defineWords(
  {
    copy: 'Copy',
    copied: 'Copied',
    byHand: 'The browser blocked copying. Select the text and copy it manually.',
  },
  { copy: '复制', copied: '已复制', byHand: '浏览器不允许自动复制，请选中文本手动复制。' },
)

export function CopyButton({ text, label, size }: { text: string; label?: string; size?: 'small' }) {
  const words = useWords()
  const { message } = App.useApp()
  const [isCopied, setIsCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setIsCopied(false), 2000)
    return () => clearTimeout(timer)
  }, [isCopied])
  const title = isCopied ? words.copied : (label ?? words.copy)
  return (
    <Button
      type="text"
      {...(size && { size })}
      icon={isCopied ? <CheckOutlined /> : <CopyOutlined />}
      aria-label={title}
      title={title}
      onClick={() =>
        copyToClipboard(text).then(
          () => setIsCopied(true),
          () => void message.warning(words.byHand, 6),
        )
      }
    />
  )
}

/** Copies a text, or throws if the browser does not allow it. */
export async function copyToClipboard(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
  } catch {
    // Browsers provide no clipboard API to pages on plain HTTP or without permission.
    copyBySelection(text)
  }
}

function copyBySelection(text: string): void {
  let isTaken = false
  const onCopy = (event: ClipboardEvent): void => {
    event.clipboardData?.setData('text/plain', text)
    event.preventDefault()
    event.stopImmediatePropagation()
    isTaken = true
  }
  document.addEventListener('copy', onCopy, { capture: true })
  const isDone = document.execCommand('copy')
  document.removeEventListener('copy', onCopy, { capture: true })
  if (!isDone || !isTaken) throw new Error('The browser does not let this page copy')
}
