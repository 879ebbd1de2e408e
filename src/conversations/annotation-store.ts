import type { Page, PageRequest } from '../contract/paging.ts'
import { countRows, inOrder } from '../database/database.ts'
import { hasKeyword, searchText } from '../database/keyword.ts'
import { Order } from '../database/order.ts'
import { readPage } from '../database/page.ts'
import { sql } from '../database/sql.ts'
import { Store } from '../database/store.ts'
import { integer, optional, type RowOf, table, text } from '../database/table.ts'
import { AppError } from '../kernel/app-error.ts'

export const annotations = table('annotations', {
  workspaceId: text(),
  id: text(),
  agentId: text(),
  question: text(),
  /** A hash of the normalised question. */
  questionKey: text(),
  answer: text(),
  search: text(),
  hits: integer(),
  lastHitAt: optional(integer()),
  createdAt: integer(),
  updatedAt: integer(),
  updatedBy: text(),
})

export type Annotation = Omit<RowOf<typeof annotations>, 'workspaceId' | 'search' | 'questionKey'>
/** What an editor writes. */
export type NewAnnotation = Omit<Annotation, 'hits' | 'lastHitAt'> & { questionKey: string }

const keys = annotations.keysExcept('workspaceId', 'search', 'questionKey')
const columns = annotations.columns(...keys)
const order = new Order('created_at DESC', 'id')

export const tooManyAnnotations = (max: number): AppError =>
  new AppError('invalid_request', `An agent can have ${max} annotations; delete some first`)

export class AnnotationStore extends Store {
  /** Adds annotations or replaces their answers. If the agent would have more than `max`, none is stored. */
  save(
    workspaceId: string,
    agentId: string,
    rows: readonly NewAnnotation[],
    max: number,
  ): Promise<{ saved: Annotation[]; added: number }> {
    return this.database.transaction(async transaction => {
      // With this lock, concurrent requests count each other's annotations.
      await transaction.get(sql`
        SELECT ${annotations.columns('id')} FROM annotations
        WHERE ${annotations.where({ workspaceId, agentId })} LIMIT 1 ${this.database.forUpdate}`)
      const all = sql`annotations WHERE ${annotations.where({ workspaceId, agentId })}`
      const saved: Annotation[] = []
      let added = 0
      for (const row of await inOrder(transaction, all, rows)) {
        const search = searchText(row.question, row.answer)
        const same = annotations.where({ workspaceId, agentId, questionKey: row.questionKey })
        const { question, answer, updatedAt, updatedBy } = row
        const values = annotations.set({ question, answer, search, updatedAt, updatedBy })
        const changed = await transaction.get(
          sql`UPDATE annotations SET ${values} WHERE ${same} RETURNING ${columns}`,
        )
        if (!changed) {
          added++
          await transaction.run(annotations.insert({ workspaceId, ...row, search, hits: 0 }))
        }
        saved.push(changed ?? { ...row, hits: 0, lastHitAt: undefined })
      }
      if (added > 0 && (await countRows(transaction, all)) > max) throw tooManyAnnotations(max)
      return { saved, added }
    })
  }

  find(workspaceId: string, id: string): Promise<Annotation | undefined> {
    return this.database.get(annotations.select(columns, { workspaceId, id }))
  }

  findByKey(workspaceId: string, agentId: string, questionKey: string): Promise<Annotation | undefined> {
    return this.database.get(annotations.select(columns, { workspaceId, agentId, questionKey }))
  }

  /** All questions of an agent; there are few enough of them to compare each. */
  questions(workspaceId: string, agentId: string): Promise<{ id: string; question: string }[]> {
    return this.database.all(sql`
      SELECT ${annotations.columns('id', 'question')} FROM annotations
      WHERE ${annotations.where({ workspaceId, agentId })} ORDER BY created_at, id`)
  }

  /**
   * Changes an annotation under a lock, so that no concurrent change is lost; `change` may be called again after a
   * conflict. False when another annotation of the agent has the question; undefined when there is no such annotation.
   */
  update(
    workspaceId: string,
    id: string,
    change: (
      before: Annotation,
    ) => Pick<Annotation, 'question' | 'answer' | 'updatedAt' | 'updatedBy'> & { questionKey: string },
  ): Promise<Annotation | false | undefined> {
    return this.database.transaction(async transaction => {
      const key = annotations.where({ workspaceId, id })
      const before = await transaction.get(
        sql`SELECT ${columns} FROM annotations WHERE ${key} ${this.database.forUpdate}`,
      )
      if (!before) return undefined
      const { questionKey, ...values } = change(before)
      const { agentId } = before
      const same = await transaction.get(sql`
        SELECT ${annotations.columns('id')} FROM annotations
        WHERE ${annotations.where({ workspaceId, agentId, questionKey })}`)
      if (same && same.id !== id) return false
      const search = searchText(values.question, values.answer)
      await transaction.run(
        sql`UPDATE annotations SET ${annotations.set({ ...values, questionKey, search })} WHERE ${key}`,
      )
      return { ...before, ...values }
    })
  }

  async remove(workspaceId: string, id: string): Promise<boolean> {
    return (await this.runDeletion(annotations.delete({ workspaceId, id }))) > 0
  }

  /** Newest first. An agent has so few annotations that keywords need no index. */
  list(workspaceId: string, agentId: string, keyword: string, page: PageRequest): Promise<Page<Annotation>> {
    return readPage(this.database, {
      ...{ workspaceId, columns, source: annotations, order, page },
      where: annotations.where({ workspaceId, agentId }),
      filter: keyword === '' ? undefined : sql`(${hasKeyword(keyword)} OR id = ${keyword})`,
    })
  }

  async countHit(workspaceId: string, id: string, at: number): Promise<void> {
    const key = annotations.where({ workspaceId, id })
    await this.run(sql`UPDATE annotations SET hits = hits + 1, last_hit_at = ${at} WHERE ${key}`)
  }
}
