import type { Adapters } from '../app/adapters.ts'
import { OrphanSweep } from '../files/orphan-sweep.ts'
import type { ConsistencyCheck } from '../fsck/check.ts'
import { knowledgeChecks } from '../fsck/knowledge-checks.ts'
import { referenceChecks } from '../fsck/reference-checks.ts'
import { blobChecks, databaseCheck, usageCheck } from '../fsck/storage-checks.ts'

export const checksOf = ({ database, stores, blobs, clock, installation }: Adapters): ConsistencyCheck[] => [
  databaseCheck(database),
  ...referenceChecks(database),
  ...blobChecks(database, blobs, new OrphanSweep({ files: stores.files, blobs, clock, installation })),
  usageCheck(database),
  ...knowledgeChecks({ database, clock, ...stores }),
]
