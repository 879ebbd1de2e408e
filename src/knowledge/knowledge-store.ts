import type { Page, PageRequest } from '../contract/paging.ts'
import type { KnowledgeBase, KnowledgeCounts, KnowledgeSettings } from './knowledge-base.ts'

export type KnowledgeRecord = KnowledgeBase & { counts: KnowledgeCounts }

export interface NewKnowledgeBase extends KnowledgeSettings {
  id: string
  generationId: string
  createdAt: number
}

/** Knowledge bases and their generations. */
export interface KnowledgeStore {
  /** False when the name is taken. */
  create(workspaceId: string, base: NewKnowledgeBase): Promise<boolean>
  find(workspaceId: string, id: string): Promise<KnowledgeBase | undefined>
  count(workspaceId: string, base: KnowledgeBase): Promise<KnowledgeCounts>
  list(
    workspaceId: string,
    filter: { keyword: string; ids: string[] | undefined },
    page: PageRequest,
  ): Promise<Page<KnowledgeRecord>>
  /**
   * Stores what `change` makes of the base as it is. `nextGenerationId` names the generation that is begun where the change asks for one; one
   * that was under way is given up. Undefined: there is no such base; 'name_taken': nothing was changed.
   */
  update(
    workspaceId: string,
    id: string,
    change: (base: KnowledgeBase) => Partial<KnowledgeSettings>,
    options: { nextGenerationId: string; now: number },
  ): Promise<KnowledgeBase | 'name_taken' | undefined>
  /** False when there is none. From then on nothing of it is found; its rows are swept afterwards. */
  remove(workspaceId: string, id: string, now: number): Promise<boolean>
}
