import type { Graph } from '@antv/x6'

/** Where the drawing's origin is on the ground, and how large it is shown. */
export interface Shown {
  readonly tx: number
  readonly ty: number
  readonly scale: number
}

export interface ShownLayer {
  shown(): Shown
  show(next: Shown, isGesture?: boolean): void
  /** Tells the listener with the next picture, however often it is asked to until then. */
  tell(): void
  hold(isHeld: boolean): void
  settle(): void
  dispose(): void
}

/** So long after the last movement of a wheel or a trackpad it rests. */
const restMilliseconds = 250

/**
 * Moves the drawing. Drawing hundreds of cards anew takes longer than a picture may, so while a gesture lasts what
 * is drawn already is moved and scaled as a whole; only when it rests X6 is told, and everything is sharp again.
 */
export function createShownLayer(graph: Graph, listener: () => void): ShownLayer {
  const { style } = graph.view.svg
  let shown: Shown = { tx: 0, ty: 0, scale: 1 }
  let drawn = shown
  let frame = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  let isHeld = false

  const draw = (): void => {
    frame = 0
    const grown = shown.scale / drawn.scale
    // On whole pixels, as letters are blurred between them.
    const [x, y] = [Math.round(shown.tx - drawn.tx * grown), Math.round(shown.ty - drawn.ty * grown)]
    style.transform = shown === drawn ? '' : `translate(${x}px, ${y}px) scale(${grown})`
    listener()
  }
  const tell = (): void => {
    frame ||= requestAnimationFrame(draw)
  }
  const settle = (): void => {
    clearTimeout(timer)
    timer = undefined
    if (shown === drawn) return
    if (shown.scale !== drawn.scale) graph.scale(shown.scale, shown.scale)
    graph.translate(shown.tx, shown.ty)
    drawn = shown
    cancelAnimationFrame(frame)
    // At once: X6 may be asked in the same moment what lies below the pointer.
    draw()
  }
  const rest = (): void => {
    clearTimeout(timer)
    timer = isHeld ? undefined : setTimeout(settle, restMilliseconds)
  }
  return {
    shown: () => shown,
    show: (next, isGesture = false) => {
      shown = next
      const grown = next.scale / drawn.scale
      // Beyond that, what was drawn is too coarse, or too little of it.
      if (!isGesture || grown > 2 || grown < 0.5) return settle()
      tell()
      rest()
    },
    tell,
    hold: held => {
      isHeld = held
      rest()
    },
    settle,
    dispose: () => {
      clearTimeout(timer)
      cancelAnimationFrame(frame)
    },
  }
}
