import { CheckOutlined, CopyOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import { useEffect, useState } from 'react'
import { copyToClipboard } from './copy-to-clipboard.ts'
import { defineWords } from './words.ts'

const useWords = defineWords({ copy: 'Copy', copied: 'Copied' }, { copy: '复制', copied: '已复制' })

export function CopyButton({ text, label, size }: { text: string; label?: string; size?: 'small' }) {
  const words = useWords()
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
      onClick={() => copyToClipboard(text).then(() => setIsCopied(true))}
    />
  )
}
