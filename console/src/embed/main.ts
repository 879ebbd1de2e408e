/**
 * The script that a website includes to get a chat bubble:
 * `<script src="https://server/embed.js" data-agent="agent_…" async></script>`. It has no dependencies, sets no global
 * names, and styles its two elements by properties, which the policy of a website cannot forbid.
 */
;(() => {
  const script = document.currentScript as HTMLScriptElement | null
  const agentId = script?.dataset['agent']
  if (!script || !agentId) return console.error('embed.js: its script element needs data-agent="agent_…"')
  const { lang, theme, color = '#2c6e4f', position = 'right', open, label } = script.dataset
  const isChinese = (lang ?? navigator.language).toLowerCase().startsWith('zh')
  const words = isChinese ? { chat: '对话', close: '关闭对话' } : { chat: 'Chat', close: 'Close chat' }
  const side = position === 'left' ? 'left' : 'right'

  const address = new URL(`chat/${encodeURIComponent(agentId)}`, script.src)
  address.searchParams.set('embed', '1')
  if (lang) address.searchParams.set('lang', isChinese ? 'zh' : 'en')
  if (theme) address.searchParams.set('theme', theme)

  const bubble = document.createElement('button')
  bubble.type = 'button'
  const chatPath = 'M4 5h16v11H9l-5 4z'
  const closePath = 'm6 6 12 12M18 6 6 18'
  const drawing = document.createElementNS('http://www.w3.org/2000/svg', 'svg')
  const path = document.createElementNS('http://www.w3.org/2000/svg', 'path')
  drawing.setAttribute('viewBox', '0 0 24 24')
  drawing.setAttribute('width', '26')
  drawing.setAttribute('height', '26')
  drawing.setAttribute('aria-hidden', 'true')
  path.setAttribute('fill', 'none')
  path.setAttribute('stroke', '#fff')
  path.setAttribute('stroke-width', '2')
  path.setAttribute('stroke-linecap', 'round')
  path.setAttribute('stroke-linejoin', 'round')
  drawing.append(path)
  bubble.append(drawing)
  const layer = { position: 'fixed', zIndex: '2147483000', border: '0' }
  Object.assign(bubble.style, layer, {
    // Above the frame, which fills a narrow window.
    zIndex: '2147483001',
    ...{ [side]: '20px', bottom: '20px', width: '56px', height: '56px', padding: '0', borderRadius: '50%' },
    ...{ display: 'grid', placeItems: 'center', background: color, cursor: 'pointer' },
    boxShadow: '0 4px 16px rgb(0 0 0 / 25%)',
  })

  let frame: HTMLIFrameElement | undefined
  let isOpen = false
  /** Whether the page in the frame has a button to close it. */
  let canClose = false
  const narrow = window.matchMedia('(max-width: 480px)')

  const makeFrame = (): HTMLIFrameElement => {
    const made = document.createElement('iframe')
    made.src = address.href
    made.title = label ?? words.chat
    made.allow = 'microphone; clipboard-write'
    document.body.append(made)
    return made
  }

  const place = (): void => {
    path.setAttribute('d', isOpen ? closePath : chatPath)
    bubble.setAttribute('aria-label', isOpen ? words.close : (label ?? words.chat))
    bubble.setAttribute('aria-expanded', String(isOpen))
    bubble.style.display = isOpen && narrow.matches && canClose ? 'none' : 'grid'
    if (!frame) return
    const size = narrow.matches
      ? { inset: '0', width: '100%', height: '100%', borderRadius: '0' }
      : {
          ...{ inset: 'auto', [side]: '20px', bottom: '88px', width: '400px', borderRadius: '14px' },
          height: 'min(640px, calc(100vh - 108px))',
        }
    Object.assign(frame.style, layer, size, {
      display: isOpen ? 'block' : 'none',
      boxShadow: '0 8px 32px rgb(0 0 0 / 25%)',
      background: '#fff',
    })
  }

  const show = (next: boolean): void => {
    isOpen = next
    if (isOpen) frame ??= makeFrame()
    place()
    if (isOpen) frame?.focus()
    else bubble.focus()
  }

  bubble.addEventListener('click', () => show(!isOpen))
  bubble.addEventListener('keydown', ({ key }) => {
    if (key === 'Escape' && isOpen) show(false)
  })
  narrow.addEventListener('change', place)
  window.addEventListener('message', ({ source, data }) => {
    if (!frame || source !== frame.contentWindow) return
    if (data === 'banyan:close') show(false)
    if (data !== 'banyan:ready') return
    canClose = true
    place()
    // The page came after the frame had got the focus, which does not reach pages of another process.
    if (document.activeElement === frame) frame.contentWindow?.focus()
  })
  const start = (): void => {
    document.body.append(bubble)
    // Starting open takes the focus from nothing that the visitor does on the website.
    isOpen = open !== undefined
    if (isOpen) frame = makeFrame()
    place()
  }
  if (document.body) start()
  else document.addEventListener('DOMContentLoaded', start)
})()
