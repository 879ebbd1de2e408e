import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { call } from '../../../api/call.ts'
import { useLanguage } from '../../../ui/preferences.ts'
import type { Offer, References } from '../../../ui/text-editor/references.ts'
import { defineWords } from '../../../ui/words.ts'
import type { MemoryRow } from './memory-draft.ts'

const useWords = defineWords(
  {
    sys: 'System',
    memory: 'Memory',
    memoryAbout: 'Remembered within a conversation.',
    unknown: 'unknown',
    problem: 'a persona can refer to sys.… and memory.… only',
  },
  {
    sys: '系统',
    memory: '记忆',
    memoryAbout: '在一个对话中记住的值。',
    unknown: '未知',
    problem: '角色设定只能引用 sys.… 和 memory.…',
  },
)

/** The possible references of a persona: system values, such as the message, and the memory of the agent. */
export function usePersonaReferences(memory: readonly MemoryRow[]): References {
  const words = useWords()
  const language = useLanguage()
  const { data } = useQuery({
    queryKey: ['workflow-kinds'],
    queryFn: ({ signal }) => call('GET /api/v1/workflow/kinds', { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  })
  const system = data?.system
  return useMemo(() => {
    const offers: Offer[] = [
      ...memory
        .filter(({ key }) => key.trim() !== '')
        .map(({ key, description }) => ({
          ...{ reference: `memory.${key.trim()}`, title: words.memory, output: key.trim() },
          about: description || words.memoryAbout,
        })),
      ...(system ?? []).map(({ name, about }) => ({
        ...{ reference: `sys.${name}`, title: words.sys, output: name, about: about[language] },
      })),
    ]
    return {
      offersFor: typed => {
        const wanted = typed.trim().toLowerCase()
        return offers.filter(({ reference, title, output }) =>
          [reference, `${title} ${output}`].some(text => text.toLowerCase().includes(wanted)),
        )
      },
      chipOf: reference => {
        const [first = '', second = ''] = reference.split('.')
        const output = reference.slice(first.length + 1)
        if (first === 'memory' && second !== '') return { title: words.memory, output }
        // Until the names are loaded, no name counts as unknown.
        if (first === 'sys' && (!system || system.some(({ name }) => name === second)))
          return { title: words.sys, output }
        return { title: words.unknown, output: reference, problem: words.problem }
      },
    }
  }, [memory, system, language, words])
}
