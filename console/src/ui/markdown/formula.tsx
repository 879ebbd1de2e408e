import katex from 'katex'
import { useEffect, useRef } from 'react'

/** MathML, which browsers draw and read aloud themselves: it needs neither fonts nor inline styles. */
export default function Formula({ tex, isBlock }: { tex: string; isBlock: boolean }) {
  const box = useRef<HTMLSpanElement>(null)
  useEffect(() => {
    if (!box.current) return
    const options = { displayMode: isBlock, output: 'mathml', throwOnError: false, maxExpand: 200 } as const
    katex.render(tex, box.current, options)
  }, [tex, isBlock])
  return <span ref={box} className={isBlock ? 'formula formula-block' : 'formula'} />
}
