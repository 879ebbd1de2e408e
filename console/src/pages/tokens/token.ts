import type { ItemOf } from '../../api/operations.ts'

export type Token = ItemOf<'POST /api/v1/token/list'>
