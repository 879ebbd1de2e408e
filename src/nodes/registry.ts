import type { KindRegistry, NodeKind } from '../workflow/node-kind.ts'
import { end } from './end.ts'
import { input } from './input.ts'
import { llm } from './llm.ts'
import { multimodalDialogueAndInformationExtractor } from './multimodal-dialogue-and-information-extractor.ts'
import { output } from './output.ts'
import { webSearch } from './web-search.ts'

const kinds: readonly NodeKind[] = [
  input,
  llm,
  output,
  webSearch,
  end,
  multimodalDialogueAndInformationExtractor,
]

/** Every kind of node this server knows. */
export const nodeKinds: KindRegistry = new Map(kinds.map(kind => [kind.kind, kind]))
