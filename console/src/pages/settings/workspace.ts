import type { ItemOf } from '../../api/operations.ts'

export type Workspace = ItemOf<'POST /api/v1/workspace/list'>
