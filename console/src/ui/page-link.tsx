import { ExportOutlined } from '@ant-design/icons'
import { defineWords } from './words.ts'

const useWords = defineWords({ opens: 'opens in a new tab' }, { opens: '在新标签页中打开' })

/** The address without the parts that all addresses share. */
const shown = (url: string): string => {
  const short = url.replace(/^https?:\/\//, '').replace(/\/$/, '')
  try {
    return decodeURI(short)
  } catch {
    return short
  }
}

/** A link to the web page of a document. Anything but a web address is shown as text. */
export function PageLink({ url }: { url: string }) {
  const words = useWords()
  if (!/^https?:\/\//.test(url)) return <span className="soft small">{url}</span>
  return (
    <a className="small page-link" href={url} target="_blank" rel="noreferrer noopener" title={url}>
      {shown(url)} <ExportOutlined aria-hidden />
      <span className="visually-hidden"> ({words.opens})</span>
    </a>
  )
}
