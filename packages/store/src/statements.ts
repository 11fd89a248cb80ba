/** Every statement of the store, compiled for one dialect: a storage asks once, when it opens. */
import { compileAccountStatements, type AccountStatements } from "./account-statements.ts"
import { compileAdmissionStatements, type AdmissionStatements } from "./admission-statements.ts"
import { compileAppendStatements, type AppendStatements } from "./append-statements.ts"
import { compileChannelStatements, type ChannelStatements } from "./channel-statements.ts"
import { compileDeploymentStatements, type DeploymentStatements } from "./deployment-statements.ts"
import type { StoreDialect } from "./dialect.ts"
import { compileKeyStatements, type KeyStatements } from "./key-statements.ts"
import { compileLeaseStatements, type LeaseStatements } from "./lease-statements.ts"
import { compileLinkStatements, type LinkStatements } from "./link-statements.ts"
import { compileListStatements, type ListStatements } from "./list-statements.ts"
import { compileMoveStatements, type MoveStatements } from "./move-statements.ts"
import { compileQueueStatements, type QueueStatements } from "./queue-statements.ts"
import { compileRateStatements, type RateStatements } from "./rate-statements.ts"
import { compileReadStatements, type ReadStatements } from "./read-statements.ts"
import { createQueryBuilder } from "./statement.ts"
import { compileTotalsStatements, type TotalsStatements } from "./totals-statements.ts"

export interface StoreStatements {
  readonly accounts: AccountStatements
  readonly admission: AdmissionStatements
  readonly append: AppendStatements
  readonly channels: ChannelStatements
  readonly deployment: DeploymentStatements
  readonly keys: KeyStatements
  readonly leases: LeaseStatements
  readonly links: LinkStatements
  readonly list: ListStatements
  readonly moves: MoveStatements
  readonly queue: QueueStatements
  readonly rates: RateStatements
  readonly read: ReadStatements
  readonly totals: TotalsStatements
}

export function compileStatements(dialect: StoreDialect): StoreStatements {
  const db = createQueryBuilder(dialect)
  return {
    accounts: compileAccountStatements(db, dialect),
    admission: compileAdmissionStatements(db, dialect),
    append: compileAppendStatements(db),
    channels: compileChannelStatements(db, dialect),
    deployment: compileDeploymentStatements(db),
    keys: compileKeyStatements(db),
    leases: compileLeaseStatements(db),
    links: compileLinkStatements(db),
    list: compileListStatements(db),
    moves: compileMoveStatements(db),
    queue: compileQueueStatements(db, dialect),
    rates: compileRateStatements(db),
    read: compileReadStatements(db),
    totals: compileTotalsStatements(db, dialect),
  }
}
