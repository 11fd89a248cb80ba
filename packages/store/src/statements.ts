/** Every statement of the store, compiled for one dialect: a storage asks once, when it opens. */
import { compileAppendStatements, type AppendStatements } from "./append-statements.ts"
import type { StoreDialect } from "./dialect.ts"
import { compileKeyStatements, type KeyStatements } from "./key-statements.ts"
import { compileListStatements, type ListStatements } from "./list-statements.ts"
import { compileQueueStatements, type QueueStatements } from "./queue-statements.ts"
import { compileReadStatements, type ReadStatements } from "./read-statements.ts"
import { createQueryBuilder } from "./statement.ts"

export interface StoreStatements {
  readonly append: AppendStatements
  readonly keys: KeyStatements
  readonly list: ListStatements
  readonly queue: QueueStatements
  readonly read: ReadStatements
}

export function compileStatements(dialect: StoreDialect): StoreStatements {
  const db = createQueryBuilder(dialect)
  return {
    append: compileAppendStatements(db),
    keys: compileKeyStatements(db),
    list: compileListStatements(db),
    queue: compileQueueStatements(db, dialect),
    read: compileReadStatements(db),
  }
}
