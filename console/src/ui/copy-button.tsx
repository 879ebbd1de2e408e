import { CheckOutlined, CopyOutlined } from '@ant-design/icons'
import { App, Button } from 'antd'
import { useEffect, useState } from 'react'
import { copyToClipboard } from './copy-text.ts'
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
