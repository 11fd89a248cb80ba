/** Where SQL's snake_case meets what core says of moves and of what belongs to tasks. */
import type { ArtifactLinkEpoch, Belongings, IdempotencyUse, Move } from "@safelight/core"
import type { IdempotencyTable, InputsTable, LinkEpochsTable, MovesTable } from "./database.ts"
import { fromInputRecord } from "./records.ts"

export function fromMoveRecord({ id, state, at }: MovesTable): Move {
  return { id, state: state as Move["state"], at }
}

/** What belongs to a task, each kind in its order. */
export function toBelongings(records: {
  readonly inputs: readonly InputsTable[]
  readonly uses: readonly IdempotencyTable[]
  readonly epochs: readonly LinkEpochsTable[]
}): Belongings {
  return {
    inputs: records.inputs.map(fromInputRecord),
    idempotency: records.uses.map(fromIdempotencyRecord),
    linkEpochs: records.epochs.map(fromLinkEpochRecord),
  }
}

function fromIdempotencyRecord(
  record: Pick<IdempotencyTable, "key" | "fingerprint" | "used_at">,
): IdempotencyUse {
  return { key: record.key, fingerprint: record.fingerprint, usedAt: record.used_at }
}

function fromLinkEpochRecord({
  key,
  epoch,
}: Pick<LinkEpochsTable, "key" | "epoch">): ArtifactLinkEpoch {
  return { key, epoch }
}
