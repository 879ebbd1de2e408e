import { Modal } from 'antd'
import { useState } from 'react'
import { defineWords } from '../../../ui/words.ts'
import { useFileAddress } from './use-file-address.ts'

const useWords = defineWords(
  {
    enlarge: (name: string) => `Enlarge ${name || 'image'}`,
    gone: (name: string) => `${name || 'Image'} (no longer available)`,
  },
  {
    enlarge: (name: string) => `放大${name === '' ? '图片' : ` ${name}`}`,
    gone: (name: string) => `${name || '图片'}（已无法显示）`,
  },
)

/** A picture of this server, small; as large as there is room when it is chosen. */
export function FileImage({ fileId, name }: { fileId: string; name: string }) {
  const words = useWords()
  const [isLarge, setIsLarge] = useState(false)
  const { address, hasFailed } = useFileAddress(fileId)
  if (hasFailed) return <span className="soft small">{words.gone(name)}</span>
  if (address === undefined) return <span className="file-image-space" />
  return (
    <>
      <button
        type="button"
        className="file-image"
        aria-label={words.enlarge(name)}
        onClick={() => setIsLarge(true)}
      >
        <img src={address} alt={name} />
      </button>
      <Modal
        open={isLarge}
        onCancel={() => setIsLarge(false)}
        footer={null}
        title={name}
        width="min(90vw, 70rem)"
      >
        <img className="file-image-large" src={address} alt={name} />
      </Modal>
    </>
  )
}
