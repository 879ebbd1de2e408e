import { type RefObject, useEffect, useEffectEvent, useState } from 'react'
import { usePanelWidth } from './panel-resizer.tsx'

/** As in editor.css. */
const paletteWidth = 192
/** Between both panes there is at least room for a card. */
const minCanvasWidth = 280

/**
 * Which of the palette and the side panel are open. Where both would leave too little of the canvas, opening one closes
 * the other.
 */
export function usePanes(body: RefObject<HTMLElement | null>, isPanelOpenFirst: boolean) {
  const [hasPalette, setHasPalette] = useState(() => window.innerWidth >= 1100)
  // The panel opens with the first clicked node, so that a workflow has room to be read.
  const [hasPanel, setHasPanel] = useState(isPanelOpenFirst)
  const [panelWidth, setPanelWidth] = usePanelWidth()
  const hasRoomForBoth = (width = panelWidth): boolean =>
    (body.current?.clientWidth ?? window.innerWidth) - paletteWidth - width >= minCanvasWidth
  const onResize = useEffectEvent(() => {
    if (hasPanel && !hasRoomForBoth()) setHasPalette(false)
  })
  useEffect(() => {
    const listen = (): void => onResize()
    window.addEventListener('resize', listen)
    return () => window.removeEventListener('resize', listen)
  }, [])
  return {
    hasPalette,
    hasPanel,
    panelWidth,
    hasRoomForBoth,
    setHasPalette: (has: boolean): void => {
      setHasPalette(has)
      if (has && !hasRoomForBoth()) setHasPanel(false)
    },
    setHasPanel: (has: boolean): void => {
      setHasPanel(has)
      if (has && !hasRoomForBoth()) setHasPalette(false)
    },
    setPanelWidth: (width: number | undefined): void => {
      const chosen = setPanelWidth(width)
      if (!hasRoomForBoth(chosen)) setHasPalette(false)
    },
  }
}
