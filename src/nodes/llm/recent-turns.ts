import type { ModelMessage } from '../../models/language-model.ts'
import type { HistoryEntry } from '../../workflow/step.ts'

/** What was said in the last turns; a turn begins with what the user says. */
export function recentTurns(history: readonly HistoryEntry[], turns: number): ModelMessage[] {
  if (turns <= 0) return []
  let from = history.length
  for (let left = turns; left > 0 && from > 0; ) {
    from -= 1
    // Several messages of the user in a row are one turn.
    if (history[from]?.role === 'user' && history[from - 1]?.role !== 'user') left -= 1
  }
  return history.slice(from).flatMap(messageOf)
}

function messageOf({ role, content }: HistoryEntry): ModelMessage[] {
  // Providers refuse empty messages, such as those of a turn that was only a file.
  if (content.trim() === '') return []
  return role === 'user'
    ? [{ role, parts: [{ type: 'text', text: content }] }]
    : [{ role, text: content, toolCalls: [] }]
}
