import { useMemo } from 'react'
import { useLanguage } from '../../ui/preferences.ts'
import type { Positions } from '../model/graph.ts'
import { type KindRecord, type KindsData, useEditorState, useWorkflowEditor } from '../workflow-editor.ts'
import { useCanvasWords } from './canvas-words.ts'
import { makeScene } from './make-scene.ts'
import { placedAll } from './placed-all.ts'
import type { Scene } from './scene.ts'

/** Where every node is drawn, also those that nobody placed yet. */
export function usePlacedNodes(): Positions {
  const { graph, positions } = useEditorState()
  return useMemo(() => placedAll(graph, positions), [graph, positions])
}

export const useKindsByName = (kinds: KindsData): ReadonlyMap<string, KindRecord> =>
  useMemo(() => new Map(kinds.kinds.map(kind => [kind.kind, kind])), [kinds])

/** What the canvas shows just now. */
export function useScene(positions: Positions): Scene {
  const { graph, selection } = useEditorState()
  const { kinds, checks, marks } = useWorkflowEditor()
  const byName = useKindsByName(kinds)
  const language = useLanguage()
  const words = useCanvasWords()
  const { findings, outline } = checks
  return useMemo(
    () =>
      makeScene({
        state: { graph, selection },
        positions,
        kinds: byName,
        checks: { findings, outline },
        marks,
        language,
        words,
      }),
    [graph, selection, positions, byName, findings, outline, marks, language, words],
  )
}
