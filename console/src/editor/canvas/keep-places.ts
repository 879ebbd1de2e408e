import type { EditorStore } from '../model/editor-store.ts'
import { placedAll } from './placed-all.ts'

/**
 * What nobody placed is laid out for looking at only, and stored with the first edit that somebody makes: from then on
 * it would jump with every edit otherwise. Gives what ends it.
 */
export function keepPlaces(store: EditorStore): () => void {
  let seen = store.state()
  let shown = placedAll(seen.graph, seen.positions)
  return store.subscribe(() => {
    const { graph, positions } = store.state()
    if (graph === seen.graph && positions === seen.positions) return
    const isEdited = graph !== seen.graph
    seen = store.state()
    const unplaced = graph.nodes.filter(({ id }) => !Object.hasOwn(positions, id) && Object.hasOwn(shown, id))
    if (isEdited && unplaced.length > 0) {
      const places = unplaced.map(({ id }) => [id, shown[id]!] as const)
      // This is heard here again, with nothing left to place.
      store.edit({ type: 'nodes.move', positions: Object.fromEntries(places) }, { silent: true })
    } else shown = placedAll(graph, positions)
  })
}
