import { type PointerEvent, useEffect, useRef, useState } from 'react'
import { useIsDark } from '../../ui/preferences.ts'
import type { View } from './camera.ts'
import { useCanvasWords } from './canvas-words.ts'
import { cardSize } from './card-size.ts'
import { areaOf, type Canvas } from './create-canvas.ts'
import type { Card, Scene } from './scene.ts'

const size = { width: 168, height: 104 }
const margin = 8

interface Fitting {
  scale: number
  left: number
  top: number
}

/** The minimap covers the drawing and the visible area, wherever that is. */
function fitting(scene: Scene, seen: View): Fitting | undefined {
  const drawn = areaOf(scene)
  if (!drawn) return undefined
  const [x, y] = [Math.min(drawn.x, seen.x), Math.min(drawn.y, seen.y)]
  const area = {
    x,
    y,
    width: Math.max(drawn.x + drawn.width, seen.x + seen.width) - x,
    height: Math.max(drawn.y + drawn.height, seen.y + seen.height) - y,
  }
  const scale = Math.min(
    (size.width - 2 * margin) / area.width,
    (size.height - 2 * margin) / area.height,
    0.15,
  )
  return {
    scale,
    left: (size.width - area.width * scale) / 2 - area.x * scale,
    top: (size.height - area.height * scale) / 2 - area.y * scale,
  }
}

const colourOf = ({ severity, isSelected }: Card): keyof Colours =>
  severity === 'error' ? '--danger' : isSelected ? '--leaf' : '--soft'

type Colours = Readonly<Record<'--line' | '--soft' | '--leaf' | '--danger', string>>

/** Read once per theme, because reading makes the browser compute all styles of a changed page at once. */
function readColours(): Colours {
  const style = getComputedStyle(document.documentElement)
  const colour = (name: keyof Colours): string => style.getPropertyValue(name)
  return {
    '--line': colour('--line'),
    '--soft': colour('--soft'),
    '--leaf': colour('--leaf'),
    '--danger': colour('--danger'),
  }
}

function paint(element: HTMLCanvasElement, scene: Scene, canvas: Canvas, colours: Colours): void {
  const pen = element.getContext('2d')
  const seen = canvas.camera.view()
  const fit = fitting(scene, seen)
  const ratio = window.devicePixelRatio || 1
  // Resizing a canvas element clears it, so it is not done for every frame.
  if (element.width !== Math.round(size.width * ratio)) {
    element.width = Math.round(size.width * ratio)
    element.height = Math.round(size.height * ratio)
  }
  if (!pen) return
  pen.setTransform(ratio, 0, 0, ratio, 0, 0)
  pen.clearRect(0, 0, size.width, size.height)
  if (!fit) return
  const put = (x: number, y: number, width: number, height: number) =>
    [fit.left + x * fit.scale, fit.top + y * fit.scale, width * fit.scale, height * fit.scale] as const
  pen.fillStyle = colours['--line']
  for (const { x, y, width, height } of scene.shapes) pen.fillRect(...put(x, y, width, height))
  for (const colour of ['--soft', '--leaf', '--danger'] as const) {
    pen.fillStyle = colours[colour]
    pen.beginPath()
    for (const card of scene.cards) {
      if (colourOf(card) !== colour) continue
      const [x, y, width, height] = put(card.x, card.y, cardSize.width, card.shape.height)
      pen.rect(x, y, Math.max(width, 2), Math.max(height, 1.5))
    }
    pen.fill()
  }
  pen.strokeStyle = colours['--leaf']
  pen.lineWidth = 1.5
  pen.strokeRect(...put(seen.x, seen.y, seen.width, seen.height))
}

const between = (least: number, value: number, most: number): number => Math.max(least, Math.min(value, most))

/** The whole drawing at a small scale; pressing or dragging there moves the view. */
export function Minimap({ canvas, scene }: { canvas: Canvas; scene: Scene }) {
  const words = useCanvasWords()
  const isDark = useIsDark()
  const element = useRef<HTMLCanvasElement>(null)
  // While dragging, the map must not change below the pointer.
  const held = useRef<Fitting>(undefined)
  const [colours, setColours] = useState<Colours>()
  // biome-ignore lint/correctness/useExhaustiveDependencies: colours follow the theme
  useEffect(() => {
    // Effects of the page, which sets the theme, come after those of its parts.
    const frame = requestAnimationFrame(() => setColours(readColours()))
    return () => cancelAnimationFrame(frame)
  }, [isDark])
  useEffect(() => {
    if (!colours) return
    const draw = (): void => {
      if (element.current) paint(element.current, scene, canvas, colours)
    }
    draw()
    return canvas.camera.subscribe(draw)
  }, [canvas, scene, colours])
  const go = (event: PointerEvent<HTMLCanvasElement>): void => {
    if (event.type === 'pointerdown') held.current = fitting(scene, canvas.camera.view())
    const fit = held.current
    if (!fit || event.buttons === 0) return
    event.currentTarget.setPointerCapture(event.pointerId)
    const box = event.currentTarget.getBoundingClientRect()
    const drawn = areaOf(scene)
    if (!drawn) return
    // The pointer may leave the map while dragging; the view always shows a part of the drawing.
    canvas.camera.centreOn({
      x: between(drawn.x, (event.clientX - box.left - fit.left) / fit.scale, drawn.x + drawn.width),
      y: between(drawn.y, (event.clientY - box.top - fit.top) / fit.scale, drawn.y + drawn.height),
    })
  }
  return (
    <canvas
      ref={element}
      className="canvas-map"
      style={size}
      role="img"
      aria-label={words.map}
      title={words.map}
      onPointerDown={go}
      onPointerMove={go}
    />
  )
}
